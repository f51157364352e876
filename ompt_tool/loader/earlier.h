/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_LOADER_EARLIER_H
#define MEMSEARCH_LOADER_EARLIER_H

#include <stdbool.h>
#include <stddef.h>

#include "ompt_tool/arrays/heap.h"

/*
 * Large blocks of a program in which the core is not loaded yet: programs allocate before their
 * first OpenMP construct. In libmemsearch.so, so with libc only, and without malloc. In a forked
 * child the table is empty. A block that does not fit is dropped.
 *
 * The call path is unwound by libgcc's unwinder, which is loaded at the start of programs that have
 * an OpenMP runtime; before, and without one, the path is the caller alone.
 */
extern const struct heap_hooks earlier_hooks;

/*
 * Allocates memory for the table from the kernel; NULL: refused. interpose.c passes a function that
 * calls the original mmap.
 */
typedef void *earlier_mapper(size_t bytes);
void earlier_prepare(earlier_mapper *map);
/* Whether an OpenMP runtime is among the loaded files. Takes the dynamic linker's lock. */
bool earlier_has_runtime(void);
/*
 * Loads the unwinder. In a constructor, and only in programs with an OpenMP runtime: this library
 * is also preloaded into every shell that starts such a program.
 */
void earlier_find_unwinder(void);
/*
 * Passes all live blocks to `take`; later calls of earlier_hooks go to the slot's hooks.
 */
void earlier_hand_over(const struct heap_hooks *const *slot,
		       void (*take)(const struct heap_gone *block, bool mapped));

#endif
