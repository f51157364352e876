/* SPDX-License-Identifier: Apache-2.0 */
/* Address space for tables that grow. */
#include "ompt_tool/arrays/reserve.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define SHARE 16                 /* of the address space allowed */
#define HALVINGS_MAX 10

static void *map(size_t bytes, int at_fork)
{
	int error = errno;
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED) {
		memory = NULL;
	} else if (madvise(memory, bytes, at_fork)) {
		munmap(memory, bytes);
		memory = NULL;
	} else {
		madvise(memory, bytes, MADV_NOHUGEPAGE);       /* refused where the kernel has no huge pages: as wanted */
	}
	errno = error;
	return memory;
}

void *reserve(size_t bytes)
{
	return map(bytes, MADV_WIPEONFORK);
}

void *reserve_kept(size_t bytes)
{
	return map(bytes, MADV_KEEPONFORK);
}

void reserve_undo(void *memory, size_t bytes)
{
	if (memory)
		munmap(memory, bytes);
}

unsigned int reserve_halvings(size_t bytes)
{
	unsigned int halvings = 0;
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return 0;
	while (halvings < HALVINGS_MAX && bytes >> halvings > limit.rlim_cur / SHARE)
		halvings++;
	return halvings;
}
