/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_RETURNING_PAGES_H
#define MEMSEARCH_SIMULATION_RETURNING_PAGES_H

struct database;
struct run;

/*
 * MS_METRIC_PAGE_MOVES of data structures, from the nodes that the kernel had their pages on while the
 * program ran (run_placement.h). Where that is not known, the metric is marked as missing. To call
 * between begin and end of an execution.
 */
void returning_pages_add(struct database *db, const struct run *run);

#endif
