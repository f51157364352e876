/* SPDX-License-Identifier: Apache-2.0 */
/* Address space for tables that grow. */
#include "analysis/base/reserve.h"

#include <errno.h>
#include <sys/mman.h>

#include "analysis/base/own_memory.h"

#define HALVINGS_MAX 10

static void *map(size_t bytes, int at_fork)
{
	int error = errno;
	void *memory = own_memory(bytes, 0);

	if (memory && madvise(memory, bytes, at_fork)) {
		own_memory_give_back(memory, bytes);
		memory = NULL;
	} else if (memory) {
		/* fails where the kernel has no huge pages, which is fine */
		madvise(memory, bytes, MADV_NOHUGEPAGE);
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
		own_memory_give_back(memory, bytes);
}

unsigned int reserve_halvings(size_t bytes)
{
	unsigned int halvings = 0;
	size_t most = own_memory_for_a_table();

	while (halvings < HALVINGS_MAX && bytes >> halvings > most)
		halvings++;
	return halvings;
}
