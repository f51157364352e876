/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_HOST_H
#define MEMSEARCH_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "memsearch/interval.h"
#include "memsearch/property.h"
#include "memsearch/region.h"
#include "memsearch/request.h"

/*
 * The functions that the search engine offers to a strategy. A strategy resolves no symbol of
 * memsearch; it calls through this table, on the thread that called the strategy, and does not keep
 * the table.
 *
 * Functions that fill an array `out` write at most `room` items and return how many there are.
 * Strings and verdicts belong to the engine and are valid until the strategy returns.
 *
 * MS_HOST_ABI is the version of the binary interface: raised when a field changes its meaning. New
 * functions are appended; check `size` before using one.
 */
#define MS_HOST_ABI 2u

/*
 * A hypothesis to test: property P holds for focus F (a region, and optionally one thread) during
 * interval I.
 */
struct ms_candidate {
	uint32_t property; /* index, from host->property_find */
	uint32_t region;
	uint32_t thread;   /* or MS_REQUEST_ALL_THREADS */
	uint32_t interval; /* or MS_INTERVAL_WHOLE */
	uint32_t parent;   /* history node this one refines, or MS_NODE_NONE */
	int32_t priority;  /* higher is tried first; 0 is normal */
};
#define MS_NODE_NONE UINT32_MAX

/* state of one node (a candidate that was submitted) of the search history graph */
enum ms_node_state {
	MS_NODE_PENDING, /* not measured yet */
	MS_NODE_ACTIVE,  /* being measured */
	MS_NODE_TRUE,
	MS_NODE_FALSE,
	MS_NODE_UNKNOWN,
	MS_NODE_DISCONTINUED, /* stopped, other candidates were preferred; not the same as false */
	MS_NODE_MISSED, /* measuring began too late in its interval: the program must run again */
	MS_NODE_STATES
};

struct ms_region_info {
	uint32_t id, parent;
	enum ms_region_kind kind;
	uint64_t key; /* equal in every run of the same program; 0: unknown */
};

/*
 * A part of the run: executions of the phase, or, without a phase, stretches of the program.
 * Intervals may overlap; one that contains all executions of another one is a parent of it.
 */
struct ms_interval_info {
	uint32_t id; /* from 1; MS_INTERVAL_WHOLE: all that is searched */
	enum ms_interval_kind kind;
	int open;            /* not ended: its values may change */
	uint64_t executions; /* so far */
	uint64_t parents;    /* bits 1 << id: the smallest intervals that contain it */
};

struct ms_address_range {
	uint64_t low, high;
}; /* data addresses [low, high) */

struct ms_host {
	uint32_t abi, size;
	void *ctx; /* first argument of every call */

	/* properties: the why-axis of the search */
	uint32_t (*property_count)(void *ctx);
	/* UINT32_MAX: none of that name */
	uint32_t (*property_find)(void *ctx, const char *name);
	const char *(*property_name)(void *ctx, uint32_t property);
	/* properties that refine no other */
	size_t (*property_roots)(void *ctx, uint32_t *out, size_t room);
	size_t (*property_children)(void *ctx, uint32_t property, uint32_t *out, size_t room);
	int (*property_applies)(void *ctx, uint32_t property, enum ms_region_kind kind);

	/* regions: the where-axis of the search */
	size_t (*region_children)(void *ctx, uint32_t region, struct ms_region_info *out,
				  size_t room);
	/* 0: no such region; else fills `out` */
	int (*region_info)(void *ctx, uint32_t region, struct ms_region_info *out);
	size_t (*region_threads)(void *ctx, uint32_t region, uint32_t *out, size_t room);
	struct ms_reading (*reading)(void *ctx, uint32_t region, uint32_t thread, uint32_t metric);

	/* the search history graph; unknown nodes: UNKNOWN, 0 and NULL */
	/* MS_NODE_NONE: never proposed */
	uint32_t (*node_find)(void *ctx, uint32_t property, uint32_t region, uint32_t thread,
			      uint32_t interval);
	enum ms_node_state (*node_state)(void *ctx, uint32_t node);
	int (*node_candidate)(void *ctx, uint32_t node, struct ms_candidate *out);
	const struct ms_verdict *(*node_verdict)(void *ctx, uint32_t node);

	void (*log)(void *ctx, const char *text);

	/* children of a region one by one, in the where-axis; MS_REGION_NONE: no more */
	uint32_t (*region_first_child)(void *ctx, uint32_t region);
	uint32_t (*region_next_sibling)(void *ctx, uint32_t region);

	/*
	 * Writes the value of each request to `out`, as `reading` returns it; for
	 * MS_REQUEST_ALL_THREADS the sum. All requests with an address range are measured together,
	 * by counting and simulating the recorded accesses once: pass all requests in one call.
	 * Ranges work only in the search after the run, and for metrics that are sums over recorded
	 * or simulated accesses. Otherwise, or if `reading` has no value, the result has a reason.
	 * flags and kinds must be 0.
	 */
	void (*measure)(void *ctx, const struct ms_request *requests, size_t nr,
			struct ms_reading *out);
	/*
	 * Address ranges that the data structure of a DATA_STRUCTURE region had while its accesses
	 * were recorded. 0: unknown.
	 */
	size_t (*region_memory)(void *ctx, uint32_t region, struct ms_address_range *out,
				size_t room);

	/*
	 * Whether a hint of the property of the candidate's parent points at it. Hints order
	 * refinements; the engine tries hinted candidates first among those of one priority.
	 */
	int (*is_hinted)(void *ctx, const struct ms_candidate *candidate);

	/*
	 * Zeroed memory for the strategy's state, the engine's until the engine ends; there is no
	 * way to free it. NULL: none. malloc would be the heap of the user's program.
	 */
	void *(*allocate)(void *ctx, size_t bytes);
	/*
	 * By-product: from now on each experiment that records no accesses measures this metric,
	 * too, on all threads in regions of these kinds (bits 1 << enum ms_region_kind), as far as
	 * the overhead limit allows. `reading` has the values. Nothing is measured for it alone,
	 * and no candidate waits for it. To be called in ms_strategy.init; not for counters.
	 */
	void (*by_product)(void *ctx, uint32_t metric, uint32_t kinds);
	/*
	 * Part of the samples, above 0 to 1, from which a region is frequent: --deep-threshold, in
	 * Deep Start the deep-starter threshold.
	 */
	double (*deep_threshold)(void *ctx);
	/*
	 * Intervals: the when-axis of the search. The engine itself tests what is true, and true in
	 * no region or thread inside, in the intervals within that of the node.
	 */
	int (*interval_info)(void *ctx, uint32_t interval, struct ms_interval_info *out);
};

#endif
