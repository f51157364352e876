/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DEBUGINFO_DECLARED_H
#define MEMSEARCH_DEBUGINFO_DECLARED_H

#include <stddef.h>
#include <stdint.h>

#include "memsearch/array.h"

/*
 * Data structures that the program's files declare: variables with DWARF's name, type, bounds, file
 * and line; where there is no DWARF, the symbol table's names and sizes. Members of COMMON blocks
 * are arrays of their own; where the compiler does not describe them (flang) the block is one
 * array. Addresses are the process's: those in the file plus `bias`.
 *
 *     scopes.c  what surrounds a variable ┐
 *     types.c   element, bounds, pointers ├─▶ variables.c (DWARF) ─┐
 *     data_symbols.c  (symbol tables) ────┴────────────────────────┴─▶ declared.c: one list
 *
 * Names: a file's variable "u", in a C++ namespace or class "phys::field", in a Fortran module
 * "fields::grid", in a function "work::kept" (of a Fortran main program plain), in a COMMON block
 * "cons/dt", in blank COMMON "//u". What compilers made, string constants, tables of virtual
 * functions and the like are left out.
 */
struct arena;
struct binary;

/* one variable */
struct declared {
	/* of a pointer or descriptor: type, element and bounds of what it points to */
	struct array array;
	uint64_t address;    /* in the file */
	bool thread_private; /* address is an offset in the thread's TLS image */
	/* holds the address of a data structure: C pointer, C++ member named as in the source */
	bool pointer;
	/*
	 * a Fortran descriptor (allocatable, pointer, assumed shape), whose first word is the base
	 * address
	 */
	bool descriptor;
	/* a pointer or descriptor inside of another variable of the list: "s.p", "s%p" */
	bool member;
	uint64_t declared_bytes; /* of the variable itself */
};

/* A frame base is the canonical frame address or the number of a register, as DWARF has it. */
#define FRAME_BASE_CFA (-1)

struct declared_code {
	uint64_t low, high;
};

/*
 * An array in the frame of a function, or of what is inlined there, while that executes code from `low`
 * to `high` in the file. Outside of its block another variable may have its place. With `pointer` or
 * `descriptor`, as struct declared has them: a member of a structure there ("grid.values"), and of what
 * it points to.
 */
struct declared_automatic {
	struct array array;
	int64_t offset;                   /* bytes, from the frame base */
	uint64_t low, high;               /* of the function */
	const struct declared_code *code; /* of the block that it is in; nr_code 0: the function */
	uint32_t nr_code;
	uint64_t block; /* number of that block in the file; 0: none */
	int base;
	bool pointer, descriptor;
};

/* Whether it is in scope there. */
static inline bool declared_is_at(const struct declared_automatic *item, uint64_t address)
{
	bool found = !item->nr_code;

	for (uint32_t i = 0; i < item->nr_code; i++)
		found |= address >= item->code[i].low && address < item->code[i].high;
	return found && address >= item->low && address < item->high;
}

/* why: what could not be read; "" all was */
struct declared_list {
	struct declared *items;
	size_t nr;
	/*
	 * arrays of DECLARED_ELEMENTS_LEAST bytes or more, structures and arrays in structures of
	 * DECLARED_AUTOMATIC_LEAST, and the first DECLARED_SCALARS_MOST scalars of 4 bytes or more;
	 * at most DECLARED_AUTOMATIC_MOST
	 */
	struct declared_automatic *automatic;
	size_t nr_automatic;
	struct declared_automatic *members; /* pointers and descriptors */
	size_t nr_members;
	const char *why;
};
#define DECLARED_AUTOMATIC_LEAST 4096
#define DECLARED_ELEMENTS_LEAST 16 /* two counters that share a line */
#define DECLARED_AUTOMATIC_MOST 16384
#define DECLARED_SCALARS_MOST 4096

/*
 * Everything with static storage in one file, sorted by address, thread-private data behind it; but
 * for members, overlapping ones are one: the described one, else the larger. Not in callbacks. The
 * list and its strings live in `arena` and outlive `binary`. System libraries have symbols only
 * (binary_is_system_library).
 */
struct declared_list declared_read(struct arena *arena, struct binary *binary);

#endif
