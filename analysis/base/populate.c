/* SPDX-License-Identifier: Apache-2.0 */
/* Pages taken before they are written. */
#include "analysis/base/populate.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define POPULATE_READ 22  /* MADV_POPULATE_READ … */
#define POPULATE_WRITE 23 /* MADV_POPULATE_WRITE, missing in headers before Linux 5.14 */
/* bytes taken at a time: the largest page of the supported systems, too */
#define PART 65536

/* madvise(2) begins at a page or does nothing. */
static uintptr_t page_of(uintptr_t address)
{
	return address & ~(uintptr_t)(sysconf(_SC_PAGESIZE) - 1);
}

/*
 * Parts lie at multiples of their size in memory; the first may begin later, the last end before.
 */
void pages_ahead(void *table, size_t bytes, size_t at, size_t row)
{
	uintptr_t begin = (uintptr_t)table + at, part = (begin + row - 1) & ~(uintptr_t)(PART - 1);
	uintptr_t end = (uintptr_t)table + bytes, from = at ? part : page_of(begin);
	int error = errno;

	if (at && begin > part)
		return; /* the row before lies in the same part */
	madvise((void *)from, (part + PART < end ? part + PART : end) - from, POPULATE_WRITE);
	errno = error;
}

void pages_read_ahead(const void *start, size_t bytes)
{
	uintptr_t from = page_of((uintptr_t)start);
	int error = errno;

	madvise((void *)from, (uintptr_t)start + bytes - from, POPULATE_READ);
	errno = error;
}
