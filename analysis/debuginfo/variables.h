/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DEBUGINFO_VARIABLES_H
#define MEMSEARCH_DEBUGINFO_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/debuginfo/declared.h"

/*
 * Variables with static storage as a file's DWARF has them, and the pointers in those that are
 * structures. One variable may come several times: declared.c makes one of them.
 */
struct data_symbols;

/* Which of two descriptions of one address is taken. */
enum variable_source { VARIABLE_DEFINED, VARIABLE_DECLARED, VARIABLE_SYMBOL };

struct variable {
	struct declared declared;
	enum variable_source source;
	bool part; /* of a structure: one of its arrays, or what is between them */
};

struct variables {
	struct arena *arena;   /* for strings that stay */
	struct arena *scratch; /* for all else, `items` too */
	struct binary *binary;
	const struct data_symbols *symbols;
	const char *module; /* path of the file */
	struct variable *items;
	size_t nr, room;
	struct declared_automatic *automatic; /* in `arena` */
	size_t nr_automatic, room_automatic, nr_scalars;
	struct declared_automatic *members; /* of structures in frames; in `arena` */
	size_t nr_members, room_members;
	bool damaged;            /* a tree of DIEs did not end, or went too deep */
	bool elsewhere;          /* a unit's split part (.dwo) is missing */
	bool full;               /* memory did not suffice */
	size_t units, unlocated; /* variables whose location could not be read */
};

void variables_read(struct variables *variables);

#endif
