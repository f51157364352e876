/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_PROFILE_H
#define MEMSEARCH_DIFFERENTIAL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#define PROFILE_NONE UINT32_MAX

/* What identifies a region in other builds of the program is everything but line and offset. */
struct profile_place {
	uint32_t parent; /* an earlier place, or PROFILE_NONE */
	enum ms_region_kind kind;
	const char *function, *file; /* "" unknown; SERIAL_REGION: of its begin */
	const char *next;            /* SERIAL_REGION: "function file" of its end; else "" */
	const char *path;            /* functions that lead there: "main -> step"; "" unknown */
	int line;                    /* 0 unknown */
	uint64_t offset;             /* of its code in its file */
	const char *words;           /* for people: "loop in calc2 (swim.c:117)" */
	/* a hash of the names of the arrays that it accesses; 0: none is known */
	uint64_t arrays;
	/* the runtime distributes its work: its values differ from run to run */
	bool varies;
	/*
	 * bursts of its accesses alone were recorded, which stand for its time: they are counted
	 * otherwise in the next run
	 */
	bool bursts;
	/* in a typical execution of the phase; and its accesses were recorded, of one at least */
	bool executed, recorded;
};

struct profile_array {
	const char *kind, *name;     /* name "": the allocation tells it */
	const char *function, *file; /* of the declaration or allocation; "" unknown */
	int line;
	const char *words; /* for people */
};

/* PROFILE_BY_LINE, PROFILE_BY_INSTRUCTION; a thread is its number alone */
struct profile_part {
	uint32_t place;
	const char *function, *file;
	int line;
	uint64_t offset;   /* PROFILE_BY_INSTRUCTION; else 0 */
	uint64_t accesses; /* a hash of the array accessed there, and how */
};

struct profile_value {
	uint32_t place, array, part; /* PROFILE_NONE: added up */
	uint32_t metric;             /* row of metrics.h */
	double value;
	/* part of it that another run of the same binary may not have; 0: it has the same value */
	double uncertain;
};

/*
 * Error of a region's mean, by the scatter of the executions of one run: upper bound of the
 * standard error of the value of a mean execution of the phase. Assumes that executions of the
 * region within one execution of the phase, and delays of threads, are fully correlated.
 */
struct profile_error {
	double error;      /* NAN: not known */
	double executions; /* of the phase; 0: the metric was not measured there */
};

/*
 * A finding: a property that was proven, for `property diff`; or a question that the run did not
 * answer.
 */
struct profile_finding {
	const char *property, *title;
	uint32_t place, array;
	double severity, low, high; /* share of the phase's thread-time */
	/* the property's own value ("rate" or the first of its evidence); NAN: none */
	double value;
	const char *value_name, *value_unit; /* of that evidence; NULL: none */
	/* it rests on recorded or simulated accesses, but for its share of the time */
	bool of_data;
	bool open; /* neither proven nor disproven */
};

/* Resources with a bound: what memory delivers, a lock, the one thread that runs serial code. */
enum profile_resource { PROFILE_BANDWIDTH, PROFILE_LOCK, PROFILE_SERIAL };

struct profile_use {
	enum profile_resource kind;
	uint32_t place; /* a lock (MUTEX), serial code, or the phase */
	/* share of the phase's time in which it is in use; of bandwidth of what can be attained */
	double used;
	double hold_ns; /* of locks: held each time, mean; NAN: not known */
	/* of locks: what threads wait for it in one execution of the phase; else 0 */
	double waited_ns;
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
