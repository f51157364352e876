/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_RUN_REGIONS_H
#define MEMSEARCH_RECORD_RUN_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/debuginfo/source.h"
#include "memsearch/measurement.h"
#include "memsearch/region.h"

/* Regions of a run (run.h), and what was measured in them. */
struct run;

/* A region; its source lines are filled in when it is resolved. */
struct run_region {
	uint32_t id, parent; /* parent MS_REGION_NONE only for region 0 */
	enum ms_region_kind kind;
	/* see sources_region; SERIAL: end of the region before */
	struct code_address construct, inside;
	struct code_address next; /* SERIAL only: begin of the region after */
	bool resolved;
	struct source source;
	struct source next_source;           /* SERIAL only: where the next region begins */
	size_t nr_path;                      /* callers, outermost (main) first */
	struct code_address *path_addresses; /* return addresses */
	struct source *path;                 /* NULL until resolved */
	/*
	 * the same in all runs of the same program's files, as in the performance database
	 * (ms_region_info); 0: region 0, found after the run, or not known
	 */
	uint64_t key;
	uint64_t executions;
	/*
	 * MUTEX: as in the source, "update", "locks[3]"; "" that of the unnamed critical
	 * constructs; NULL not known
	 */
	const char *name;
	/*
	 * CRITICAL, LOCK, and a MUTEX below these: the MUTEX region of its lock; 0: not known, or it
	 * takes several
	 */
	uint32_t mutex;
};

/* For searches over records; of older ones that have no keys an approximation. */
static inline uint64_t run_region_key(const struct run_region *region)
{
	return region->key ? region->key : region->construct.offset;
}

/* A lock, not a lock as one place uses it. */
static inline bool run_region_is_lock(const struct run_region *region)
{
	return region->kind == MS_MUTEX && region->parent == MS_REGION_USER;
}

/* The critical or lock region that uses a lock: itself, or the one that a MUTEX is below. */
static inline uint32_t run_region_lock_place(const struct run_region *region)
{
	return region->kind == MS_MUTEX && region->parent < region->id ? region->parent
								       : region->id;
}

/* DATA_STRUCTURE: number of its array, which is the region's construct - 1; else UINT32_MAX. */
static inline uint32_t run_region_array(const struct run_region *region)
{
	return region->kind == MS_DATA_STRUCTURE ? (uint32_t)(region->construct.offset - 1)
						 : UINT32_MAX;
}

/* Each time one thread alone executes it; all threads of the team execute the others together. */
static inline bool run_region_is_of_one_thread(const struct run_region *region)
{
	return region->kind == MS_TASK_REGION || region->kind == MS_SINGLE_REGION;
}

/* What one thread measured in one region over the whole run. */
struct run_measurement {
	struct ms_measurement row;
	uint64_t phases;    /* phase executions during which it was requested */
	double observed_ns; /* and the wall time of those */
};

/* A reading that was never available: (region or MS_REGION_NONE for everywhere, metric, why). */
struct run_missing {
	uint32_t region, metric;
	enum ms_missing why;
};

/* One instruction where samples or faults were taken. */
struct run_hotspot {
	uint32_t region, metric; /* MS_METRIC_SAMPLES or MS_METRIC_FAULT_SAMPLES */
	/* in the program's own code where the stack could be unwound that far */
	struct code_address address;
	/* the sampled instruction itself, in a library perhaps */
	struct code_address leaf;
	bool is_return; /* `address` is a return address */
	uint64_t count;
	double share;                      /* of all samples of this metric in this region */
	struct source source, leaf_source; /* filled when resolved, as is … */
	uint64_t in_library;               /* … the part of `count` in a library that it calls */
};

/*
 * The region of the whole run or phase that a region is in, a parallel region or serial stretch, or
 * the region itself.
 */
uint32_t run_outermost(const struct run *run, uint32_t region);
/*
 * The construct that a data structure, loop or function is in, or the region itself; MS_REGION_NONE:
 * its parent is not in the run.
 */
uint32_t run_construct(const struct run *run, uint32_t region);
/* Whether the region is `outer`, or inside of it. */
bool run_is_inside(const struct run *run, uint32_t region, uint32_t outer);

#endif
