/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_TRYING_H
#define MEMSEARCH_SESSION_TRYING_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt_tool/phases/detector.h"

/*
 * The state ONLINE_TRYING: trials of placements (trials.h) between experiments of the phase's
 * search, which continues afterwards. On the initial thread.
 */

/* After an experiment: begins the trials, if they are due. */
void trying_begin_if_due(void);
/*
 * In the state ONLINE_TRYING: takes the detector's answer. False: the trials have ended, and it is
 * another part's.
 */
bool trying_answer(enum detector_answer what, uint64_t now_ns);
/* Ends trials that are in progress, for this reason, and moves pages back; in any state. */
void trying_stop(const char *why);

#endif
