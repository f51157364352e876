/* SPDX-License-Identifier: Apache-2.0 */
/* mprotect and /proc/self/mem. */
#define _GNU_SOURCE
#include "ompt_tool/code/writing.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/base/memory_map.h"

struct search {
	const uintptr_t *addresses;
	size_t nr, left;
	int *protections;
};

static bool look_at(void *ctx, const struct memory_mapping *mapping)
{
	struct search *search = ctx;

	for (size_t i = 0; i < search->nr; i++)
		if (search->addresses[i] >= mapping->low && search->addresses[i] < mapping->high) {
			search->protections[i] = mapping->protection;
			search->left--;
		}
	return search->left;
}

void writing_protections(const uintptr_t *addresses, size_t nr, int *out)
{
	struct search search = { addresses, nr, 0, out };

	for (size_t i = 0; i < nr; i++) {
		out[i] = -1;
		search.left += addresses[i] != 0;
	}
	memory_map_visit(look_at, &search);
}

int writing_protection(uintptr_t address)
{
	int protection;

	writing_protections(&address, 1, &protection);
	return protection;
}

static bool write_through_file(uintptr_t *place, uintptr_t value)
{
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	bool written = fd >= 0 && pwrite(fd, &value, sizeof(value), (off_t)(uintptr_t)place) ==
					  (ssize_t)sizeof(value);

	if (fd >= 0)
		close(fd);
	return written;
}

static void store_word(uintptr_t *place, uintptr_t value)
{
	__atomic_store_n(place, value, __ATOMIC_RELEASE);
}

static bool store_unprotected(uintptr_t *place, uintptr_t value, int protection)
{
	uintptr_t bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	/* contains the whole word, which is aligned */
	void *page = (void *)((uintptr_t)place / bytes * bytes);

	if (mprotect(page, bytes, protection | PROT_WRITE) < 0)
		return false;
	store_word(place, value);
	mprotect(page, bytes, protection);
	return true;
}

bool writing_word(uintptr_t *place, uintptr_t value)
{
	return writing_known_word(place, value, writing_protection((uintptr_t)place));
}

bool writing_known_word(uintptr_t *place, uintptr_t value, int protection)
{
	int saved = errno;
	bool written = protection >= 0;

	if (written && protection & PROT_WRITE)
		store_word(place, value);
	else if (written)
		written = store_unprotected(place, value, protection) ||
			  write_through_file(place, value);
	errno = saved;
	return written;
}
