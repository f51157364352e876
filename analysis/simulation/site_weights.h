/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_SITE_WEIGHTS_H
#define MEMSEARCH_SIMULATION_SITE_WEIGHTS_H

#include "analysis/counting/burst_weights.h"
#include "analysis/trace/trace_reader.h"

/*
 * The weights of bursts (counting/burst_weights.h) by site: the mean over the accesses that it has
 * in the current execution, as the simulation counts by site. One thread at a time.
 */
struct arena;
struct site_weights;

/* NULL: no memory. */
struct site_weights *site_weights_new(struct arena *arena, const struct burst_weights *weights,
				      const struct trace_reader *reader);
/* Reads the accesses of a decoded execution. */
void site_weights_read(struct site_weights *weights, size_t execution,
		       const struct trace_streams *streams);
/* `site`: as in the streams. 1: its accesses in the run's region are not weighted. */
double site_weights_of(const struct site_weights *weights, uint32_t region, uint32_t site);

#endif
