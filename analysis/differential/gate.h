/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_GATE_H
#define MEMSEARCH_DIFFERENTIAL_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/differential/compare.h"

/*
 * Limits of differences, for CI:
 *
 *     l2_misses>+5%           the whole phase
 *     bytes:calc2/unew>+2%    one data structure in the regions of a function (or at a line:
 *                             swim.c:117)
 *     bytes:/unew>+2%         … in all regions together
 *     remote_lines:*>+10%     each region
 *     l3_misses>250000        the new side's own value, in one mean execution of the phase
 *
 * Of a metric that the CPU counted and that was simulated, too, the simulated one is meant. A limit
 * is exceeded by a proven difference only. What was not measured, or not in the same way on both
 * sides, and names that match nothing, are errors: a gate that cannot see must not pass.
 */
struct arena;
struct comparison;

enum limit_effect { LIMIT_FAIL, LIMIT_WARN };

struct limit {
	const char *text;  /* as the user wrote it */
	const char *where; /* "file:line" of a limits file, or "--fail-on" */
	/* of the limits file, as the user named it; NULL: none … */
	const char *path;
	unsigned int line; /* … and its line there */
	enum limit_effect effect;
	const char *metric; /* a name of metrics.h */
	const char *region; /* NULL: the whole phase; "*" each */
	const char *array;  /* NULL: all together */
	bool relative;
	double most; /* 0.05 of +5%; or a value */
};

struct limits {
	struct limit *items;
	size_t nr, room;
};

enum limit_state { LIMIT_KEPT, LIMIT_EXCEEDED, LIMIT_UNCERTAIN, LIMIT_UNMEASURED };

struct limit_result {
	const struct limit *limit;
	enum limit_state state;
	const struct difference *worst; /* that decides it; NULL: LIMIT_UNMEASURED */
	/*
	 * of a limit of the phase or a region: the bucket inside with the largest share of the
	 * difference; NULL
	 */
	const struct difference *part;
	double change;   /* relative; INFINITY from 0; of limits of values NAN */
	const char *why; /* uncertain, unmeasured; else NULL */
};

/* NULL, or what is wrong in words, in the arena. */
const char *limit_parse(struct arena *arena, struct limits *limits, const char *text,
			enum limit_effect effect, const char *where);
/*
 * A limits file: lines "fail LIMIT" and "warn LIMIT", blank ones, and comments that begin with #.
 * The same; a file without a limit is wrong.
 */
const char *limits_parse(struct arena *arena, struct limits *limits, const char *path,
			 const char *text, size_t length);

/* [limits->nr], in the arena; NULL: no memory. */
struct limit_result *limits_check(struct arena *arena, const struct limits *limits,
				  const struct comparison *comparison);

#endif
