/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REMEDIES_REMEDY_H
#define MEMSEARCH_REMEDIES_REMEDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/machine/model.h"
#include "analysis/simulation/placement.h"

/*
 * Changes of a program or of how it is started, tried by simulating its record once more: with
 * threads on other cores, pages on other nodes, arrays laid out anew, or on another machine. To add
 * one: its row in REMEDY_LIST, what it changes in prepare() of remedy.c, when it is tried unasked
 * in propose.c.
 */
struct arena;
struct numa_ranking;
struct page_uses;
struct run;

/*  X(ID, name, takes an array) */
/* clang-format off */
#define REMEDY_LIST(X) \
	X(FIRST_TOUCH, "first-touch", false)     /* each page on the node that gets most of its lines */ \
	X(INTERLEAVE, "interleave", false)       /* pages interleaved over the nodes */ \
	X(REPLICATE, "replicate", true)          /* each node has a copy of what nothing writes */ \
	X(PAD_ROWS, "pad-rows", true)            /* the leading dimension is longer by a line */ \
	X(PAD_ELEMENTS, "pad-elements", true)    /* each element takes whole lines */ \
	X(ALIGN, "align", true)                  /* the array begins with a line */ \
	X(SPLIT, "split", true)                  /* an array for each field of the elements */ \
	X(MERGE, "merge", true)                  /* elements with the same index beside each other */ \
	X(CLOSE, "close", false)                 /* threads on neighbouring cores */ \
	X(SPREAD, "spread", false)               /* threads far from each other */ \
	X(HUGE_PAGES, "huge-pages", false) \
	X(MACHINE, "machine", true)              /* another one: its name in the place of an array */
/* clang-format on */

enum remedy_kind {
#define X(id, name, array) REMEDY_##id,
	REMEDY_LIST(X)
#undef X
		REMEDY_KINDS
};

struct remedy {
	enum remedy_kind kind;
	uint32_t array;      /* RUN_ARRAY_NONE: of none, or of all that it applies to */
	const char *words;   /* "pad-rows:u": what the user types */
	const char *change;  /* what to change in the program or its environment */
	const char *refused; /* why it cannot be tried; NULL: it can, with: */
	struct machine_model model;
	struct placement placement;
};

/* What the run was simulated with, and what is known of it then. */
struct remedy_base {
	const struct run *run;
	const struct machine_model *model;
	const struct placement *placement;
	const struct page_uses *uses; /* of the run as it is */
	const struct numa_ranking *ranking;
	const char *places; /* of the threads, as asked for; NULL: the default */
	/* The model of that name, after a message; NULL: there is none. */
	const struct machine_model *(*machine)(void *ctx, struct arena *arena, const char *name);
	void *machine_ctx;
};

/* Whether the word is a remedy: its name, or that and a colon. */
bool remedy_is(const char *word);
/*
 * False: there is no such array in the run; its name is *name_out. What the machine or the array
 * does not allow is remedy->refused.
 */
bool remedy_read(struct arena *arena, const char *word, const struct remedy_base *base,
		 struct remedy *out, const char **name_out);
/* Fills words, change, and what is simulated, for kind and array. */
void remedy_prepare(struct arena *arena, const struct remedy_base *base, struct remedy *remedy);
/* Remedies that may help, at most `room`; returns how many. */
size_t remedies_propose(struct arena *arena, const struct remedy_base *base, struct remedy *out,
			size_t room);

#endif
