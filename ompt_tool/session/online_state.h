/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_ONLINE_STATE_H
#define MEMSEARCH_SESSION_ONLINE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/options/options.h"
#include "analysis/properties/property.h"
#include "analysis/record/record.h"
#include "analysis/record/run.h"
#include "analysis/search/database.h"
#include "analysis/search/engine.h"
#include "memsearch/sensor_session.h"
#include "ompt_tool/phases/detector.h"
#include "ompt_tool/session/excess.h"
#include "ompt_tool/session/experiment.h"

/*
 * State shared by start.c, online.c with its parts (while the program runs) and finish.c (at its
 * end). One instance per process, used by one thread at a time.
 *
 * There are several searches. `whole` treats the program as one phase, in stretches of a second or
 * more, with everything measured; it is used until the main phase is found, and for the report of a
 * program without phase. `phase` evaluates executions of the present phase and measures only what it
 * requests. `kept` has the phases before; the longest one is reported, the others beside it.
 */
enum online_state {
	ONLINE_OFF,       /* not started, ended, or the child of a fork */
	ONLINE_WATCHING,  /* no phase known yet */
	ONLINE_SEARCHING, /* inside an execution of the phase */
	ONLINE_TRYING,    /* inside an execution that is part of a trial (trying.h) */
	ONLINE_WRITING,   /* inside an execution with watched pages (writing.h) */
	ONLINE_BETWEEN,   /* marked phases: between an end mark and the next begin mark */
	ONLINE_PAUSED,    /* paused by omp_control_tool */
};

struct carry;
struct inventory;
struct page_writes;
struct placing;
struct step_series;
struct trials;

#define WITHOUT_LOCKS (1u << MS_SENSORS) /* metrics of locks, in online.without */

struct search {
	struct database *db;
	struct engine *engine;
	struct step_series *steps; /* of the phase; none of the whole program */
};

#define PHASES_KEPT 4
struct kept_phase {
	struct search search;
	struct run_phase phase;
};

struct online {
	enum online_state state;
	bool ended; /* ended by omp_control_tool */
	struct arena *arena;
	struct options options;
	struct segment *segment;
	struct detector *detector;
	struct experiment *experiment;
	struct property_set *properties;
	struct search whole, phase;
	/* phases that have ended, in the order of time (kept_phases.h); the other searches are spare */
	struct kept_phase kept[PHASES_KEPT];
	size_t nr_kept;
	struct carry *carry; /* measurements of earlier runs, for `whole` */
	struct run run;
	struct sensor_record sensor_record; /* of `run` */
	struct inventory *inventory;
	struct placing *placing;
	struct trials *trials;      /* NULL: none are requested (--try) */
	struct page_writes *writes; /* NULL: not requested (--page-writes) */
	bool wrote;                 /* pages were watched, or that was not possible */
	bool read_midway; /* declarations are also read during the run, not only at the end */
	struct record *record;
	const char *record_path;

	uint64_t start_ns;        /* begin of initialize */
	uint64_t start_cost_ns;   /* duration of initialize */
	int64_t programs_ns;      /* program time of the detector's last event (programs_ns) */
	uint64_t age_at_start_ns; /* age of the process at the start */
	/* without a phase, at the end: duration of the stretches that were measured */
	double watched_ns;
	uint64_t stretch_ns; /* begin of the current execution or stretch */
	uint64_t region_ns;  /* begin of the region in serial code that began last; 0: not known */
	uint32_t region;     /* this region */
	uint64_t rest_ns; /* since then events in the region are off (resting.h); 0: they are on */
	/* cost of callbacks on the initial thread up to its begin, and recording's part of it */
	uint64_t stretch_cost_ns, stretch_timed_ns;
	/* index of the set of sensors disabled because of the limit (watching.c) … */
	unsigned int step;
	uint32_t without;     /* … and the set: a bit each, and WITHOUT_LOCKS */
	uint64_t recorded_ns; /* time of the last update of the record */
	/* durations of that update and of the last checkpoint */
	uint64_t record_cost_ns, checkpoint_cost_ns;
	uint64_t checkpoints; /* number of checkpoints while watching */
	bool stepped;         /* a phase or an experiment began at this boundary */
	/* duration of a search step that ended no experiment */
	double look_ns;
	bool everything; /* the first experiment of a phase is in progress */
	/* everything is measured, but some counters must wait for a free slot … */
	bool others_wait;
	uint64_t stretches; /* … and the number of executions and stretches since the last change */
	/* of the phase's executions so far, without what recording took; of the longest, or group */
	double own_ns, longest_ns;
	/* of executions with clones, and of those with events */
	struct excess clones_excess, events_excess;
	/* repetitions of the phase completed inside the current execution */
	uint64_t repetitions;
	int pid;
};

extern struct online online;

#endif
