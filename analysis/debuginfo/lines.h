/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DEBUGINFO_LINES_H
#define MEMSEARCH_DEBUGINFO_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/debuginfo/compilation_units.h"

/*
 * Address → line of the source, with the functions inlined there. States what
 * the line table says, not what an OpenMP construct's line is (construct.h).
 */
#define PLACE_FRAMES_MAX 32

struct place_frame {
	const struct frame *frame; /* of the unit, or `bare` */
	const char *path;          /* of the code in this frame; "" unknown */
	int line;                  /* 0 unknown */
};

struct place {
	struct unit *unit;
	uint64_t function_low, function_high;
	uint64_t row;      /* first address of the row of the line table */
	int column;        /* 0 unknown */
	bool near;         /* the row had line 0: an earlier row's line was taken */
	struct frame bare; /* stands for a function DWARF has no entry for (clang -g1) */
	size_t nr_frames;  /* innermost first; at least 1 */
	struct place_frame frames[PLACE_FRAMES_MAX];
};

/* False: DWARF knows nothing about the address. place_out points into itself: do not copy it. */
bool lines_place(struct binary *binary, uint64_t address, struct place *place_out);

/* of the line table */
struct row {
	uint64_t address;
	int line, column; /* 0 unknown */
	bool statement;   /* begins a statement */
	bool end;         /* behind the last instruction */
	const char *path;
};

/* Calls back with every row in [low, high), by address, until `visit` returns false. */
void lines_visit(struct unit *unit, uint64_t low, uint64_t high,
		 bool (*visit)(void *context, const struct row *row), void *context);

#endif
