/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_RUN_CONTENTS_H
#define MEMSEARCH_SESSION_RUN_CONTENTS_H

/*
 * Fills the run of `online`: verdicts and values of a search, regions, modules, places, hot lines,
 * data structures.
 */
struct search;

/* The parts that are cheap enough while the program runs. */
void run_contents_so_far(const struct search *search);
/* All parts, including source lines and explanations. */
void run_contents_at_end(struct search *search);

#endif
