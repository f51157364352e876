/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_EVENTS_MUTEXES_H
#define MEMSEARCH_EVENTS_MUTEXES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The program's locks by the address of their variable: the MUTEX region of each, the thread that
 * released it last, and the time. A row is written only by the thread that holds the lock, right
 * before it releases it, so that the lock itself orders the accesses. Not here: durations
 * (mutex.c).
 */
struct region_table;

#define MUTEXES_MAX 512       /* locks with a region of their own */
#define MUTEXES_USES_MAX 1024 /* pairs of a place that takes several locks, and a lock */
#define MUTEX_NOBODY UINT32_MAX

struct mutex_before {
	/* of kind MUTEX; MS_REGION_NONE: the table of regions is full */
	uint32_t region;
	uint32_t holder;      /* thread that released the lock before, or MUTEX_NOBODY */
	uint64_t released_ns; /* time of that release; monotonic clock */
};

/*
 * Callbacks allowed, on the thread that holds the lock and is about to release it at `now_ns`.
 * `variable` 0: the lock of the unnamed critical constructs, where the runtime has it. False: no
 * row is left.
 */
bool mutexes_release(struct region_table *regions, uint64_t variable, uint32_t thread,
		     uint64_t now_ns, struct mutex_before *before_out);

/*
 * The MUTEX region of a lock below `place`, which takes several locks; `mutex`: the lock's own region.
 * MS_REGION_NONE: the bound is reached. Callbacks allowed.
 */
uint32_t mutexes_use(struct region_table *regions, uint64_t variable, uint32_t place,
		     uint32_t mutex);

#endif
