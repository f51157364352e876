/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_ACCESS_GROUPS_H
#define MEMSEARCH_REPORT_ACCESS_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"
#include "analysis/report/misses.h"

/* What recorded code does to the data structures of a run, in words. For `memsearch arrays`. */
struct arena;
struct json;
struct table;
struct text;

/*
 * Accesses to one array from one source line of one region, in natural loops of one source line;
 * all numbers are of one execution of the region.
 */
struct access_group {
	uint32_t array, region; /* array RUN_ARRAY_NONE: in none of the arrays */
	/*
	 * region of the innermost natural loop, of several one with many of the values;
	 * MS_REGION_NONE: in none
	 */
	uint32_t loop;
	const struct source *source;
	double executions;    /* of the region in one of the phase */
	double reads, writes; /* values */
	double bytes;
	double stride;      /* of most of its instructions' values; 0: none */
	double with_stride; /* part of the values that keep to it */
	/* values of the thread with the fewest and the most, summed over instructions */
	double least, most;
	uint32_t threads;
	/* of the modelled machine; in one execution of the phase */
	struct misses misses;
};

struct access_groups {
	const struct run *run;
	/* by array, the one with the most values first, and in it the line with the most first */
	const struct access_group *items;
	size_t nr;
	double waited; /* by arrays_view; to say what part of it a line has */
};

/*
 * By array_use_rates, in the arena. Without regions of which no execution was recorded completely
 * (recorded.h names them).
 */
struct access_groups access_groups(struct arena *arena, const struct run *run, const double *rates);

/* "swim.c:98", "near swim.c:98", "f+0x12 in libx.so"; never empty. */
const char *access_line(struct arena *arena, const struct source *source);

/* "loop": {…} into an object, null for MS_REGION_NONE. */
void access_loop_json(struct json *json, struct arena *arena, const struct run *run, uint32_t loop);

/*
 * A table of lines that access arrays, those that move most first, in one execution of the phase;
 * nothing where nothing was recorded. `most` rows, 0: all; without `all` nothing that is in no
 * array, no rows of stacks with less than a tenth of all, and no others with less than a hundredth.
 * Returns how many were left out because of `most`.
 */
size_t accesses_by_line(struct text *out, const struct access_groups *groups, size_t most,
			bool all);
/* The same as CSV: the columns, then a run's rows. */
void accesses_csv_columns(struct table *table, struct arena *arena);
void accesses_csv(struct table *table, struct arena *arena, const struct access_groups *groups,
		  size_t number);
/*
 * A table of the lines that threads share, and a sentence on what that is; without `all` none of
 * stacks or less than a hundredth.
 */
void accesses_shared_lines(struct text *out, const struct access_groups *groups, bool all);
/* "accesses": [...] and "sharing": [...] into the object of a run. */
void accesses_json(struct json *json, struct arena *arena, const struct access_groups *groups);

#endif
