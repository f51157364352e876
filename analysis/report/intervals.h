/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_INTERVALS_H
#define MEMSEARCH_REPORT_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The intervals of a run as rows, from the entire execution to the parts in which questions were
 * asked, and what was found in them. Not here: candidates as "…, during 'interval 3'" (finding.h).
 */
struct arena;
struct run;
struct run_node;

struct interval_row {
	const char *name;
	const char *in;   /* names of the smallest intervals around it; NULL: none */
	const char *kind; /* "run", "phase", or ms_interval_kind_name */
	/* since when it is known: "static", in memsearch; "start", by options; "run", while it ran */
	const char *born;
	double executions, first, last; /* of the phase; NAN: not counted */
	double wall_ns;                 /* of these */
	const char *state;              /* "ended", "open" */
};

/* Returns the number of rows, in the arena. */
size_t interval_rows(struct arena *arena, const struct run *run, const struct interval_row **out);
/*
 * In which intervals a finding is true and in which not: "98 % of the time of 'interval 3' (steps 200
 * to 299); not in 'interval 4'". "": it was tested in none.
 */
const char *interval_words(struct arena *arena, const struct run *run, const struct run_node *node);

#endif
