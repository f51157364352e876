/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_RUN_CONTENTS_H
#define MEMSEARCH_SESSION_RUN_CONTENTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Fills the run of `online`: verdicts and values of a search, regions, modules, places, hot lines,
 * data structures.
 */
struct search;

/* The parts that are cheap enough while the program runs. */
void run_contents_so_far(const struct search *search);
/*
 * All parts, including what was not measured, source lines and explanations. `cut_short`: as for
 * online_finish.
 */
void run_contents_at_end(struct search *search, uint64_t now_ns, const char *cut_short);

/*
 * After run_contents_at_end: ends another search of the same run, which has seen other executions,
 * and makes a run of it. Tables that do not differ are those of online.run. `same_regions`: the
 * other executions are of the same phase, so that source lines of samples, which are not known for
 * each search, are left out. False: no memory.
 */
struct run;
struct run_phase;
bool run_contents_of(struct run *out, const struct search *search, const struct run_phase *phase,
		     bool same_regions);

#endif
