/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SENSOR_SESSION_H
#define MEMSEARCH_SENSOR_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/metric.h"
#include "memsearch/request.h"
#include "memsearch/status.h"

/*
 * The part of a sensor that a session calls: settings before the probe, what the search asks for
 * while the program runs, rows of the record at its end. At phase boundaries, on one thread at a
 * time, never in callbacks; NULL: there is nothing to do. sensors.h (session) calls them for all
 * sensors, in the order of their numbers.
 *
 *     configure ─ probe ─ begin ─ describe ─┬─ watch ──────────────────────────────────┐
 *                                           └─ phase ─ [allow ─ requested ─ settling ─ ├─ harvest
 *                                                       price ─ check] each execution ─┘
 */
struct arena;
struct database;
struct engine_config;
struct options;
struct property_set;
struct region_table;
struct run;
struct unwinder;

/* Lives as long as the process. `regions` NULL: sensors are probed, nothing is measured. */
struct sensor_setting {
	const struct options *options;
	const struct property_set *properties;
	struct region_table *regions;
};

/* Where rows of the record go; lives as long as the session. */
struct sensor_record {
	struct arena *arena;
	struct run *run;
	struct region_table *regions;
};

struct sensor_session {
	/*
	 * Values are those of data structures, too: declarations are read before the sensor is
	 * asked for.
	 */
	bool by_array;
	/* Has executions of its own, which say nothing of what others cost. */
	bool is_measured_alone;
	/* Whether it is asked for from the start, and not by the search alone. NULL: it is. */
	bool (*is_asked_at_start)(void);

	void (*configure)(const struct sensor_setting *setting);
	/* After the probe, `works` or not; `to` is kept. False: no memory. */
	bool (*begin)(const struct sensor_record *to, const struct options *options, bool works);
	/*
	 * Into one of the session's databases, before anything is measured: metrics that cannot be
	 * had, and constants. `repeats`: of a phase, not of the whole program.
	 */
	void (*describe)(struct database *db, bool repeats);
	/* What the search may choose from. */
	void (*configure_search)(struct engine_config *config);

	/*
	 * No phase is known: what may be measured of first executions of regions is, for `limit`
	 * of the time; less than 0: no more. `before` is called once, before the first of them.
	 */
	void (*watch)(double limit, void (*before)(void));
	/* That is going on, whatever is asked for. */
	bool (*is_watching)(void);
	/* A phase is known: its executions are measured from now on. */
	void (*phase)(void);
	/*
	 * What one thread may take for the sensor from now on, in ns, and how long an execution of
	 * the phase takes; before `requested`.
	 */
	void (*allow)(double ns, double execution_ns);
	/*
	 * The requests came into the region table, `asked`: some for this sensor. True: the region
	 * that begins just now began without this, so that the execution is to be left out.
	 */
	bool (*requested)(bool asked);
	/* Whether the execution that begins will be left out. */
	void (*leave_out)(bool on);
	/* It has ended, and is left out. */
	void (*left_out)(void);
	/* Executions of the phase have ended, left out or not; before their values are folded. */
	void (*ended)(uint32_t executions);
	/*
	 * After an execution: what is missing in it, and may come in later ones, is a reason to
	 * leave it out.
	 */
	bool (*settling)(struct database *db);
	/*
	 * What a whole execution takes for the sensor, in ns of the thread with most, where
	 * callbacks took `callback_ns`. False: it was ended, as it took too much.
	 */
	bool (*price)(double callback_ns, double *ns_out);
	/* After an execution that was ended: values that belong to none are forgotten. */
	void (*drop)(const struct database *db);
	/*
	 * After an execution of the phase that counts; `phase` NULL: after a stretch of the
	 * program. Marks what cannot be had as missing, in all of `dbs` or of the phase. True: what
	 * the search may choose from has changed.
	 */
	bool (*check)(struct database *const *dbs, size_t nr, struct database *phase);

	/*
	 * Rows of the record, replacing those of an earlier call; regions and modules are there.
	 * `unwinder`: out of libraries to the program's code; NULL: instructions are taken as they
	 * are. `at_end`: no further call comes.
	 */
	enum ms_status (*harvest)(const struct sensor_record *to, struct unwinder *unwinder,
				  bool at_end);
	/* What it has not measured, into the record (run_note_dropped); once, at the end. */
	void (*losses)(const struct sensor_record *to);
	/* In the child of a fork: nothing is measured there. */
	void (*forget)(void);
};

#endif
