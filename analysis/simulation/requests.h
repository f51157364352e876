/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_REQUESTS_H
#define MEMSEARCH_SIMULATION_REQUESTS_H

#include <stddef.h>
#include <stdint.h>

#include "memsearch/host.h"
#include "memsearch/request.h"

/*
 * Requests with address ranges, answered from a record: the accesses that it keeps are counted and simulated once more, those in each range apart. The run stays
 * as it is.
 */
struct arena;
struct kept;
struct machine_model;
struct placement;
struct run;

/* What the run was counted and simulated from. */
struct requests_source {
	struct run *run;
	const struct run *before;        /* requests_before */
	struct kept *kept;
	const struct machine_model *model;
	const struct placement *placement;
	uint64_t deadline_ns;            /* thread_clock_ns, as of simulate; 0: whenever */
	uint32_t jobs;
};

/* The run before its trace is counted after the run, as counting it once more begins with that; but for regions, which are the same then. NULL: no memory. */
const struct run *requests_before(struct arena *arena, const struct run *run);

/* As engine_config has them; `source` is a struct requests_source. */
void requests_measure(void *source, const struct ms_request *requests, size_t nr, struct ms_reading *out);
size_t requests_memory(void *source, uint32_t region, struct ms_address_range *out, size_t room);

#endif
