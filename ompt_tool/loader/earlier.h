/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_LOADER_EARLIER_H
#define MEMSEARCH_LOADER_EARLIER_H

#include <stdbool.h>
#include <stddef.h>

#include "ompt_tool/arrays/heap.h"

/*
 * Large blocks of a program in which the core is not loaded yet: programs allocate before their
 * first OpenMP construct. In libmemsearch.so, so with libc only, and without malloc. In a fork's
 * child the table is empty. A block that does not fit is forgotten.
 *
 * The call path is followed by libgcc's unwinder, opened at the begin of programs that have an
 * OpenMP runtime; before, and without one, it is the caller alone.
 */
extern const struct heap_hooks earlier_hooks;

/*
 * Memory for the table, from the kernel: NULL refused. Given by interpose.c, which knows the real
 * mmap.
 */
typedef void *earlier_mapper(size_t bytes);
void earlier_prepare(earlier_mapper *map);
/*
 * Is there a file of an OpenMP runtime among those that are loaded? Takes the dynamic linker's
 * lock.
 */
bool earlier_has_runtime(void);
/*
 * In a constructor, and only in programs with an OpenMP runtime: every shell between us and them
 * has this library, too.
 */
void earlier_find_unwinder(void);
/*
 * Passes all live blocks to `take`; later calls of earlier_hooks go to the slot's hooks.
 */
void earlier_hand_over(const struct heap_hooks *const *slot,
		       void (*take)(const struct heap_gone *block, bool mapped));

#endif
