/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_COPY_H
#define MEMSEARCH_CLONES_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt_tool/clones/text.h"
#include "ompt_tool/clones/unwind.h"
#include "ompt_tool/code/graph.h"
#include "ompt_tool/code/liveness.h"

/*
 * One function's copy, written with probes; the one part of clones/ that an architecture makes
 * (x86_64/). What leads out of the copy is left to the caller, who knows which other functions have clones.
 */
struct copy_request {
	const struct code *code;
	const struct graph *graph;
	const struct liveness *live;
	uint32_t probes;                 /* enum clone_probes */
	uint32_t number;                 /* of the clone */
	uint32_t first_loop;             /* number of graph->loops[0] */
	const uintptr_t *entries;        /* besides the begin: begins of blocks to which other code jumps */
	size_t nr_entries;
};

enum copy_exit_kind { COPY_CALL, COPY_TAIL_JUMP, COPY_CALL_INDIRECT, COPY_CALL_LINKED };

struct copy_exit {                       /* a call or jump to other code, which now leads to the original */
	uint8_t kind;                    /* enum copy_exit_kind; INDIRECT and LINKED (through a module's table) cannot be redirected */
	unsigned char *field;            /* displacement to change by copy_lead */
	uintptr_t field_run;
	uintptr_t target;                /* original; 0: known at run time only. LINKED: the table's entry */
	uint32_t block;                  /* of the graph, that ends in it */
	uint32_t first_site, nr_sites;   /* see witness.h */
};

struct copy_place { uintptr_t original, copy; };

struct copy {
	struct text *text;
	uintptr_t code, code_end;        /* all of it; callers enter at `code` */
	uintptr_t body_end;              /* what lies behind belongs to single instructions above, see `behind` */
	struct unwind_place *places;     /* of the body: from code->start and `code` on */
	size_t nr_places;
	struct copy_place *behind;       /* begins of pieces behind the body, sorted by `copy` */
	size_t nr_behind;
	struct copy_place *within;       /* instructions that the body has twice, sorted by `copy`; original 0: the body continues there */
	size_t nr_within;
	struct copy_place *after_calls;  /* where calls return to */
	size_t nr_after_calls;
	struct copy_place *leaders;      /* the request's entries: where other copies may jump to */
	size_t nr_leaders;
	struct copy_exit *exits;
	size_t nr_exits;
	uint32_t nr_sites;
};

/* False: refused (*why_out, *at_out), nothing was taken from any text. All but the code is in the arena. */
bool copy_write(struct arena *arena, const struct copy_request *request, struct copy *out, const char **why_out, uintptr_t *at_out);
/* Leads an exit to an address in other code, however far away. False: no room for the way there, it leads to the original. */
bool copy_lead(const struct copy *copy, const struct copy_exit *exit, uintptr_t target);

/* Why no copies can be made by this CPU or architecture; NULL: they can. */
const char *copy_unsupported(void);

#endif
