/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_COST_H
#define MEMSEARCH_SESSION_COST_H

#include <stdint.h>

#include "analysis/search/engine_config.h"

/* The cost of measuring in the session `online`. */

/* Wall time that the program has lost to measuring since the start, in ns (estimated). */
double cost_lost_ns(void);
/*
 * Time that the next query of page nodes may take, in ns: a part of the limit, less the time spent.
 */
double cost_placing_ns(void);
/* The time of a verdict (struct engine_config); no context. */
struct engine_time cost_time(void *ctx);
/* Writes wall time, number of threads and cost up to `now_ns` to the run. */
void cost_note(uint64_t now_ns);
/*
 * The cost of the end so far, which is not measured later: all except writing the record, and the
 * report.
 */
void cost_note_end(uint64_t begin_ns);

#endif
