/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: has free itself, which the dynamic linker and libraries call, too, but not malloc. */
#include <stdlib.h>
#include "guest.h"

extern void __libc_free(void *block);

static long nr_freed;

void free(void *block)
{
	__atomic_fetch_add(&nr_freed, block != NULL, __ATOMIC_RELAXED);
	__libc_free(block);
}

int main(void)
{
	long before, freed = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		char *volatile block = malloc(100 + step);

		guest_step();
		before = __atomic_load_n(&nr_freed, __ATOMIC_RELAXED);
		free(block);
		freed += __atomic_load_n(&nr_freed, __ATOMIC_RELAXED) > before;
	}
	return guest_end(freed);
}
