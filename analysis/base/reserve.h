/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_RESERVE_H
#define MEMSEARCH_BASE_RESERVE_H

#include <stddef.h>

/*
 * Address space for tables that grow: zeroed, taken by the page when it is first written, never in
 * huge pages (a sparse table would fill memory), zeroed again in a fork's child. NULL: the kernel
 * refuses. Never given back by the tables. Any thread; no malloc; errno is kept.
 */
void *reserve(size_t bytes);
/* The same, but a fork's child finds what the parent wrote. */
void *reserve_kept(size_t bytes);
void reserve_undo(void *memory, size_t bytes);
/*
 * How many times to halve tables of `bytes` in all so that they take at most a table's part of what
 * the limits leave (memory_left.h): the rest is the program's.
 */
unsigned int reserve_halvings(size_t bytes);

#endif
