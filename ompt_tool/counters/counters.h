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
 * Hardware counters. counters.c is the sensor: it opens the selected set of events on every thread
 * and converts differences of readings into metrics. counter_plan.c maps portable metrics to events
 * (analysis/properties/event_tables.h). A back end finds, opens and reads events: perf.c
 * (perf_event_open, names by libpfm4) and papi.c.
 *
 *     requested metrics ──▶ set of events (a new generation with each change)
 *                             │ each thread, at its next region: closes the old set, opens the new
 *                             ▼
 *     region begin: read ── region end: read ── differences ── terms of each metric ── summary
 *
 * Each thread opens the events of a set as groups, and leaves them running. The set changes between
 * executions of the phase, so that the kernel need not multiplex: a reading whose running time
 * differs from its enabled time is discarded.
 *
 * To add a back end: 1. counters/NAME.c with its struct; 2. its row in counters.c.
 */
#define COUNTERS_MAX 8 /* events in a set */

struct counter_event; /* of the back end; lives as long as the process */
/* the open events of one thread, of the back end; in memory of the thread's */
struct counter_group;
#define COUNTER_GROUP_BYTES 512

struct counter_reading {
	uint64_t values[COUNTERS_MAX]; /* in the order of the events; monotonic */
	/*
	 * Times the events were enabled and running; both increase equally if all events were
	 * counted all the time. A back end without these times returns clock time for both.
	 */
	uint64_t enabled_ns, running_ns;
};

struct counter_table {
	const char *name; /* as in *.events */
	/*
	 * Table of the CPU's cores. Hybrid CPUs have several, one per kind of core; a metric is the
	 * sum over all.
	 */
	bool core;
	/*
	 * Events whose meaning differs between CPUs (PAPI's presets): used only if there is no
	 * event file for any of the cores' tables.
	 */
	bool stands_in;
};

struct sensor;
struct sensor_status;

struct counter_backend {
	const char *name; /* name for --counters */

	/*
	 * Once, on the initial thread, before threads. `status`: whether it works, why not, how to
	 * fix it, and its limits.
	 */
	void (*start)(struct sensor_status *status);
	/*
	 * Event tables of this machine, best first ("skx", "perf"); later ones are used for metrics
	 * that earlier ones lack. At most `room`.
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
	 * Whether these can be scheduled together: opens, starts and reads them on the calling
	 * thread. Not in callbacks.
	 */
	bool (*fits)(struct counter_event *const *events, size_t nr);

	/*
	 * On the thread itself, also in callbacks: no malloc, no lock. False: not covered
	 * (descriptors …), and nothing is open.
	 */
	bool (*open)(struct counter_group *group, struct counter_event *const *events, size_t nr);
	/* False: no longer readable (the program closed the descriptors …). */
	bool (*read)(struct counter_group *group, struct counter_reading *out);
	void (*close)(struct counter_group *group);
	/*
	 * In thread_begin and thread_end, for libraries that register threads. NULL: nothing to do.
	 */
	bool (*thread_begin)(void);
	void (*thread_end)(void);
};

extern const struct counter_backend counter_backend_perf, counter_backend_papi;

extern const struct sensor sensor_counters;

/* For the record and `memsearch doctor`; constant after the probe. */
const char *counters_backend(void); /* NULL: none works */
const char *counters_table(void);
/* "skx::MEM_LOAD_RETIRED:L1_MISS + skx::…"; NULL: unsupported */
const char *counters_formula(uint32_t metric);
/* Number of different sets selected, and the largest number of metrics in one. Initial thread. */
struct counters_use {
	uint64_t sets, at_once;
};
struct counters_use counters_use(void);

#endif
