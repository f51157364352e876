/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_DECLARED_H
#define MEMSEARCH_ARRAYS_DECLARED_H

#include <stddef.h>
#include <stdint.h>

#include "ompt_tool/arrays/array.h"

/*
 * Data structures that the program's files declare: variables with DWARF's name, type, bounds, file and line; where
 * there is no DWARF, the symbol table's names and sizes. Members of COMMON blocks are arrays of their own; where the compiler
 * does not describe them (flang) the block is one array. Addresses are the process's: those in the file plus `bias`.
 */
struct arena;
struct binary;

struct declared {                        /* one variable */
	struct array array;
	uint64_t address;                /* in the file */
	bool thread_private;             /* address is an offset in the thread's TLS image */
	bool pointer;                    /* holds the address of a data structure: C pointer, C++ member named as in the source */
	bool descriptor;                 /* a Fortran descriptor (allocatable, pointer, assumed shape), whose first word is the base address */
	uint64_t declared_bytes;
};

struct declared_list { struct declared *items; size_t nr; const char *why; };   /* why: what could not be read; "" all was */

/* Everything with static storage in one file, sorted by address; overlapping symbols are one, the larger. Not in callbacks. */
struct declared_list declared_read(struct arena *arena, struct binary *binary);

#endif
