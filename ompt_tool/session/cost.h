/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_COST_H
#define MEMSEARCH_SESSION_COST_H

#include <stdint.h>

/* The cost of measuring, of the session `online`. */

/* What measuring took of the program's wall time so far, from the start on (estimated). */
double cost_lost_ns(void);
/* What the next question about nodes of pages may take: a part of the limit, less what was spent. */
double cost_placing_ns(void);
/* How long, on how many threads, at what cost, up to `now_ns`: into the run. */
void cost_note(uint64_t now_ns);
/*
 * The cost of the end so far, which is not measured later: all except writing the record, and the
 * report.
 */
void cost_note_end(uint64_t begin_ns);

#endif
