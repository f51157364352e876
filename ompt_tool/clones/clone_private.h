/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_CLONE_PRIVATE_H
#define MEMSEARCH_CLONES_CLONE_PRIVATE_H

#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/clone_calls.h"
#include "ompt_tool/clones/copy.h"

/*
 * Permanent data of clones, with the mapping of their addresses to originals. A batch has the
 * clones of one call of clone_make, which are entered only when it is complete.
 *
 *     prepare ─▶ copy ─▶ unwind information ─▶ link (exits) ─▶ atlas, entries
 */
struct arena;

struct clone_data {
	struct clone clone;
	struct code_bounds bounds;
	uint64_t module;  /* callee_identity of the original */
	const void *code; /* copy of the original's bytes */
	/* `leaders` and `exits` are in the batch's arena, the rest is permanent */
	struct copy copy;
	uint32_t left; /* depth of callees cloned with it */
	bool runtime_calls_it;
	const char *dropped;          /* why it must not be run; NULL: it may */
	struct clone_data *older;     /* earlier clone of the same function */
	struct clone_data *next;      /* of the batch */
	struct clone_data *published; /* the one published before it */
};

struct batch {
	struct arena *arena;
	/* for data of one function while it is copied; cleared after each */
	struct arena *reading;
	const struct clone_options *options;
	uintptr_t module; /* load address of the requested function's module */
	struct clone_data *first, *last;
	struct wanted *wanted, *wanted_last; /* a queue; `wanted` is the next */
};

/* A function to be cloned in this batch. */
struct wanted {
	uintptr_t function;
	uint32_t left;
	struct wanted *next;
	bool runtime_calls_it;
};

/*
 * The newest clone of the function that has these probes, whose callees were cloned at least to
 * this depth, and that every caller may run. NULL: there is none.
 */
struct clone_data *clone_data_find(uintptr_t function, uint32_t probes, uint32_t left,
				   bool runtime_calls_it);

/* The newest clone of the function, with any probes. */
struct clone_data *clone_data_newest(uintptr_t function);

/* prepare.c: reads and copies one function. NULL: refused, with an entry in refusals.c. */
struct clone_data *prepare(struct batch *batch, const struct wanted *wanted);

/*
 * linkage_reads.c: adds the reads of calls and jumps through linkage tables; before the graph.
 * False: no memory.
 */
bool linkage_reads_add(struct arena *arena, struct code *code);

/* link.c */
struct clone_data *batch_find(const struct batch *batch, uintptr_t function);
/* Adds the copy's callees that may be cloned in this batch to `wanted`. False: no memory. */
bool link_want(struct batch *batch, const struct clone_data *data);
/*
 * Sets targets of calls and jumps to clones or guards, and counts the others. False: the copy must
 * not be run.
 */
bool link_exits(const struct batch *batch, const struct clone_data *data);

/* refusals.c: refused functions and missed calls, permanent */
struct arena *permanent_arena(void); /* for permanent data; NULL: no memory */
void refusals_add(uintptr_t function, uintptr_t at, const char *why);
const char *refusals_find(uintptr_t function);             /* why; NULL: not refused */
void refusals_add_missed(const struct clone_missed *miss); /* one call; copies `name` */

/* atlas.c: any thread, no lock */
/* one thread at a time; false: no memory */
bool atlas_add(const struct clone_data *data);
const struct clone_data *atlas_find(uintptr_t address); /* the clone around it; NULL: none */
uintptr_t atlas_original(const struct clone_data *data, uintptr_t address);

#endif
