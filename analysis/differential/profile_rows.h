/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_PROFILE_ROWS_H
#define MEMSEARCH_DIFFERENTIAL_PROFILE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "memsearch/region.h"

/*
 * Rows of a profile (profile.h): what its buckets are of, their values and errors, and what the run
 * found and used.
 */
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

#endif
