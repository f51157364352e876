/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_RANGE_REQUESTS_H
#define MEMSEARCH_SIMULATION_RANGE_REQUESTS_H

#include <stddef.h>
#include <stdint.h>

#include "memsearch/host.h"
#include "memsearch/request.h"

/*
 * Answers requests with address ranges from a record: counts and simulates its accesses again,
 * separately for each range. Does not change the run.
 */
struct arena;
struct trace_reader;
struct machine_model;
struct placement;
struct run;

/* Source of the run's counts and simulation. */
struct requests_source {
	struct run *run;
	const struct run *before; /* requests_before */
	struct trace_reader *reader;
	const struct machine_model *model;
	const struct placement *placement;
	uint64_t deadline_ns; /* thread_clock_ns, as in simulate; 0: none */
	uint32_t jobs;
};

/*
 * A copy of the run before its trace is counted, from which it is counted again; shares the
 * regions. NULL: no memory.
 */
const struct run *requests_before(struct arena *arena, const struct run *run);

/* Callbacks of engine_config; `source` is a struct requests_source. */
void requests_measure(void *source, const struct ms_request *requests, size_t nr,
		      struct ms_reading *out);
size_t requests_memory(void *source, uint32_t region, struct ms_address_range *out, size_t room);

#endif
