/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_GUARDED_STRATEGY_H
#define MEMSEARCH_SEARCH_GUARDED_STRATEGY_H

#include <stdbool.h>

/*
 * A strategy from a file that is not part of memsearch, called so that its mistakes do not end the
 * program: a fault, an abort, a call that takes GUARDED_SECONDS of CPU time, or more than
 * GUARDED_CANDIDATES candidates in a search end its part. One line says so, and `instead` proposes
 * from then on, beginning with what is proven by now.
 *
 * During a call the process has handlers for these signals, which pass on what other threads raise,
 * and the thread a signal stack. What the strategy writes to wrong addresses before it fails, and
 * threads that it starts, are out of reach.
 *
 * One such strategy at a time in a process: ms_strategy.init has no argument for it.
 */
#define GUARDED_SECONDS 1
#define GUARDED_CANDIDATES 50000 /* 20 MB; property_refine proposes some hundred on swim */

struct ms_strategy;

/* `instead` NULL: nothing is proposed any more. */
const struct ms_strategy *guarded_strategy(const struct ms_strategy *strategy,
					   const struct ms_strategy *instead);
bool guarded_strategy_failed(void);

#endif
