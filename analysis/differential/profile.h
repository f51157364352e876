/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_PROFILE_H
#define MEMSEARCH_DIFFERENTIAL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/differential/profile_rows.h"
#include "analysis/record/run.h"

/*
 * The profile of one run: a histogram of its measurements over buckets (McKenney, "Differential
 * Profiling", 1999), small enough that many runs fit in memory. A bucket is a place (region), a
 * data structure or none, a part (source line, instruction or thread) or none, and a metric
 * (metrics.h). Values are sums over all threads in one mean execution of the phase. A value that
 * was not measured has no row.
 *
 * A value measured in some executions of a region stands for as many as a mean execution of the
 * phase has: so runs in which other executions were recorded have equal values. Without times of
 * the region the recorded executions count as typical.
 */
struct arena;

/*
 * Regions and the data structures in them are in each profile; lines, instructions and threads take
 * memory and are there on request. By caller: functions that lead to regions are places of kind
 * SUB_REGION, charged with all that is below them.
 */
enum profile_by {
	PROFILE_BY_ARRAY,
	PROFILE_BY_LINE,
	PROFILE_BY_INSTRUCTION,
	PROFILE_BY_THREAD,
	PROFILE_BY_CALLER
};

/* The time of the phase, its place: the whole program or phase. */
struct profile {
	/* machine: the simulated one, "" none; build: build-id of the program, "" unknown */
	const char *program, *command, *machine, *runtime, *cpu, *host, *build;
	const char *binary, *arguments, *environment, *placement;
	uint32_t threads, cpus;
	uint64_t start_ns;
	bool complete, oversubscribed, swapped_runtime, bound;
	/*
	 * other runs of the binary with the same one and as many (RUN_BASIS_STEADY: nearly so with
	 * any number of) …
	 */
	enum run_basis basis;
	/*
	 * … short steps, of which values are the mean, have the same simulated values;
	 * RUN_BASIS_MIXED: …
	 */
	uint32_t steps;
	/* … why they have not, static; NULL: they have, or nothing was simulated */
	const char *basis_why;
	/* set sampling 1:N of the simulated caches; 0, 1: all sets */
	uint32_t lines_one_in;
	double bandwidth; /* attainable, bytes/s; 0: not known */
	double phase_ns;  /* of a mean execution; NAN: unknown */
	/*
	 * wall time over that of the same configuration without memsearch, where it was run, else
	 * its estimate
	 */
	double perturbation;
	/* of all data caches of the CPUs; of the data structures; 0: not known */
	double cache_bytes, data_bytes;
	uint64_t executions; /* of the phase */
	enum phase_method method;
	const struct run_setting *settings;
	size_t nr_settings;
	struct profile_place *places;
	size_t nr_places, room_places;
	struct profile_array *arrays;
	size_t nr_arrays, room_arrays;
	struct profile_part *parts;
	size_t nr_parts, room_parts;
	/* of one place, data structure and part next to each other */
	struct profile_value *values;
	size_t nr_values, room_values;
	/*
	 * [nr_places][compared_metrics_nr()], of all but recorded and simulated accesses; NULL: not
	 * known
	 */
	struct profile_error *errors;
	struct profile_finding *findings;
	size_t nr_findings, room_findings;
	struct profile_use *uses;
	size_t nr_uses, room_uses;
	/* of report/cause.h: its kind as property, its first array */
	struct profile_finding *causes;
	size_t nr_causes, room_causes;
};

/*
 * Value of a setting: those of a sweep (settings.h), of any run "threads", and "machine" where one
 * was simulated. NULL: none of that name.
 */
const char *profile_setting(const struct profile *profile, const char *name);
/* Everything of the profile lives in `arena`; nothing points into the run. NULL: no memory. */
struct profile *profile_of(struct arena *arena, const struct run *run, enum profile_by by);

#endif
