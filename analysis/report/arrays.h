/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_ARRAYS_H
#define MEMSEARCH_REPORT_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"

/*
 * The data structures of a run in words: what they are, and who touched them first where. For
 * `memsearch arrays`.
 */
struct arena;
struct array_use;
struct misses;
struct text;

/*
 * First touches of one array from one source line (or before memsearch came), all threads together.
 */
struct touch_group {
	uint32_t array;
	bool before;
	bool by_kernel; /* by system calls such as read (run.h) */
	/* of one of them; where nothing is known, function is "" or NULL */
	const struct source *source;
	uint32_t region; /* the one with the most bytes, or MS_REGION_NONE */
	uint64_t bytes, pages, faults;
	/* ascending, each once; RUN_THREAD_UNKNOWN is not among them */
	size_t nr_threads;
	uint32_t *threads;
	/* bytes of the threads with the fewest and the most of them */
	uint64_t least, most;
	/* NUMA nodes the threads were on, as far as that is known */
	size_t nr_nodes;
	uint32_t *nodes;
};

struct array_facts;
struct arrays_view {
	const struct run *run;
	struct touch_group *groups; /* by array, the one with the most bytes first */
	size_t nr_groups;
	size_t *first; /* [nr_arrays + 1]: where an array's groups begin */
	/*
	 * [nr_order]: the arrays that are not empty; those that move most bytes in recorded code
	 * first, then the largest
	 */
	uint32_t *order;
	size_t nr_order;
	const double *rates;             /* array_use_rates */
	const struct array_use *uses;    /* [nr_arrays] */
	const struct misses *misses;     /* [nr_arrays] */
	const struct array_facts *calls; /* calls_facts */
	/* cycles of the modelled machine, in one execution of the phase, of all accesses */
	double waited;
	size_t nr_arrays;
};

/* NULL: no memory. Lives in the arena, points into the run. */
const struct arrays_view *arrays_view(struct arena *arena, const struct run *run);

/* Bytes of it with a known first touch, over all groups. */
uint64_t arrays_touched(const struct arrays_view *view, uint32_t array);
/*
 * Whether one thread was the first to touch nearly all that was seen of it, and that is most of it
 * and 64 pages or more: so it is on one NUMA node, as far as the kernel put pages where they were
 * touched.
 */
bool arrays_alone(const struct arrays_view *view, uint32_t array);
/* The group that a touch of the run is in; NULL: none. */
const struct touch_group *arrays_group(const struct arrays_view *view,
				       const struct run_touch *touch);
/*
 * "threads 0-3", "thread 0", "a thread"; where the shares of `whole` differ, with them: "threads
 * 0-3 (10-40 % each)"; "the kernel (system calls such as read)".
 */
const char *arrays_who(struct arena *arena, const struct touch_group *group, uint64_t whole);
/* "thread 3", "threads 0-3, 7"; of one at least, ascending. */
const char *arrays_threads(struct arena *arena, const uint32_t *threads, size_t nr);
/* "init.c:12", "near init.c:12", or as much as is known; NULL: nothing. */
const char *arrays_line(struct arena *arena, const struct touch_group *group);
/* Why it is not known how much of it is in memory; NULL: it is. */
const char *arrays_resident_why(const struct run_array *array);
/* Why nothing is known of first touches, or of the arrays themselves; NULL: it is. */
const char *arrays_why(struct arena *arena, const struct run *run);

enum arrays_by { ARRAYS_BY_ARRAY, ARRAYS_BY_LINE, ARRAYS_BY_REGION, ARRAYS_BY_THREAD };

struct arrays_options {
	enum arrays_by by; /* text and CSV */
	/*
	 * also those below a page, stacks that are used little, and lines that move little; text
	 * only
	 */
	bool all;
	size_t most; /* arrays or lines of a table; 0: all; text only */
	bool brief;  /* without paths and numbers of this machine */
};

typedef void arrays_writer(struct text *out, const struct run *const *runs, size_t nr_runs,
			   const struct arrays_options *options);
arrays_writer arrays_text, arrays_json, arrays_csv;
/* Of "json" and "csv"; any other format, and NULL: text. */
arrays_writer *arrays_format(const char *format);

#endif
