/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_ORIGINS_H
#define MEMSEARCH_ARRAYS_ORIGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt_tool/arrays/heap.h"

/*
 * The call path of an allocation: from malloc's return address outwards to the program's own code.
 * Unwinds with libgcc's unwinder, which neither allocates nor locks with glibc since 2.35; with
 * older ones it takes the dynamic linker's lock.
 *
 * A row is one site and, if the site's function was called directly by other code of the program,
 * one caller: two callers of an allocation wrapper or a constructor have arrays of their own.
 * Unwinding takes some microseconds, so the distance on the stack from one frame to the next is
 * learned (call_paths.h), and later calls only read the return addresses.
 */

/* After owners_start. False: no memory. */
bool origins_start(void);
/*
 * The row of the allocation that returns to `caller`, on its own thread (`stack`: as in heap.h), or
 * of a path recorded earlier. ARRAY_NONE: not the program's memory, or the table is full.
 */
uint32_t origins_array(void *caller, const void *stack);
uint32_t origins_array_of_frames(void *const *frames, size_t nr);
/* Whether the OpenMP runtime, or memsearch, allocates it for its own use. */
bool origins_are_runtimes(void *caller);
/*
 * Number of the row's blocks created by an allocation, not by realloc or as the rest of a mapping.
 */
void origins_count_new(uint32_t array);
uint32_t origins_new(uint32_t array);
/* Copies the origin of a row to a further row. */
void origins_copy(uint32_t from, uint32_t to);

#endif
