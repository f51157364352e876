/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROPERTIES_EVALUATION_H
#define MEMSEARCH_PROPERTIES_EVALUATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/measurement.h"
#include "memsearch/property.h"
#include "memsearch/region.h"
#include "memsearch/status.h"

/* Evaluation of a property over a context: the values of one region and of those around it. */
struct arena;
struct property;

/*
 * A metric over all threads of a region: what sum, mean, count, max, min and imbalance are made of.
 */
struct property_totals {
	uint32_t threads;        /* that took part in the region … */
	uint32_t nr, nr_nonzero; /* … and have a value */
	/* MS_PRESENT: all have. Of several reasons the first other than NOT_EXECUTED */
	enum ms_missing missing;
	enum ms_rung rung;     /* the weakest of theirs */
	double sum, sum_error; /* errors added as those of independent values */
	struct {
		double value, error;
	} max, min;
};

/*
 * Memory that an evaluation needs, some 80 KB: kept by callers that evaluate often, for one
 * evaluation at a time. NULL: no memory.
 */
struct property_workspace;
struct property_workspace *property_workspace_new(struct arena *arena);

/*
 * Where a property gets its numbers from: implemented by the performance database
 * and, in tests, by tables. All values are scaled to one mean execution of the phase.
 */
struct property_context {
	void *data;
	struct property_workspace *workspace; /* NULL: mapped for each evaluation */
	/*
	 * Changes whenever a value, a region or the focus on threads does: formulas evaluated in
	 * the workspace are kept for all properties until then. 0: for one evaluation. Below 2^63.
	 */
	uint64_t state;
	uint32_t region;
	/*
	 * Shifts every bound of the condition by this fraction of itself: positive is harder to
	 * prove. For hysteresis: +0.05 for what was not true so far, -0.05 for what was. 0: none.
	 */
	double bias;
	/* Value of a metric in a region on a thread. */
	struct ms_reading (*reading)(void *data, uint32_t region, uint32_t thread, uint32_t metric);
	/*
	 * The same over all its threads, as `reading` would tell one by one; NULL: ask one by one.
	 * The result holds until the next call.
	 */
	const struct property_totals *(*totals)(void *data, uint32_t region, uint32_t metric);
	/*
	 * Threads that took part in the region, ascending, at most `room`; returns how many there
	 * are.
	 */
	size_t (*threads)(void *data, uint32_t region, uint32_t *out, size_t room);
	/* Executions of the region per mean execution of the phase, over all threads' maximum. */
	struct ms_reading (*executions)(void *data, uint32_t region);
	uint32_t (*parent)(void *data, uint32_t region);
	enum ms_region_kind (*kind)(void *data, uint32_t region);
	size_t (*children)(void *data, uint32_t region, uint32_t *out, size_t room);
	/*
	 * Constants of the machine and the run by name ("cpus", "nodes", "phase_executions",
	 * "sampling_hz" …).
	 */
	struct ms_reading (*constant)(void *data, const char *name);
};

/*
 * It reads a constant of something not requested (ms_missing_unasked), such as a modelled machine:
 * it is no candidate.
 */
bool property_is_unasked(const struct property *property, const struct property_context *context);

/*
 * Evaluates; deterministic, no allocation where there is a workspace, but where teams are large;
 * any thread. MS_ERR_MEMORY.
 */
enum ms_status property_evaluate(const struct property *property,
				 const struct property_context *context,
				 struct ms_verdict *verdict_out);

/*
 * The threads a by-thread finding names (those beyond the property's own bound), worst first, at
 * most `room`; returns how many there are. Of a property that names nodes only: the region's
 * threads on these.
 */
size_t property_threads(const struct property *property, const struct property_context *context,
			uint32_t *out, size_t room);
/*
 * The NUMA nodes it names, by the kernel's numbers, likewise; none where the node of one of the
 * threads is not known.
 */
size_t property_nodes(const struct property *property, const struct property_context *context,
		      uint32_t *out, size_t room);

#endif
