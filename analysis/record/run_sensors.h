/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_RUN_SENSORS_H
#define MEMSEARCH_RECORD_RUN_SENSORS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/debuginfo/modules.h"
#include "analysis/debuginfo/source.h"
#include "memsearch/measurement.h"

/* How a run (run.h) was measured: sensors and hardware counters, and what was not measured. */
struct arena;
struct run;

/* what `report` says of every sensor */
struct run_sensor {
	const char *name;
	bool works;
	const char *why; /* where it does not, or only in part */
};

/*
 * A metric of hardware counters that could be measured, or that the user or a property requested.
 */
struct run_counter {
	uint32_t metric;
	/* as the user named it (--event); NULL: one of the portable metrics */
	const char *event;
	/* events behind it, as the CPU's table has them; NULL: none */
	const char *formula;
	enum ms_missing why; /* MS_PRESENT: there are values */
	const char *text;    /* why in words; "" or NULL: as ms_missing_text(why) */
	/* times its values were discarded because another user took the counters */
	uint64_t taken;
};

/* How hardware counters were read. */
struct run_counting {
	const char *backend, *table; /* NULL: none worked */
	uint32_t at_once;            /* most metrics at a time */
	uint64_t sets;               /* different ones */
};

struct run_dropped {
	const char *what, *why;
	uint64_t count; /* 0: not countable */
	/*
	 * RUN_RECORDING: what recorded accesses lack; RUN_THREADS: whole threads; RUN_CONSTRUCTS: those
	 * of a parallel region; "" or NULL: none
	 */
	const char *topic;
	/* of the function whose name completes `what`; offset 0: none */
	struct code_address code;
	struct source source; /* filled when resolved */
};
#define RUN_RECORDING "recording"
#define RUN_THREADS "threads"
#define RUN_CONSTRUCTS "constructs"

/* Reasons for estimates that are complete once the accesses of the record are counted. */
#define RUN_COUNTED_IN_PART \
	"counting all would exceed the overhead limit: the bursts that were counted represent them, so that numbers of accesses are estimates"
#define RUN_LINES_IN_PART "not during the run, as marking them would exceed the overhead limit"

/* One more thing that was not measured, as far as there is memory; its texts stay the caller's. */
void run_note_dropped(struct run *run, struct arena *arena, struct run_dropped dropped);
/* The same of `count` things without a place in the code; nothing where there are none. */
void run_note_count(struct run *run, struct arena *arena, const char *what, const char *why,
		    uint64_t count);
/* Removes what was not measured for this reason. */
void run_forget_dropped(struct run *run, const char *why);

#endif
