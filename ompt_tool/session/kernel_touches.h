/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_KERNEL_TOUCHES_H
#define MEMSEARCH_SESSION_KERNEL_TOUCHES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Pages of arrays that are resident without a page fault of the program's instructions: system calls
 * such as read wrote them, or the kernel made a huge page. Noted while every fault is sampled, and
 * attributed at the end, as rings of threads are read later. Only memory that no earlier block had:
 * variables, and heap blocks with a mapping of their own. At phase boundaries; not in callbacks.
 */
struct arena;
struct first_touches;
struct memory_range;

struct kernel_range {
	uint32_t array;
	uintptr_t low, high;
};
/* zeroed but for the arena */
struct kernel_touches {
	struct arena *arena;
	struct kernel_range *resident; /* of such arrays, the last time */
	size_t nr, room;
};

/* No fault was missed up to now. `heap`: what brk moves. */
void kernel_touches_note(struct kernel_touches *kernel, const struct first_touches *touches,
			 const struct memory_range *heap);
/* All faults were attributed, and none was lost. Nothing if the process has unknown threads. */
void kernel_touches_attribute(struct kernel_touches *kernel, struct first_touches *touches,
			      const struct memory_range *heap);

#endif
