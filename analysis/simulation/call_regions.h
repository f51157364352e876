/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_CALL_REGIONS_H
#define MEMSEARCH_SIMULATION_CALL_REGIONS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"

/*
 * The calls of constructs that count apart: a CALL_REGION with data below it, as different calls
 * access different data (count_calls.c). One thread at a time.
 */
struct arena;
struct call_regions {
	const struct run *run;
	uint32_t *regions; /* in ascending order */
	size_t nr, room;
};

/* Reads the run's regions; it has none where there is no memory. */
void call_regions_init(struct call_regions *calls, struct arena *arena, const struct run *run);
/*
 * The CALL_REGION below the construct with the path of `call`, a CALL_REGION of any construct of its
 * team; MS_REGION_NONE: none counts apart.
 */
uint32_t call_region_below(const struct call_regions *calls, uint32_t construct, uint32_t call);

#endif
