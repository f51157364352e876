/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_EVENTS_EVENT_H
#define MEMSEARCH_EVENTS_EVENT_H

#include <stddef.h>

#include "memsearch/gomp_tool.h"
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/events/events.h"
#include "ompt_tool/measurements/summary.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/regions/region_table.h"
#include "ompt_tool/events/event_cost.h"
#include "ompt_tool/events/handlers.h"

/*
 * Shared by all callbacks: the gate and the calling thread. The only state outside of threads is
 * `events`.
 */

/* An OpenMP runtime that has started the tool. */
struct event_runtime {
	ompt_get_thread_data_t get_thread_data; /* NULL: this entry is unused */
	ompt_get_task_info_t get_task_info;     /* NULL: the runtime has none */
	gomp_get_outlined *get_outlined;        /* NULL: the runtime reports static loops itself */
	gomp_get_number *get_number;            /* NULL: its threads last */
	gomp_set_rest *set_rest;                /* NULL: it always sends all */
};
enum { EVENT_RUNTIMES = 2 }; /* libgomp's events, and libomp or libiomp5 */

struct events {
	/* atomic; 0: off; a new value each time events are enabled */
	uint32_t epoch;
	/*
	 * atomic; the epoch, or 0 while events inside of parallel regions are disabled, see
	 * events_rest
	 */
	uint32_t inside;
	/* atomic; the same of constructs inside of parallel regions, see events_skip_constructs */
	uint32_t constructs;
	uint32_t requested; /* atomic; bit per sensor: requested in any region */
	/* atomic; increases when the first sensor that follows tasks is requested */
	uint32_t task_generation;
	/* atomic; 0: no metric of locks is requested; else it increases when one is again */
	uint32_t lock_generation;
	uint32_t turn; /* atomic; rises with each change of parts or requests */
	/*
	 * atomic; number of the current part of open regions, and of the last one whose values are
	 * dropped: region_parts.c
	 */
	uint32_t parts, forgotten;
	/* atomic; number of phase executions that the last part consists of */
	uint32_t part_executions;
	uint32_t incomplete_parts; /* atomic; events_incomplete_parts */
	/*
	 * atomic; increases with each selection of bodies that run as clones, 0: none so far; see
	 * move.c
	 */
	uint32_t choices;
	uint32_t roots; /* atomic; threads that the runtime did not make */
	/* atomic; releases of locks are reported, see events_see_releases */
	bool releases;
	/* loops, barriers … were executed outside of parallel regions; initial thread only */
	bool serial_constructs;
	/* getpid of the process in which the tool was started */
	int process;
	/* in the order in which they started the tool */
	struct event_runtime runtimes[EVENT_RUNTIMES];
	struct region_table *regions;
	const struct events_listener *listener;
};
extern struct events events __attribute__((visibility("hidden")));

/* Whether events are enabled: one load. */
static inline bool event_on(void)
{
	return __builtin_expect(__atomic_load_n(&events.epoch, __ATOMIC_RELAXED) != 0, 0);
}

/* Whether events inside of parallel regions are enabled: one load, too. */
static inline bool event_inside(void)
{
	return __builtin_expect(__atomic_load_n(&events.inside, __ATOMIC_RELAXED) != 0, 0);
}

/* Whether events of constructs inside of parallel regions are: one load, too. */
static inline bool event_constructs(void)
{
	return __builtin_expect(__atomic_load_n(&events.constructs, __ATOMIC_RELAXED) != 0, 0);
}

#define CLOCK_BIT (1u << MS_SENSOR_CLOCK)
#define FOLLOWS_TASKS (CLOCK_BIT | ACCESSES_BIT)

static inline uint32_t event_requested(void)
{
	return __atomic_load_n(&events.requested, __ATOMIC_RELAXED);
}

static inline bool event_asked(void)
{
	return __builtin_expect(event_requested() != 0, 0) && event_constructs();
}

/* Events of locks are ignored, and take hardly any time, while no metric of these is requested. */
static inline bool event_locks(void)
{
	return __builtin_expect(__atomic_load_n(&events.lock_generation, __ATOMIC_RELAXED) != 0,
				0) &&
	       event_constructs();
}

static inline struct thread *event_known_to(const struct event_runtime *runtime)
{
	ompt_data_t *data = runtime->get_thread_data();

	return data ? data->ptr : NULL;
}

/*
 * The calling thread; NULL: unknown to all runtimes, or there was no memory for it. A thread known
 * to two runtimes has one block.
 */
static inline struct thread *event_self(void)
{
	struct thread *self = event_known_to(&events.runtimes[0]);

	if (self || __builtin_expect(!events.runtimes[1].get_thread_data, 1))
		return self;
	return event_known_to(&events.runtimes[1]);
}

/*
 * The initial thread, if it is the calling one; else NULL. Identified by its thread id, so also
 * after the runtime has discarded its data.
 */
struct thread *event_initial(void);

/*
 * The time for events that may need one: 0 while nothing is requested. Phase detection reads the
 * clock itself.
 */
static inline uint64_t event_now(void)
{
	return event_requested() ? thread_clock_ns() : 0;
}

#endif
