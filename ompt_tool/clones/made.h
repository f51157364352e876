/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_MADE_H
#define MEMSEARCH_CLONES_MADE_H

#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/copy.h"

/*
 * Clones as they are kept: for good, and with what leads back from their addresses. A batch is what one call of
 * clone_make makes; its clones are entered only when it is complete.
 *
 *     prepare ─▶ copy ─▶ unwind information ─▶ link (exits) ─▶ atlas, entries
 */
struct arena;

struct made {
	struct clone clone;
	struct code_bounds bounds;
	uint64_t module;                 /* callee_identity of the original */
	const void *code;                /* the original's bytes, kept */
	struct copy copy;                /* `leaders` and `exits` are in the batch's arena, the rest for good */
	uint32_t left;                   /* so deep its callees were cloned with it */
	bool runtime_calls_it;
	const char *dropped;             /* why it must not be run, though it was copied */
	struct made *older;              /* clone of the same function */
	struct made *next;               /* of the batch */
	struct made *published;          /* the one published before, of all */
};

struct batch {
	struct arena *arena;
	struct arena *reading;           /* for what is known of one function while it is copied; cleared after each */
	const struct clone_options *options;
	uintptr_t module;                /* of the function asked for: where it is loaded */
	struct made *first, *last;
	struct wanted *wanted, *wanted_last;     /* a queue; `wanted` is the next */
};

/* A function that is to be cloned in this batch. */
struct wanted { uintptr_t function; uint32_t left; struct wanted *next; bool runtime_calls_it; };

/*
 * The newest clone of the function that has these probes, whose callees were cloned at least to this depth, and that
 * every caller may run. NULL: there is none.
 */
struct made *made_find(uintptr_t function, uint32_t probes, uint32_t left, bool runtime_calls_it);

/* The newest clone of the function, whatever it records. */
struct made *made_newest(uintptr_t function);

/* prepare.c: reads and copies one function. NULL: refused, which is noted. */
struct made *prepare(struct batch *batch, const struct wanted *wanted);

/* linked.c: calls and jumps through linkage tables read a word there, too; before the graph. False: no memory. */
bool linked_read(struct arena *arena, struct code *code);

/* link.c */
struct made *batch_find(const struct batch *batch, uintptr_t function);
/* Functions that the copy leads to and that may be cloned in this batch are wanted, too. False: no memory. */
bool link_want(struct batch *batch, const struct made *made);
/* Leads calls and jumps to clones of this batch, or to guards, and counts the others. False: the copy must not be run. */
bool link_exits(const struct batch *batch, const struct made *made);

/* notes.c: what was refused and missed, for good */
struct arena *notes_arena(void);         /* for what is kept for good; NULL: no memory */
void notes_refuse(uintptr_t function, uintptr_t at, const char *why);
const char *notes_refused(uintptr_t function);           /* why; NULL: it was not */
void notes_miss(const struct clone_missed *miss);          /* one call; a copy of `name` is kept */

/* atlas.c: any thread, no lock */
bool atlas_add(const struct made *made);                 /* one thread at a time; false: no memory */
const struct made *atlas_find(uintptr_t address);        /* the clone around it; NULL: none */
uintptr_t atlas_original(const struct made *made, uintptr_t address);

#endif
