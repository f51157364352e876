/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_ANSWER_PRIVATE_H
#define MEMSEARCH_REPORT_ANSWER_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Parts of the default report: report_answer.c (its order, causes), answer_topics.c (questions that
 * were answered with no, or not), answer_warnings.c (what casts doubt on times). For these files
 * only.
 */
struct arena;
struct lock_facts;
struct report_options;
struct run;
struct sources;
struct text;

/* What is left out, step by step, of a report that has more than LINES_MOST lines. */
struct extent {
	size_t causes, hot, missing; /* causes; hot regions; what was not measured */
	size_t lines, arrays;        /* of the first cause: source lines, rows of its table */
	bool also;                   /* further facts of it */
	size_t commands;             /* lines of next commands */
	bool spaced;                 /* an empty line before each part */
};

struct answer {
	struct text *out;
	struct arena *arena;
	const struct report_options *options;
	const struct run *run;
	bool alone;   /* there are no other runs */
	bool in_full; /* remedies of properties beyond their first sentence */
	struct extent extent;
	struct sources *sources;        /* NULL: source lines are not shown */
	const struct lock_facts *locks; /* the busiest first */
	size_t nr_locks;
};

#define ANSWER_TRACED_LEAST 0.5   /* of a step's accesses, to answer for all of them */
#define ANSWER_RECORDED_LEAST 0.5 /* of the time: else that alone is said */

/* The line of warnings; nothing where there are none. */
void answer_warnings(struct answer *answer);
/* "locks, tasks": questions that are open; NULL: none is. */
const char *answer_open_topics(const struct answer *answer);
/* The lists "Checked, not a problem" and "Not measured". */
void answer_checked(struct answer *answer);
void answer_not_measured(struct answer *answer);

/* Part of a step's accesses that was traced, and simulated; the others were counted. */
double answer_traced(const struct run *run);
/* That is too little to answer for all of them. */
bool answer_is_traced_in_part(const struct run *run);
/* "a longer run", or one with more overhead: how to measure more. */
const char *answer_more(const struct run *run);
/* "300 k"; "-": no memory. In the arena. */
const char *answer_count(struct arena *arena, double count);

static inline const char *answer_plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

#endif
