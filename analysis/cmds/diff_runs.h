/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_DIFF_RUNS_H
#define MEMSEARCH_CMDS_DIFF_RUNS_H

#include <stddef.h>

#include "analysis/differential/match.h"
#include "analysis/differential/profile.h"

/*
 * The runs that `memsearch diff` compares, from its operands:
 *
 *     base.ms new.ms                          a record or a store each
 *     a1.ms,a2.ms,a3.ms b1.ms,b2.ms,b3.ms     groups of runs
 *     sweep.db@threads=16 sweep.db@threads=32 runs of a store with these settings
 *     sweep.db                                the sides are the values of the setting that varies:
 *                                             of threads the fewest but one, and the most
 */
struct arena;
struct command;
struct show_how;

struct diff_runs {
	/* of all sides, and of what lies between them in a sweep */
	const struct profile **profiles;
	size_t nr, room;
	enum match_side *sides; /* of those that are compared, which come first … */
	size_t nr_compared;     /* … and their number */
	const char *names[MATCH_SIDES];
	size_t *columns;           /* of each profile: number of its name in … */
	const char **column_names; /* … the sides, or all values of the setting, in order */
	size_t nr_columns;
	/*
	 * by column: its number of threads, or the number that the setting's value is; NULL: it is
	 * none
	 */
	double *loads;
	const char *load; /* "threads", or the setting */
};

/*
 * Records are simulated as `how` says. COMMAND_GO_ON, or an exit code after a message. The profiles
 * live in `arena`. `of_run` is empty before and after: runs are read into it, one at a time, and
 * its memory is there for what comes next, as fresh pages cost more.
 */
int diff_runs_read(const struct command *command, struct arena *arena, struct arena *of_run,
		   int nr_operands, char *const *operands, const struct show_how *how,
		   enum profile_by by, struct diff_runs *out);

/* The runs of any number of such operands, without comparison: all are of the side MATCH_NEW. */
int diff_runs_all(const struct command *command, struct arena *arena, struct arena *of_run,
		  int nr_operands, char *const *operands, const struct show_how *how,
		  enum profile_by by, struct diff_runs *out);

#endif
