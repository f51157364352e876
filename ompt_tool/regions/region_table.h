/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REGIONS_REGION_TABLE_H
#define MEMSEARCH_REGIONS_REGION_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "memsearch/metric.h"
#include "memsearch/region.h"

/*
 * Identity of regions inside the running process: (kind, code address, parent) →
 * dense number. Lock-free, fixed room (MS_REGION_MAX), lives in the shared segment.
 * Not here: what the address means in the source (source.h).
 *
 *     keys[kind] ──hash(code, parent)──▶ slot {key, id} ──▶ regions[id]
 *
 * Look-ups and insertions: any thread, any callback. A SERIAL region is looked up with
 * the region that follows it as parent, and stored below region 0. A new region takes
 * the requests its parent has for subregions of its kind.
 */
#define REGION_PATH_MAX 24
/* one more than are used: a compiler may join the calls of several constructs into one */
#define REGION_BODIES 5

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
	/* return addresses, innermost first, of parallel regions met in serial code */
	uint64_t path[REGION_PATH_MAX];
	/*
	 * PARALLEL, TASK: functions that were handed to the runtime for it, 0: no more; see
	 * region_note_body
	 */
	uint64_t bodies[REGION_BODIES];
	/*
	 * PARALLEL: number of the last choice (events.choices) in which its bodies run as clones;
	 * 0: none
	 */
	uint32_t recorded;
	/* atomic; threads' values of accesses left out, as not all of it ran in a clone */
	uint32_t unrecorded;
	/*
	 * atomic; rises when what was recorded of its accesses so far is not whole, and is to be
	 * forgotten
	 */
	uint32_t recordings;
	/*
	 * atomic; the natural loop that is all of the construct, see accesses/loop_regions.h; 0:
	 * not known yet
	 */
	uint32_t own_loop;
	/*
	 * atomic; CRITICAL, LOCK: the MUTEX region of its lock; 0: none is known yet,
	 * MS_REGION_NONE: it takes several
	 */
	uint32_t mutex;
	/*
	 * atomic; PARALLEL: the DO_REGION that it begins with, see static_loops.h, 0: none is
	 * known; such a DO_REGION: itself
	 */
	uint32_t static_loop;
	/*
	 * atomic; PARALLEL: 1: there are others, whose addresses are those of the barriers before
	 * them
	 */
	uint32_t loops_behind_barriers;
	/* atomic; PARALLEL: its function, not examined yet; 0: unknown, or examined */
	uint64_t outlined;
	/* 1 << enum ms_sensor_id: what to measure here; written at phase boundaries */
	uint32_t requests;
	/*
	 * 1 << kind of the regions below this one, also those first met later, to measure with it
	 */
	uint32_t subregion_kinds[MS_SENSORS];
};

struct region_table;

/* Bytes it needs in the segment; init is given zeroed memory of that size. */
uint64_t region_table_bytes(void);
void region_table_init(struct region_table *table);

/*
 * The region of that key, made if it is new (*new_out true on exactly one thread: the
 * maker, which may then fill `path` and `inside`). MS_REGION_NONE: the table is full,
 * or another thread is just making it and did not finish in time; counted.
 */
uint32_t region_table_get(struct region_table *table, enum ms_region_kind kind, uint64_t construct,
			  uint32_t parent, bool *new_out);
/*
 * The same, where a compiler has made several calls of the runtime of one construct (a loop around
 * it that is unrolled): the construct is known by its body, and is the region's whose address
 * `same` says to be in the same function. `body` 0: not known.
 */
typedef bool region_table_same(uint64_t construct, uint64_t other);
uint32_t region_table_get_of_body(struct region_table *table, enum ms_region_kind kind,
				  uint64_t construct, uint32_t parent, uint64_t body,
				  region_table_same *same, bool *new_out);
/* From now on the region has this address, too, where none of that kind below `parent` has it. */
void region_table_alias(struct region_table *table, enum ms_region_kind kind, uint64_t construct,
			uint32_t parent, uint32_t id);
/* MS_REGION_NONE: there is none. */
uint32_t region_table_find(const struct region_table *table, enum ms_region_kind kind,
			   uint64_t construct, uint32_t parent);
uint32_t region_table_count(const struct region_table *table);
/* NULL for a number that was not given out. The pointer stays valid for ever. */
struct region *region_table_at(struct region_table *table, uint32_t id);
uint64_t region_table_dropped(const struct region_table *table);
/* Everything asked for in regions of that kind and code address, those not met yet included. */
uint32_t region_table_requests(const struct region_table *table, enum ms_region_kind kind,
			       uint64_t construct);

/* What a region asks for in subregions of that kind: 1 << enum ms_sensor_id. */
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

/* Adds to what a region hands down what `from` hands down. */
static inline void region_inherit(struct region *region, const struct region *from)
{
	for (int sensor = 0; sensor < MS_SENSORS; sensor++)
		__atomic_fetch_or(&region->subregion_kinds[sensor],
				  __atomic_load_n(&from->subregion_kinds[sensor], __ATOMIC_RELAXED),
				  __ATOMIC_RELAXED);
}

/*
 * Callbacks allowed. A region with as many as there is room for counts as one whose bodies are not
 * known.
 */
void region_note_body(struct region *region, uint64_t function);
bool region_has_body(const struct region *region, uint64_t function);
/*
 * The region of that kind, directly below `parent`, that has this body; MS_REGION_NONE: none. Looks
 * at all regions.
 */
uint32_t region_table_of_body(struct region_table *table, enum ms_region_kind kind, uint32_t parent,
			      uint64_t function);
/* How many are known; 0: none, or not all. */
uint32_t region_bodies(const struct region *region);

/*
 * `loop` may be MS_REGION_NONE: the table is full. At the begin of the parallel region, else behind
 * a barrier that has its address.
 */
void region_note_static_loop(struct region_table *table, struct region *region, uint32_t loop,
			     bool at_begin);

/*
 * Behind the static loop a thread may come to this barrier without another one, or with 0 to the
 * end of the parallel region: a thread that ends at another place has not executed the loop. Before
 * region_note_static_loop.
 */
void region_note_loop_end(struct region_table *table, uint32_t loop, uint64_t barrier);
bool region_loop_may_end(const struct region_table *table, uint32_t loop, uint64_t barrier);

/* What libgomp calls for a parallel region, as far as its runtime tells. Callbacks allowed. */
static inline void region_note_outlined(struct region *region, const void *outlined)
{
	__atomic_store_n(&region->outlined, (uint64_t)(uintptr_t)outlined, __ATOMIC_RELAXED);
}

/*
 * The static loop that a parallel region begins with, or that a DO_REGION is; 0: none is known.
 * NULL has none.
 */
static inline uint32_t region_static_loop(const struct region *region)
{
	return region ? __atomic_load_n(&region->static_loop, __ATOMIC_ACQUIRE) : 0;
}

/*
 * The static loop behind a barrier of the parallel region with this return address; 0: none is
 * known. NULL has none.
 */
static inline uint32_t region_loop_behind(const struct region_table *table,
					  const struct region *region, uint64_t barrier)
{
	uint32_t loop = MS_REGION_NONE;

	if (region && __atomic_load_n(&region->loops_behind_barriers, __ATOMIC_ACQUIRE))
		loop = region_table_find(table, MS_DO_REGION, barrier, region->id);
	return loop == MS_REGION_NONE ? 0 : loop;
}

/* What to measure in a region: one relaxed load. */
static inline uint32_t region_requests(const struct region *region)
{
	return __atomic_load_n(&region->requests, __ATOMIC_RELAXED);
}

#endif
