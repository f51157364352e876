/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTERS_H
#define MEMSEARCH_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/measurement.h"
#include "memsearch/metric.h"
#include "memsearch/status.h"

/*
 * Hardware counters. counters.c is the sensor: it opens the set of events that is counted now on
 * every thread and turns differences of readings into metrics. counter_plan.c knows which events
 * stand behind the portable metrics (analysis/properties/events.h). How an event is found, opened
 * and read is a back end's: perf.c (perf_event_open, names by libpfm4) and papi.c.
 *
 *     metrics asked for ──▶ set of events (one generation each time it changes)
 *                              │ each thread, at its next region: close the old set, open the new
 *                              one ▼
 *     region begin: read ── region end: read ── differences ── terms of each metric ── summary
 *
 * The events of a set are opened as groups on every thread by the thread itself, and left running.
 * The set changes between executions of the phase, so that the kernel never multiplexes: a reading
 * whose time running is not its time enabled is no reading.
 *
 * To add a back end: 1. counters/NAME.c with its struct; 2. its row in counters.c.
 */
#define COUNTERS_MAX 8 /* events in a set */

struct counter_event; /* of the back end; lives as long as the process */
/* the open events of one thread, of the back end; in memory of the thread's */
struct counter_group;
#define COUNTER_GROUP_BYTES 512

struct counter_reading {
	uint64_t values[COUNTERS_MAX]; /* in the order of the events; they only grow */
	/*
	 * Time the events were to be counted and time they were; both grow alike where every event
	 * was counted all the time. A back end without them returns a clock's time for both.
	 */
	uint64_t enabled_ns, running_ns;
};

struct counter_table {
	const char *name; /* as in *.events */
	/*
	 * Of the CPU's cores. Where there are several (hybrid CPUs), each is one kind of core, and
	 * a metric the sum over all.
	 */
	bool core;
	/*
	 * Means something else on each CPU (PAPI's presets): asked only where there is no file for
	 * any of the cores' tables.
	 */
	bool stands_in;
};

struct sensor;
struct sensor_status;

struct counter_backend {
	const char *name; /* as --counters takes it */

	/*
	 * Once, on the initial thread, before threads. `status`: whether it works, why not, how to
	 * fix it, and its limits.
	 */
	void (*start)(struct sensor_status *status);
	/*
	 * Event tables of this machine, best first ("skx", "perf"); later ones give what earlier
	 * ones do not. At most `room`.
	 */
	size_t (*tables)(struct counter_table *out, size_t room);
	/*
	 * Once an event, on the initial thread: encodes it, and opens and reads it alone. `name` as
	 * in *.events; from the user, with `table` NULL or what stood before "::". MS_ERR_NOT_FOUND
	 * (why, 160 bytes: with the nearest name), _PERMISSION, _FULL (descriptors), _UNSUPPORTED
	 * (cannot be opened).
	 */
	enum ms_status (*resolve)(const char *table, const char *name,
				  struct counter_event **event_out, char *why);
	/*
	 * Whether these can be counted at once: opened, started and read together on the calling
	 * thread. Not in callbacks.
	 */
	bool (*fits)(struct counter_event *const *events, size_t nr);

	/*
	 * On the thread itself, also in callbacks: no malloc, no lock. False: not covered
	 * (descriptors …), and nothing is open.
	 */
	bool (*open)(struct counter_group *group, struct counter_event *const *events, size_t nr);
	/* False: cannot be read any more (the program closed our descriptors …). */
	bool (*read)(struct counter_group *group, struct counter_reading *out);
	void (*close)(struct counter_group *group);
	/*
	 * In thread_begin and thread_end, where a library wants to know its threads. NULL: nothing
	 * to do.
	 */
	bool (*thread_begin)(void);
	void (*thread_end)(void);
};

extern const struct counter_backend counter_backend_perf, counter_backend_papi;

extern const struct sensor sensor_counters;

/* What was found, for the record and `memsearch doctor`; constant after the probe. */
const char *counters_backend(void); /* NULL: none works */
const char *counters_table(void);
/* "skx::MEM_LOAD_RETIRED:L1_MISS + skx::…"; NULL: unsupported */
const char *counters_formula(uint32_t metric);
/* Sets of metrics that were selected, and how many were at once, at most. Initial thread. */
struct counters_use {
	uint64_t sets, at_once;
};
struct counters_use counters_use(void);

#endif
