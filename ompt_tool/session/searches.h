/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_SEARCHES_H
#define MEMSEARCH_SESSION_SEARCHES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The two searches of `online`: begun in online_start, after its other parts were made; ended in
 * online_finish.
 */
struct search;

/* False: no memory, or no strategy (one line was logged). */
bool searches_new(void);
/* Marks the metrics that cannot be had in this run, and continues the searches of earlier runs. */
void searches_begin(void);
/* Takes what was measured last, and ends the search that the report is about, which is returned. */
struct search *searches_end(uint64_t now_ns);

#endif
