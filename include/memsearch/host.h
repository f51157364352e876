/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_HOST_H
#define MEMSEARCH_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "memsearch/property.h"
#include "memsearch/region.h"
#include "memsearch/request.h"

/*
 * What the search engine offers to a strategy. A strategy resolves no symbol
 * of memsearch; it calls through this table, on the thread that called the
 * strategy, and does not keep the table.
 *
 * The version of the binary interface: raised when a field changes its meaning.
 * New functions are appended; check `size` before using one.
 */
#define MS_HOST_ABI 1u

/* A candidate: property P asked about focus F (region, and optionally one thread). */
struct ms_candidate {
	uint32_t property; /* index, from host->property_find */
	uint32_t region;
	uint32_t thread;  /* or MS_REQUEST_ALL_THREADS */
	uint32_t parent;  /* history node this one refines, or MS_NODE_NONE */
	int32_t priority; /* higher is tried first; 0 is normal */
};
#define MS_NODE_NONE UINT32_MAX

/* of one node of the search history graph */
enum ms_node_state {
	MS_NODE_PENDING, /* waits for its turn */
	MS_NODE_ACTIVE,  /* being measured */
	MS_NODE_TRUE,
	MS_NODE_FALSE,
	MS_NODE_UNKNOWN,
	MS_NODE_DISCONTINUED, /* discontinued in favour of others; not the same as false */
	MS_NODE_STATES
};

struct ms_region_info {
	uint32_t id, parent;
	enum ms_region_kind kind;
	uint64_t key; /* equal in every run of the same program; 0: unknown */
};

struct ms_address_range {
	uint64_t low, high;
}; /* data addresses [low, high) */

struct ms_host {
	uint32_t abi, size;
	void *ctx; /* first argument of every call */

	/* properties and the why-axis */
	uint32_t (*property_count)(void *ctx);
	/* UINT32_MAX: none of that name */
	uint32_t (*property_find)(void *ctx, const char *name);
	const char *(*property_name)(void *ctx, uint32_t property);
	/* properties that refine no other */
	size_t (*property_roots)(void *ctx, uint32_t *out, size_t room);
	size_t (*property_children)(void *ctx, uint32_t property, uint32_t *out, size_t room);
	int (*property_applies)(void *ctx, uint32_t property, enum ms_region_kind kind);

	/* regions and the where-axis */
	size_t (*region_children)(void *ctx, uint32_t region, struct ms_region_info *out,
				  size_t room);
	/* 0: no such region */
	int (*region_info)(void *ctx, uint32_t region, struct ms_region_info *out);
	size_t (*region_threads)(void *ctx, uint32_t region, uint32_t *out, size_t room);
	struct ms_reading (*reading)(void *ctx, uint32_t region, uint32_t thread, uint32_t metric);

	/* the search history graph */
	/* MS_NODE_NONE: not asked yet */
	uint32_t (*node_find)(void *ctx, uint32_t property, uint32_t region, uint32_t thread);
	enum ms_node_state (*node_state)(void *ctx, uint32_t node);
	int (*node_candidate)(void *ctx, uint32_t node, struct ms_candidate *out);
	const struct ms_verdict *(*node_verdict)(void *ctx, uint32_t node);

	void (*log)(void *ctx, const char *text);

	/* the where-axis, region by region; MS_REGION_NONE: no more */
	uint32_t (*region_first_child)(void *ctx, uint32_t region);
	uint32_t (*region_next_sibling)(void *ctx, uint32_t region);

	/*
	 * Values of requests, in `out`, as `reading` returns them (of all threads: the sum).
	 * Requests with an address range are measured by counting and simulating the recorded
	 * accesses once for all of them; pass all requests in one call. This works in the search
	 * after the run, for metrics that are sums over recorded or simulated accesses. Otherwise,
	 * or if `reading` has no value, the reading has a reason. flags and kinds must be 0.
	 */
	void (*measure)(void *ctx, const struct ms_request *requests, size_t nr,
			struct ms_reading *out);
	/*
	 * Addresses of the data structure of a DATA_STRUCTURE region while its accesses were
	 * recorded, at most `room`; returns their number. 0: unknown.
	 */
	size_t (*region_memory)(void *ctx, uint32_t region, struct ms_address_range *out,
				size_t room);

	/*
	 * Whether a hint of the property of the candidate's parent points at it. Hints order
	 * refinements; the engine tries hinted candidates first among those of one priority.
	 */
	int (*is_hinted)(void *ctx, const struct ms_candidate *candidate);
};

#endif
