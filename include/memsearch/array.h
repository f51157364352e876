/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAY_H
#define MEMSEARCH_ARRAY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * One data structure: name, type, extents and size, from debugging information, symbols and
 * allocations. The function that fills the struct states who owns the strings.
 */
enum array_kind {
	ARRAY_STATIC,
	ARRAY_COMMON,
	ARRAY_MODULE,
	ARRAY_HEAP,
	ARRAY_STACK,
	ARRAY_THREAD_PRIVATE,
	ARRAY_KINDS
};

#define ARRAY_NONE UINT32_MAX /* in none of the arrays */
#define ARRAY_DIMENSIONS 15   /* Fortran 2018, 5.4.6 */

struct array {
	uint32_t id;  /* dense, from 0 */
	uint8_t kind; /* enum array_kind */
	/*
	 * as the programmer wrote it; COMMON members "block/member"; heap without a variable:
	 * "file:line" of its allocation; "" unknown
	 */
	const char *name;
	/* of an element, "double", "real(8)", "struct particle"; "" unknown */
	const char *type;
	const char *file;       /* of the declaration, or of the allocation; "" unknown */
	int line;               /* 0 unknown */
	const char *module;     /* path of the file it is in; "" heap, stacks */
	uint32_t element_bytes; /* 0 unknown */
	uint32_t nr_dimensions; /* 0: scalar or unknown */
	/* bounds in the order of the source; an unknown extent is 0 */
	int64_t lower[ARRAY_DIMENSIONS];
	uint64_t extent[ARRAY_DIMENSIONS];
	bool column_major;
	uint64_t bytes;               /* of its largest state so far */
	uint64_t blocks, live_blocks; /* of heap arrays; else 1 */
	/* of heap arrays: code address of the allocation in the program; else 0 */
	uint64_t site;
	uintptr_t start; /* of its first block */
};

#endif
