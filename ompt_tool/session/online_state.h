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
#include "ompt_tool/session/experiment.h"

/*
 * What start.c, online.c with its parts (while the program runs) and finish.c (at its end) share.
 * One instance in a process, touched by one thread at a time.
 *
 * There are two searches. `whole` sees the program as one phase, in stretches of a second or more,
 * with everything measured; it is used until the main phase is found, and for the report of a
 * program that has none. `phase` sees executions of the main phase and measures only what it asks
 * for.
 */
enum online_state {
	ONLINE_OFF,       /* not started, ended, or the child of a fork */
	ONLINE_WATCHING,  /* no phase known yet */
	ONLINE_SEARCHING, /* inside an execution of the phase */
	ONLINE_BETWEEN,   /* marked phases: between an end mark and the next begin mark */
	ONLINE_PAUSED,    /* omp_control_tool said pause */
};

struct carry;
struct inventory;
struct placing;

struct search {
	struct database *db;
	struct engine *engine;
};

struct online {
	enum online_state state;
	bool ended; /* omp_control_tool said end */
	struct arena *arena;
	struct options options;
	struct segment *segment;
	struct detector *detector;
	struct experiment *experiment;
	struct property_set *properties;
	struct search whole, phase;
	struct carry *carry; /* measurements of earlier runs, for `whole` */
	struct run run;
	struct sensor_record sensor_record; /* of `run` */
	struct inventory *inventory;
	struct placing *placing;
	bool read_midway; /* declarations, and not only at the end */
	struct record *record;
	const char *record_path;

	uint64_t start_ns;        /* initialize */
	uint64_t start_cost_ns;   /* what initialize took */
	int64_t programs_ns;      /* time of the last event that the detector saw */
	uint64_t age_at_start_ns; /* how long the process had been running by then */
	/* of a run that is no phase's, at its end: stretches that were watched */
	double watched_ns;
	uint64_t stretch_ns; /* begin of the execution or stretch under way */
	/* what callbacks had cost the initial thread at its begin */
	uint64_t stretch_cost_ns;
	/* the step of watching: how many sensors it disabled because of the limit … */
	unsigned int step;
	uint32_t without;     /* … and these are the sensors */
	uint64_t recorded_ns; /* when the record was last brought up to date */
	/* what that and the last checkpoint took */
	uint64_t record_cost_ns, checkpoint_cost_ns;
	uint64_t checkpoints; /* of watching, so far */
	bool stepped;         /* a phase or an experiment began at this boundary */
	/* what the search took for an execution that ended no experiment */
	double look_ns;
	bool everything; /* the first experiment of a phase is under way */
	/* where everything is measured: for counters that others have now … */
	bool others_wait;
	uint64_t stretches; /* … and the number of executions and stretches since the last change */
	/* of the phase, complete, inside the execution under way */
	uint64_t repetitions;
	int pid;
};

extern struct online online;

#endif
