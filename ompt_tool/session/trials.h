/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_TRIALS_H
#define MEMSEARCH_SESSION_TRIALS_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt_tool/placement/numa_library.h"
#include "ompt_tool/session/trial_plan.h"

/*
 * Trials of placements (--try): between executions of the phase pages of arrays are moved to other
 * nodes and back, and executions with and without the move are compared.
 *
 *     settle │ A │ move │ settle │ B │ B │ move back │ settle │ A │ A │ move │ …
 *
 * A and B are blocks of executions, at least TRIALS_BLOCK_NS long together; the order A B B A
 * cancels a drift of the program's speed. One block of each is a pair. A trial ends when the 95 %
 * interval of the gain (Student's t over the pairs) is narrow enough, or after TRIALS_PAIRS_MOST.
 * Then all pages are moved back, and the next change is tried. Meanwhile nothing is measured.
 *
 * All on the initial thread, at phase boundaries.
 */
struct arena;
struct run;
struct trials;

#define TRIALS_BLOCK_NS 50e6
#define TRIALS_PAIRS_LEAST 4u
#define TRIALS_PAIRS_MOST 12u
/* Enough: a half width below NARROW, or below this part of the gain. */
#define TRIALS_NARROW 0.01
#define TRIALS_NARROW_PART 0.25
/* executions of the phase after which bursts alone suffice for a plan */
#define TRIALS_WAIT 16u
#define TRIALS_AT_ONCE_MOST 5 /* changes that are tried */

/*
 * At the tool's start, after run->machine is known. `move_pages` NULL: that of libnuma. NULL: no
 * memory. run->trying.why has the reason if nothing can be tried.
 */
struct trials *trials_new(struct arena *arena, struct run *run, numa_move_pages *move_pages);
/* Whether something can be tried that was not yet. */
bool trials_are_open(const struct trials *trials);
/*
 * Plans the trials by accesses that were recorded in regions of the phase, and begins. False: there
 * is nothing to try, for which run->trying.why has the reason.
 */
bool trials_begin(struct trials *trials, trial_plan_in_phase *in_phase, void *ctx);
/*
 * `executions` of the phase have taken `wall_ns`. False: all trials are done, and pages lie where
 * they did.
 */
bool trials_execution(struct trials *trials, double wall_ns, uint64_t executions);
/*
 * Ends the trials early, for this reason. `moves_back`: pages are moved back; not where the process
 * ends.
 */
void trials_end(struct trials *trials, const char *why, bool moves_back);

#endif
