/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIR_H
#define MEMSEARCH_SIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/debuginfo/declared.h"
#include "memsearch/region.h"
#include "memsearch/status.h"

/*
 * The standard intermediate representation of a program (Seragiotto, Truong, Fahringer, Mohr,
 * Gerndt, Li: the SIR of Periscope): the regions that its file declares, executed or not, their
 * calls, and the arrays that each uses. From the ELF file alone; nothing is executed.
 *
 *     functions.c ─▶ function ─▶ code_regions.c ─▶ loops, constructs ─▶ read.c: tree ─▶ print_sir.c
 *                       runtime_calls.c: entries of the OpenMP runtimes ┘  uses.c: arrays ┘
 *
 * Kinds of regions are those of the search (memsearch/region.h). A parallel construct or task has
 * the contents of its outlined function. Work-shared loops have no region of their own for the loop
 * that the threads divide. Loops of one line below one region, as vectorised and remainder loops,
 * are one region.
 */
struct arena;
struct text;

#define SIR_NONE UINT32_MAX

struct sir_use {
	uint32_t array; /* index into sir->arrays.items */
	/* of its data; neither: its address is taken, or the pointer to them is read or written */
	bool reads, writes;
};

struct sir_call {
	const char *name; /* "" unknown */
	uint32_t region;  /* of the function; SIR_NONE: not in this file, or unknown */
	int line;         /* 0 unknown */
};

struct sir_region {
	uint8_t kind;         /* enum ms_region_kind */
	uint32_t parent;      /* SIR_NONE: outermost */
	uint32_t first, next; /* child, sibling; SIR_NONE: none */
	uint32_t last;        /* child */
	const char *name;     /* function as the source has it; "" unknown */
	const char *file;     /* "" unknown */
	int line, last_line;  /* 0 unknown */
	bool approximate;     /* the line is near the construct */
	uint64_t address; /* in the file: of the function, the loop's header, the runtime call */
	uint64_t bytes;   /* of functions and outlined functions; else 0 */
	uint32_t copies;  /* in the code: unrolled, vectorised …; else 1 */
	uint32_t same;    /* region with the contents of the same outlined function; SIR_NONE */
	bool incomplete;  /* a jump's targets are unknown: loops may be missing */
	struct sir_call *calls; /* each callee and line once */
	struct sir_use *uses;   /* by array */
	size_t nr_calls, calls_room, nr_uses, uses_room;
};

struct sir {
	struct arena *arena;
	bool all; /* code and arrays without debugging information, too, where the file has some */
	bool has_lines;                                /* the file has debugging information */
	const char *program, *build_id, *architecture; /* build_id: "" none */
	struct sir_region *regions;
	size_t nr_regions, regions_room;
	struct declared_list arrays;
	const char **gaps; /* sentences: what is unknown, and why */
	size_t nr_gaps, gaps_room;
};

/*
 * MS_ERR_NOT_FOUND: it is no ELF file or cannot be read. All lives in `arena`. `all`: see struct
 * sir.
 */
enum ms_status sir_read(struct arena *arena, const char *path, bool all, struct sir *out);

/* Whether uses of this variable are reported: an array, or what points to data. */
bool sir_is_array(const struct sir *sir, const struct declared *declared);

/* As XML of schema/memsearch-sir-1.xsd. */
void sir_print(struct text *out, const struct sir *sir);

#endif
