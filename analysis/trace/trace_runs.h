/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_TRACE_RUNS_H
#define MEMSEARCH_TRACE_TRACE_RUNS_H

#include "analysis/simulator/simulator.h"
#include "analysis/trace/stretches.h"
#include "analysis/trace/trace.h"

/*
 * From a thread's trace to the runs that the simulator takes. Where an address lies in the modelled machine, and what it is
 * counted for, says the user; a run that leaves such a place is cut there.
 */
#define RUNS_AT_ONCE 256                /* a group at least; more do not stay in the first-level cache */
#define RUNS_PLACES 1024                /* a power of two; sites beyond share entries, which costs time only */
#define RUNS_NO_SITE UINT32_MAX         /* memcpy and the like */

/* Addresses [low, high) of one site count for `slot`, and lie at address + shift in the modelled machine. */
struct runs_place { uint64_t low, high, shift; uint32_t slot; };
typedef void runs_find(void *ctx, uint32_t site, uint64_t address, struct runs_place *out);

struct runs_known {                      /* of a site: the place it was in last, and its runs there */
	struct runs_place place;
	struct stride_run run;           /* one time; its address is missing */
	uint32_t site;
	struct record_terms terms;
};

struct trace_runs {
	struct trace *trace;
	runs_find *find;
	void *ctx;
	/* of the entry under way */
	uint64_t done;                   /* times of a loop */
	uint32_t at, site, piece;        /* word and site in it, and which of its accesses */
	uint64_t range;                  /* bytes of that one that are done */
	uint64_t skipped;                /* accesses whose size is not known or cannot be, and words that are no record */
	struct runs_known known[RUNS_PLACES];
	uint64_t words[TRACE_PIECE_WORDS];  /* of one time of a loop that is taken word by word */
	struct stride_run runs[RUNS_AT_ONCE];
};

void trace_runs_init(struct trace_runs *runs, struct trace *trace, runs_find *find, void *ctx);
/* What `find` says has changed. */
void trace_runs_forget(struct trace_runs *runs);
/* As struct simulator_trace: up to the next mark, or to what is there now. Valid until the next call. */
size_t trace_runs_next(void *runs, const struct stride_run **out);

#endif
