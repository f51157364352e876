/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_COPY_H
#define MEMSEARCH_CLONES_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/code/control_flow.h"
#include "analysis/code/liveness.h"
#include "ompt_tool/clones/code_memory.h"
#include "ompt_tool/clones/unwind.h"

/*
 * Writes the copy of one function with probes; the architecture's part of clones/ (x86_64/). The
 * caller resolves exits of the copy, as it knows the other clones.
 */
struct copy_request {
	const struct code *code;
	const struct graph *graph;
	const struct liveness *live;
	uint32_t probes;     /* enum clone_probes */
	uint32_t number;     /* of the clone */
	uint32_t first_loop; /* number of graph->loops[0] */
	/* number of the function, where it has one, for what is in no loop; 0: none */
	uint32_t around_loops;
	/* in addition to the begin: blocks to which other code jumps */
	const uintptr_t *entries;
	size_t nr_entries;
};

enum copy_exit_kind { COPY_CALL, COPY_TAIL_JUMP, COPY_CALL_INDIRECT, COPY_CALL_LINKED };

/* a call or jump to other code, initially to the original */
struct copy_exit {
	/*
	 * enum copy_exit_kind; INDIRECT and LINKED (through a module's table) cannot be redirected
	 */
	uint8_t kind;
	unsigned char *field; /* displacement that copy_lead sets */
	uintptr_t field_run;
	/* original; 0: known at run time only. LINKED: entry of the table */
	uintptr_t target;
	uint32_t block;                /* of the graph, that ends in it */
	uint32_t first_site, nr_sites; /* see control_equivalence.h */
};

struct copy_place {
	uintptr_t original, copy;
};

struct copy {
	struct text *text;
	uintptr_t code, code_end; /* the whole copy; callers enter at `code` */
	/* code after it belongs to single instructions of the body, see `behind` */
	uintptr_t body_end;
	struct unwind_place *places; /* of the body: from code->start and `code` on */
	size_t nr_places;
	struct copy_place *behind; /* begins of pieces after the body, sorted by `copy` */
	size_t nr_behind;
	/*
	 * instructions that are twice in the body, sorted by `copy`; original 0: the body continues
	 * there
	 */
	struct copy_place *within;
	size_t nr_within;
	struct copy_place *after_calls; /* return points of calls */
	size_t nr_after_calls;
	struct copy_place *leaders; /* the request's entries, to which other copies may jump */
	size_t nr_leaders;
	struct copy_exit *exits;
	size_t nr_exits;
	uint32_t nr_sites;
};

/* False: refused (*why_out, *at_out), no text is used. All data but the code is in the arena. */
bool copy_write(struct arena *arena, const struct copy_request *request, struct copy *out,
		const char **why_out, uintptr_t *at_out);
/*
 * Sets the target of an exit, at any distance. False: no space for the jump, the exit leads to the
 * original.
 */
bool copy_lead(const struct copy *copy, const struct copy_exit *exit, uintptr_t target);

/* Why copies are not supported on this CPU or architecture; NULL: supported. */
const char *copy_unsupported(void);

#endif
