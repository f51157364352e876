/* SPDX-License-Identifier: Apache-2.0 */
/* Copies memory that may be unmapped. */
#define _GNU_SOURCE /* process_vm_readv, mincore */
#include "analysis/base/read_words.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/*
 * Of one page. process_vm_readv(2) would allocate an untouched page, and the program's first access
 * would be no fault.
 */
static bool read_piece(uintptr_t from, uintptr_t *words, size_t bytes, uintptr_t page)
{
	const struct iovec to = { words, bytes }, source = { (void *)from, bytes };
	unsigned char there;

	if (mincore((void *)(from & ~(page - 1)), page, &there) != 0)
		return false;
	if (!(there & 1)) {
		memset(words, 0, bytes);
		return true;
	}
	return process_vm_readv(getpid(), &to, 1, &source, 1, 0) == (ssize_t)bytes;
}

size_t read_words(uintptr_t from, uintptr_t *words, size_t nr)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	size_t done = 0;

	while (done < nr) {
		uintptr_t at = from + done * sizeof(*words);
		size_t in_page = (page - at % page) / sizeof(*words),
		       piece = nr - done < in_page ? nr - done : in_page;

		if (!piece || !read_piece(at, words + done, piece * sizeof(*words), page))
			break;
		done += piece;
	}
	return done;
}
