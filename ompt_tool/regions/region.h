/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REGIONS_REGION_H
#define MEMSEARCH_REGIONS_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include "memsearch/metric.h"

/*
 * A region of the region table (region_table.h), in the shared segment: what callbacks note of it,
 * and what to measure in it. Any thread, callbacks allowed.
 */
#define REGION_PATH_MAX 24
/* one more than are used: a compiler may join the calls of several constructs into one */
#define REGION_BODIES 5

/* The next event of a thread that executed a single construct shows its end, or not. */
enum region_single_end { REGION_SINGLE_NEW, REGION_SINGLE_SHOWN, REGION_SINGLE_UNSEEN };

struct region {
	uint32_t id, parent;
	uint32_t kind; /* enum ms_region_kind */
	uint32_t nr_path;
	/* codeptr_ra of the first begin event, 0 unknown; SERIAL: of the region before */
	uint64_t construct;
	/*
	 * a codeptr_ra seen inside the region, 0 none yet; SERIAL: codeptr_ra of the region after
	 */
	uint64_t inside;
	/* return addresses, innermost first, of parallel regions begun in serial code */
	uint64_t path[REGION_PATH_MAX];
	/*
	 * PARALLEL, TASK: functions passed to the runtime for it, 0: no more; see region_note_body
	 */
	uint64_t bodies[REGION_BODIES];
	/*
	 * PARALLEL: number of the last choice (events.choices) in which its bodies run as clones;
	 * 0: none
	 */
	uint32_t recorded;
	/*
	 * atomic; number of threads' access counts that were dropped, because not all of the region
	 * ran in a clone
	 */
	uint32_t unrecorded;
	/*
	 * atomic; increases when the accesses recorded so far are incomplete and must be discarded
	 */
	uint32_t recordings;
	/*
	 * atomic; the natural loop that is the construct's own, see accesses/loop_regions.h; 0:
	 * unknown
	 */
	uint32_t own_loop;
	/*
	 * atomic; CRITICAL, LOCK, and a MUTEX below these: the MUTEX region of its lock; 0: not known
	 * yet, MS_REGION_NONE: several locks
	 */
	uint32_t mutex;
	/*
	 * atomic; PARALLEL: the DO_REGION that it begins with, see static_loops.h, 0: unknown; such
	 * a DO_REGION: itself
	 */
	uint32_t static_loop;
	/*
	 * atomic; PARALLEL: 1: it has further static loops, whose addresses are those of the
	 * barriers before them
	 */
	uint32_t loops_behind_barriers;
	/* atomic; PARALLEL: its function, not examined yet; 0: unknown, or examined */
	uint64_t outlined;
	/* atomic; SINGLE: enum region_single_end, see single_ends.h */
	uint32_t single_end;
	/* 1 << enum ms_sensor_id: sensors to measure here; written at phase boundaries */
	uint32_t requests;
	/*
	 * by sensor: 1 << kind of the regions below this one to measure with it, including those
	 * executed later
	 */
	uint32_t subregion_kinds[MS_SENSORS];
};

/* Requests of a region for subregions of that kind: 1 << enum ms_sensor_id. */
static inline uint32_t region_subregion_requests(const struct region *region, uint32_t kind)
{
	uint32_t requests = 0;

	for (int sensor = 0; sensor < MS_SENSORS; sensor++)
		requests |= (__atomic_load_n(&region->subregion_kinds[sensor], __ATOMIC_RELAXED) >>
				     kind &
			     1)
			    << sensor;
	return requests;
}

/* Adds the subregion requests of `from` to those of `region`. */
static inline void region_inherit(struct region *region, const struct region *from)
{
	for (int sensor = 0; sensor < MS_SENSORS; sensor++)
		__atomic_fetch_or(&region->subregion_kinds[sensor],
				  __atomic_load_n(&from->subregion_kinds[sensor], __ATOMIC_RELAXED),
				  __ATOMIC_RELAXED);
}

/* Callbacks allowed. If more bodies are noted than fit, the region's bodies count as unknown. */
void region_note_body(struct region *region, uint64_t function);
bool region_has_body(const struct region *region, uint64_t function);
/* Number of known bodies; 0: none, or not all are known. */
uint32_t region_bodies(const struct region *region);

/*
 * Notes the outlined function of a parallel region, as reported by libgomp's runtime. Callbacks
 * allowed.
 */
static inline void region_note_outlined(struct region *region, const void *outlined)
{
	__atomic_store_n(&region->outlined, (uint64_t)(uintptr_t)outlined, __ATOMIC_RELAXED);
}

/* Whether a single construct's end is shown by no event. `region` may be NULL. */
static inline bool region_end_is_unseen(const struct region *region)
{
	return region &&
	       __atomic_load_n(&region->single_end, __ATOMIC_RELAXED) == REGION_SINGLE_UNSEEN;
}

/* Sensors to measure in a region: one relaxed load. */
static inline uint32_t region_requests(const struct region *region)
{
	return __atomic_load_n(&region->requests, __ATOMIC_RELAXED);
}

#endif
