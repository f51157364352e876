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
 * The members of a sensor that a session calls: settings before the probe, requests of the search
 * while the program runs, rows of the record at its end. Called at phase boundaries, on one thread
 * at a time, never in callbacks; NULL: nothing to do. sensors.h (session) calls them for all
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

/* Lives as long as the process. `regions` NULL: sensors are only probed. */
struct sensor_setting {
	const struct options *options;
	const struct property_set *properties;
	struct region_table *regions;
};

/* Destination of a sensor's rows in the record; lives as long as the session. */
struct sensor_record {
	struct arena *arena;
	struct run *run;
	struct region_table *regions;
	/*
	 * Receives each site of clock samples at the end: an instruction of the program's own code,
	 * else as sampled. NULL: none does.
	 */
	void (*sampled)(void *ctx, uint32_t region, uint32_t thread, uint64_t own, uint64_t count);
	void *ctx;
};

/* Which executions to discard because values are missing that later ones may have. */
enum sensor_settling {
	SENSOR_SETTLED,
	SENSOR_SETTLING, /* this one */
	/*
	 * and the next one, where the boundary lies inside of a parallel region: other threads'
	 * parts of this one, which come with the next, are known to be incomplete
	 */
	SENSOR_SETTLING_TWICE,
};

/*
 * Time that one thread may spend for the sensor from now on; mean and longest duration of what was
 * measured as one so far: an execution of the phase, or a group of short ones. In ns.
 */
struct sensor_allowance {
	double ns, usual_ns, longest_ns;
};

struct sensor_session {
	/* Has values per data structure, too: declarations are read before its first request. */
	bool by_array;
	/* Measured in executions of its own, whose overhead is not typical of other executions. */
	bool is_measured_alone;
	/*
	 * Whether it is requested from the start; false: only when the search requests it. NULL:
	 * true.
	 */
	bool (*is_asked_at_start)(void);

	void (*configure)(const struct sensor_setting *setting);
	/* After the probe; `works`: its result. The sensor keeps `to`. False: out of memory. */
	bool (*begin)(const struct sensor_record *to, const struct options *options, bool works);
	/*
	 * Enters into one of the session's databases, before anything is measured, the metrics
	 * without values and constants. `repeats`: the database is that of a phase, not of the
	 * whole program.
	 */
	void (*describe)(struct database *db, bool repeats);
	/* Sets the sensor's fields of the search configuration. */
	void (*configure_search)(struct engine_config *config);

	/*
	 * While no phase is known: the sensor may measure first executions of regions, for `limit`
	 * (fraction of the run time); negative: it stops. It calls `before` once, before the first
	 * of them.
	 */
	void (*watch)(double limit, void (*before)(void));
	/* Whether `watch` is in effect, which does not depend on requests. */
	bool (*is_watching)(void);
	/* A phase is known: its executions are measured from now on. */
	void (*phase)(void);
	/* Sets what the sensor may cost from now on; before `requested`. */
	void (*allow)(const struct sensor_allowance *allowance);
	/*
	 * The requests are in the region table; `asked`: some are for this sensor. True: the region
	 * that begins now has already started without the requested instrumentation, so that this
	 * execution must be discarded.
	 */
	bool (*requested)(bool asked);
	/*
	 * Whether the execution that begins will be discarded; `inside`: the boundary lies inside of
	 * the outermost parallel region, of which other threads begin their parts later.
	 */
	void (*leave_out)(bool on, bool inside);
	/* An execution that was to be discarded has ended. */
	void (*left_out)(void);
	/* Executions of the phase have ended, discarded or not; before their values are folded. */
	void (*ended)(uint32_t executions);
	/* After an execution. */
	enum sensor_settling (*settling)(struct database *db);
	/*
	 * Cost of a whole execution for the sensor, in ns, on the thread where it is highest, where
	 * callbacks took `callback_ns`. False: the execution was cut off because it cost too much.
	 */
	bool (*price)(double callback_ns, double *ns_out);
	/* After an execution that was cut off: discards its values. */
	void (*drop)(const struct database *db);
	/*
	 * After an execution of the phase that counts, or (`phase` NULL) after a part of a program
	 * without phase. Marks metrics without values as missing, in all of `dbs` or in `phase`.
	 * True: the metrics that the search may choose from have changed.
	 */
	bool (*check)(struct database *const *dbs, size_t nr, struct database *phase);

	/*
	 * Writes the rows of the record, replacing those of an earlier call; regions and modules
	 * are already written. `unwinder`: finds the program's code that called a library; NULL:
	 * instructions are attributed where they are. `at_end`: this is the last call.
	 */
	enum ms_status (*harvest)(const struct sensor_record *to, struct unwinder *unwinder,
				  bool at_end);
	/* Notes in the record what was not measured (run_note_dropped); once, at the end. */
	void (*losses)(const struct sensor_record *to);
	/* In a forked child: measures nothing from now on. */
	void (*forget)(void);
};

#endif
