/* SPDX-License-Identifier: Apache-2.0 */
/* The record of this run while the program runs. */
#define _GNU_SOURCE /* secure_getenv, environ */
#include "ompt_tool/session/run_record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/base/sort.h"
#include "memsearch/sensor.h"
#include "ompt_tool/accesses/keeping.h"
#include "ompt_tool/process/this_machine.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/session/core_parts.h"
#include "ompt_tool/session/cost.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/restart.h"
#include "ompt_tool/session/run_contents.h"

/*
 * With many regions and threads checkpoints and updates of the record take long; their distance is
 * at least this many times their cost.
 */
#define COSTS_PER_STEP 100

/* Minimum interval of updates of the record; later one 8th of the run time so far. */
#define RECORD_NS 100000000ull
#define RECORDS_PER_RUN 8
#define MIB 1048576.0

#define VARIABLE_MOST 4000 /* bytes of an environment variable stored in the record, at most */
#define VARIABLES_MOST 200

static const char *variable(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value ? arena_printf(online.arena, "%.*s", VARIABLE_MOST, value) : NULL;
}

static bool is_of_runtimes(const char *entry)
{
	static const char *const prefixes[] = { "OMP_", "GOMP_", "KMP_", "LIBOMP_" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(entry, prefixes[i], strlen(prefixes[i])))
			return strchr(entry, '=') && strncmp(entry, "OMP_TOOL", 8) != 0;
	return false;
}

static int by_name(const void *left, const void *right)
{
	return strcmp(((const struct run_variable *)left)->name,
		      ((const struct run_variable *)right)->name);
}

/* But those that load this tool. */
static void note_variables(struct run *run)
{
	for (char **entry = environ; entry && *entry && run->nr_variables < VARIABLES_MOST;
	     entry++) {
		size_t length = strcspn(*entry, "=");

		if (!is_of_runtimes(*entry) || !ARENA_GROW(online.arena, run->variables,
							   run->nr_variables, run->room_variables))
			continue;
		run->variables[run->nr_variables++] = (struct run_variable){
			arena_strndup(online.arena, *entry, length),
			arena_printf(online.arena, "%.*s", VARIABLE_MOST, *entry + length + 1)
		};
	}
	if (run->nr_variables)
		sort(run->variables, run->nr_variables, sizeof(*run->variables), by_name);
}

void run_record_begin(const char *runtimes)
{
	struct run *run = &online.run;
	struct timespec now;
	bool bound;
	const char *cpus = core_allowed_cpus(&bound);

	run->program = machine_program(online.arena, &run->command);
	run->runtime = runtimes;
	run->runtime_swapped = secure_getenv(OPTIONS_RUNTIME_SWAPPED) != NULL;
	run->omp_places = variable("OMP_PLACES");
	run->omp_proc_bind = variable("OMP_PROC_BIND");
	note_variables(run);
	run->pid = (uint32_t)online.pid;
	run->strategy = online.options.strategy;
	run->cost.limit = online.options.overhead;
	run->phase.method = PHASE_WHOLE_PROGRAM;
	run->phase.region = MS_REGION_NONE;
	if (clock_gettime(CLOCK_REALTIME, &now) == 0)
		run->start_realtime_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	machine_describe(online.arena, cpus, &run->machine);
	run->machine.atomic_ns = machine_atomic_ns();
	run->machine.cycle_ns = machine_cycle_ns();
	/* without binding, the list is the kernel's own */
	machine_calibration(online.arena, bound ? cpus : NULL, &run->machine);
}

/*
 * "memsearch-swim-20261201-104729.ms", in UTC: functions of libc that convert times read the time
 * zone, which the program may set afterwards. Gregorian date of a day: H. Hinnant, chrono-Compatible
 * Low-Level Date Algorithms, civil_from_days.
 */
static const char *default_record(void)
{
	uint64_t seconds = online.run.start_realtime_ns / 1000000000;
	uint32_t day = (uint32_t)(seconds / 86400) + 719468, second = (uint32_t)(seconds % 86400);
	uint32_t of_era = day % 146097;
	uint32_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	uint32_t of_year = of_era - (365 * year + year / 4 - year / 100);
	uint32_t month = (5 * of_year + 2) / 153; /* from March */

	return arena_printf(online.arena, "memsearch-%s-%04u%02u%02u-%02u%02u%02u.ms",
			    base_name(online.run.program),
			    year + day / 146097 * 400 + (month >= 10),
			    month < 10 ? month + 3 : month - 9, of_year - (153 * month + 2) / 5 + 1,
			    second / 3600, second / 60 % 60, second % 60);
}

struct record *run_record_open(void)
{
	const char *named = online.options.output;

	if (*named && !restart_is_taken(online.arena, named))
		return record_replace(online.arena, named, &online.record_path);
	return record_create(online.arena, *named ? named : default_record(), &online.record_path);
}

static bool write_trace(void *ctx, const uint8_t *bytes, size_t nr)
{
	(void)ctx;
	return record_trace(online.record, bytes, nr) == MS_OK;
}

void run_record_keep_traces(void)
{
	if (online.record && sensor_works(MS_SENSOR_ACCESSES))
		keeping_start(online.arena, (uint64_t)(online.options.trace_limit * MIB),
			      write_trace, NULL);
}

void run_record_update(const struct search *search)
{
	uint64_t now_ns = thread_clock_ns(), elapsed_ns = now_ns - online.start_ns;
	uint64_t interval_ns = elapsed_ns / RECORDS_PER_RUN > RECORD_NS
				       ? elapsed_ns / RECORDS_PER_RUN
				       : RECORD_NS;

	if (!online.record ||
	    now_ns - online.recorded_ns < interval_ns + COSTS_PER_STEP * online.record_cost_ns)
		return;
	run_contents_so_far(search);
	cost_note(now_ns);
	record_update(online.record, &online.run);
	online.recorded_ns = thread_clock_ns();
	online.record_cost_ns = online.recorded_ns - now_ns;
}
