/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_SIMULATION_PLACES_H
#define MEMSEARCH_TRACE_SIMULATION_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/simulator/simulator.h"
#include "analysis/trace/blocks.h"

/* Data and threads of the program on the modelled machine: the places of a simulation. */

/* Memory [low, high) of the program is on the node, or SIMULATOR_EVERYWHERE. */
struct simulation_home {
	uint64_t low, high;
	uint32_t node;
};

/*
 * Layout of an array: each `unit` bytes take `padded` bytes (at least `unit`), from an address that
 * is a multiple of `align`, a power of two; 0: unchanged.
 */
struct simulation_layout {
	uint32_t array;
	uint64_t unit, padded, align;
	/*
	 * Each unit is divided into parts of these bytes, a divisor of `unit`; first come the first
	 * parts of all units, then the second ones. 0: units stay whole.
	 */
	uint64_t part;
	/*
	 * Units of all merged arrays lie in one block, those of this one at byte `at` of each `padded`
	 * bytes. Blocks of another size than the first one's stay apart.
	 */
	bool merged;
	uint64_t at;
};

/*
 * Addresses of the program's data, and the placement of data and threads on the modelled machine.
 */
struct simulation_places {
	/*
	 * The array and block that contained an address at a time in [since, until], or its page,
	 * as array_or_page_at.
	 */
	void (*at)(void *ctx, uint64_t address, uint64_t since, uint64_t until,
		   struct array_place *out);
	/*
	 * Narrows a block to the part that accesses count for; the block stays contiguous on the
	 * modelled machine. NULL: all of it.
	 */
	void (*narrow)(void *ctx, uint64_t address, struct array_place *place);
	void *ctx;
	uint64_t stack_end; /* begin of the initial thread's stack */
	/*
	 * of the model, by thread, all different; NULL: thread i runs on core i. The caller keeps
	 * it until simulation_free
	 */
	const uint32_t *cores;
	bool on_node; /* all pages are on `node`, instead of by first touch */
	uint32_t node;
	/*
	 * The thread that first touched all of the array, for pages unknown to page_touches.h;
	 * UINT32_MAX: none. NULL: unknown.
	 */
	uint32_t (*toucher)(void *ctx, uint32_t array);
	/* by address; pages with another placement than by first touch … */
	const struct simulation_home *homes;
	size_t nr_homes;
	/* … and arrays with another layout; the caller owns both */
	const struct simulation_layout *layouts;
	size_t nr_layouts;
};

#endif
