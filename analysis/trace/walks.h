/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_WALKS_H
#define MEMSEARCH_TRACE_WALKS_H

#include "analysis/simulator/simulator.h"
#include "analysis/trace/stretches.h"
#include "analysis/trace/trace.h"

/*
 * From a thread's trace to the walks that the simulator takes. Where an address lies in the modelled machine, and what it is
 * counted for, says the user; a walk that leaves such a place is cut there.
 */
#define WALKS_AT_ONCE 256                /* a group at least; more do not stay in the first-level cache */
#define WALKS_PLACES 1024                /* a power of two; sites beyond share entries, which costs time only */
#define WALKS_NO_SITE UINT32_MAX         /* memcpy and the like */

/* Addresses [low, high) of one site count for `slot`, and lie at address + shift in the modelled machine. */
struct walks_place { uint64_t low, high, shift; uint32_t slot; };
typedef void walks_find(void *ctx, uint32_t site, uint64_t address, struct walks_place *out);

struct walks_known {                     /* of a site: the place it was in last, and its walks there */
	struct walks_place place;
	struct simulator_walk walk;      /* one time; its address is missing */
	uint32_t site;
	struct record_terms terms;
};

struct trace_walks {
	struct trace *trace;
	walks_find *find;
	void *ctx;
	/* of the entry under way */
	uint64_t done;                   /* times of a loop */
	uint32_t at, site, piece;        /* word and site in it, and which of its accesses */
	uint64_t range;                  /* bytes of that one that are done */
	uint64_t skipped;                /* accesses whose size is not known or cannot be, and words that are no record */
	struct walks_known known[WALKS_PLACES];
	uint64_t words[TRACE_PIECE_WORDS];       /* of one time of a loop that is taken word by word */
	struct simulator_walk walks[WALKS_AT_ONCE];
};

void trace_walks_init(struct trace_walks *walks, struct trace *trace, walks_find *find, void *ctx);
/* What `find` says has changed. */
void trace_walks_forget(struct trace_walks *walks);
/* As struct simulator_trace: up to the next mark, or to what is there now. Valid until the next call. */
size_t trace_walks_next(void *walks, const struct simulator_walk **out);

#endif
