/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_RUN_CONTENTS_H
#define MEMSEARCH_SESSION_RUN_CONTENTS_H

/*
 * Fills the run of `online`: verdicts and values of a search, regions, modules, places, hot lines,
 * data structures.
 */
struct search;

/* What is cheap, while the program runs. */
void run_contents_so_far(const struct search *search);
/* All of it, source lines and explanations, too. */
void run_contents_at_end(struct search *search);

#endif
