/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_TRACE_RUNS_H
#define MEMSEARCH_TRACE_TRACE_RUNS_H

#include "analysis/simulator/simulator.h"
#include "analysis/trace/expand.h"
#include "analysis/trace/stretches.h"
#include "analysis/trace/trace.h"

/*
 * Converts a thread's trace to stride runs for the simulator. The caller's `find` gives the
 * modelled address and the slot of an access; a run is split where it leaves such a place.
 */
/* at least one group; more would not fit into the host's L1 */
#define RUNS_AT_ONCE 256
/* a power of two; further sites share entries, which only costs time */
#define RUNS_PLACES 1024
#define RUNS_NO_SITE UINT32_MAX /* RECORD_RANGE: memcpy, memmove, memset */

/* Addresses [low, high) of one site count for `slot`; their modelled address is address + shift. */
struct runs_place {
	uint64_t low, high, shift;
	uint32_t slot;
};
typedef void runs_find(void *ctx, uint32_t site, uint64_t address, struct runs_place *out);

/* of a site: its last place, and its run there */
struct runs_known {
	struct runs_place place;
	struct stride_run run; /* of one access, without address */
	uint32_t site;
	struct record_terms terms;
};

struct trace_runs {
	struct trace *trace;
	runs_find *find;
	void *ctx;
	/* of the current entry */
	uint64_t done;            /* times of a loop */
	uint32_t at, site, piece; /* position: word, site, access of the site */
	uint64_t range;           /* bytes of that access that are done */
	/* accesses of unknown or impossible size, and invalid words */
	uint64_t skipped;
	struct runs_known known[RUNS_PLACES];
	/* of one iteration of a loop that is converted word by word */
	uint64_t words[TRACE_PIECE_WORDS];
	struct stride_run runs[RUNS_AT_ONCE];
};

void trace_runs_init(struct trace_runs *runs, struct trace *trace, runs_find *find, void *ctx);
/* Call when the results of `find` change. */
void trace_runs_forget(struct trace_runs *runs);
/*
 * As struct simulator_trace: up to the next mark, or to what is there now. Valid until the next
 * call.
 */
size_t trace_runs_next(void *runs, const struct stride_run **out);

#endif
