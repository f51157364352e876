/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_SEARCHES_H
#define MEMSEARCH_SESSION_SEARCHES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The two searches of `online`: created in online_start, after its other parts; ended in
 * online_finish.
 */
struct search;

/* False: no memory, or no strategy (one line was logged). */
bool searches_new(void);
/* Marks the metrics that this run does not measure, and continues the searches of earlier runs. */
void searches_begin(void);
/* Adds the last measurements, ends the search that the report uses, and returns it. */
struct search *searches_end(uint64_t now_ns);

#endif
