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
	ARRAY_AUTOMATIC, /* in the frame of a function, on the initial thread's stack */
	ARRAY_KINDS
};

#define ARRAY_NONE UINT32_MAX /* id of an address that belongs to no array */
/* maximum rank: Fortran 2018, 5.4.6 (C and C++ arrays with more are cut off) */
#define ARRAY_DIMENSIONS 15

struct array {
	uint32_t id;  /* dense, from 0 */
	uint8_t kind; /* enum array_kind */
	/*
	 * name in the source; COMMON members: "block/member"; heap blocks that no variable points
	 * to: "file:line" of their allocation; "" unknown
	 */
	const char *name;
	/* of an element, "double", "real(8)", "struct particle"; "" unknown */
	const char *type;
	const char *file; /* of the declaration, or of the allocation; "" unknown */
	int line;         /* 0 unknown */
	/* path of the executable or library that declares it; "" heap, stacks */
	const char *module;
	uint32_t element_bytes; /* 0 unknown */
	uint32_t nr_dimensions; /* 0: scalar or unknown */
	/* bounds in the order of the source; an unknown extent is 0 */
	int64_t lower[ARRAY_DIMENSIONS];
	uint64_t extent[ARRAY_DIMENSIONS];
	bool column_major;
	uint64_t bytes;               /* size; if it changes (heap): the largest so far */
	uint64_t blocks, live_blocks; /* heap arrays: allocated so far, and not freed; else 1 */
	/* of heap arrays: code address of the allocation in the program; else 0 */
	uint64_t site;
	uintptr_t start; /* of its first block */
};

/*
 * A variable below a cache line without bounds. It shares its page with others: first touches and
 * nodes of pages say nothing of it.
 */
#define ARRAY_SCALAR_BYTES 64
static inline bool array_is_scalar(const struct array *array)
{
	return array->bytes < ARRAY_SCALAR_BYTES && !array->nr_dimensions &&
	       (array->kind == ARRAY_STATIC || array->kind == ARRAY_COMMON ||
		array->kind == ARRAY_MODULE);
}

#endif
