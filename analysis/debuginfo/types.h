/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DEBUGINFO_TYPES_H
#define MEMSEARCH_DEBUGINFO_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "memsearch/array.h"

/*
 * What a variable's DWARF type says of it as a data structure: element, bounds in the order of the
 * source, whether it holds an address. Arrays of arrays are one array; a typedef names an element,
 * unless it stands for an array or a pointer.
 */
struct scopes;

struct type {
	/* of an element; "" unknown; lives in the arena of the scopes */
	const char *name;
	uint64_t element_bytes; /* 0 unknown */
	uint32_t nr_dimensions;
	int64_t lower[ARRAY_DIMENSIONS];
	uint64_t extent[ARRAY_DIMENSIONS]; /* 0 unknown */
	bool column_major;
	/* name, element and bounds are those of what it points to */
	bool pointer, descriptor;
	uint64_t bytes; /* of the variable; 0 unknown */
	bool has_record;
	Dwarf_Die record; /* a structure or class that is not in an array */
};

/*
 * Damaged types end somewhere, with what was found up to there. `language`: DW_LANG_… of the unit.
 */
struct type type_describe(struct scopes *scopes, int language, Dwarf_Die *type);

/* DW_AT_type of a DIE, or of the one it completes; false: none. */
bool type_of(Dwarf_Die *die, Dwarf_Die *type_out);

#endif
