/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SENSORS_COUNTERS_H
#define MEMSEARCH_SENSORS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/metric.h"
#include "memsearch/status.h"

/*
 * Hardware counters. counters.c is the sensor: it knows which events stand behind the
 * portable metrics (analysis/properties/events.h), which set of them is counted now, and turns
 * differences of readings into metrics. How an event is found, opened and read is a
 * back end's: perf.c (perf_event_open, names by libpfm4) and papi.c.
 *
 *     metrics asked for ──▶ set of events (one generation each time it changes)
 *                              │ each thread, at its next region: close the old set, open the new one
 *                              ▼
 *     region begin: read ── region end: read ── differences ── terms of each metric ── summary
 *
 * The events of a set are opened as groups on every thread by the thread itself, and left running.
 * The set changes between executions of the phase, so that the kernel never multiplexes: a
 * reading whose time running is not its time enabled is no reading.
 *
 * To add a back end: 1. sensors/NAME.c with its struct; 2. its row in counters.c.
 */
#define COUNTERS_MAX 8               /* events in a set; with two times as many words as a frame has room for */

struct counter_event;                /* of the back end; lives as long as the process */
struct counter_group;                /* the open events of one thread, of the back end; in memory of the thread's */
#define COUNTER_GROUP_BYTES 512

struct counter_reading {
	uint64_t values[COUNTERS_MAX];   /* in the order of the events */
	uint64_t enabled_ns, running_ns; /* equal where every event was counted all the time */
};

struct counter_backend {
	const char *name;                /* as --counters takes it */

	/* Once, on the initial thread, before threads. False: `why` (160 bytes) says why, and what would mend it. */
	bool (*start)(char *why);
	/* Event tables of this machine, best first ("skx"; on hybrid CPUs one a kind of core; "perf"): names as in *.events. */
	size_t (*tables)(const char **names_out, size_t room);
	/*
	 * Once an event, on the initial thread. `name` as in *.events or from the user. MS_ERR_NOT_FOUND (why: with the
	 * nearest names), _PERMISSION, _UNSUPPORTED (opens, but counts nothing; or cannot be opened).
	 */
	enum ms_status (*resolve)(const char *table, const char *name, struct counter_event **event_out, char *why);
	/* Whether these can be counted at once: opened, started and read together on the calling thread. Not in callbacks. */
	bool (*fits)(struct counter_event *const *events, size_t nr);

	/* On the thread itself, also in callbacks: no malloc, no lock. False: not covered (descriptors …). */
	bool (*open)(struct counter_group *group, struct counter_event *const *events, size_t nr);
	bool (*read)(struct counter_group *group, struct counter_reading *out);
	void (*close)(struct counter_group *group);
	/* In thread_begin and thread_end, where a library wants to know its threads. NULL: nothing to do. */
	bool (*thread_begin)(void);
	void (*thread_end)(void);
};

extern const struct counter_backend counter_backend_perf, counter_backend_papi;

/* Before sensors_probe. `backend`: "auto", "perf", "papi" or "none"; `events`: names separated by commas, for EVENT_1 …. */
struct property_set;
void counters_configure(const struct property_set *set, const char *backend, const char *events);
/* What was found, for the record and `memsearch doctor`; constant after the probe. */
const char *counters_backend(void);                      /* NULL: none works */
const char *counters_table(void);
const char *counters_formula(uint32_t metric);           /* "skx::MEM_LOAD_RETIRED:L1_MISS + skx::…"; NULL: unsupported */

#endif
