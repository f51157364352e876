/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_SEARCHES_H
#define MEMSEARCH_SESSION_SEARCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The two searches of `online`: created in online_start, after its other parts; ended in
 * online_finish. Further ones, of executions of the phase with other numbers of threads (varying.h).
 */
struct database;
struct search;

/* False: no memory, or no strategy (one line was logged). */
bool searches_new(void);
/* After searches_new, before searches_begin: as online.phase. False: no memory. */
bool searches_add(struct search *search);
#define SEARCHES_ADDED_MOST 64
/* Databases of all searches, online.whole's first. */
struct database *const *searches_databases(size_t *nr_out);
/* Marks the metrics that this run does not measure, and continues the searches of earlier runs. */
void searches_begin(void);
/* Adds the last measurements, ends the search that the report uses, and returns it. */
struct search *searches_end(uint64_t now_ns);
/* Saves the state of that search, with which the program's next run continues (restart.h). */
void searches_save(const struct search *search);

#endif
