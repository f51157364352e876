/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_WRITING_H
#define MEMSEARCH_SESSION_WRITING_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt_tool/phases/detector.h"

/*
 * The state ONLINE_WRITING: in one execution of the phase, or a group of short ones, between
 * experiments of the search, pages of arrays are watched for writes (placement/page_writes.h,
 * --page-writes). Meanwhile page faults alone are sampled, and the execution is no experiment: its
 * writes are slower. On the initial thread.
 */

/* After an experiment: watches pages, once, if that is requested and accesses are not recorded now. */
void writing_begin_if_due(void);
/* In the state ONLINE_WRITING: takes the detector's answer. False: it is another part's. */
bool writing_answer(enum detector_answer what, uint64_t now_ns);
/* Ends watching in any state, without a result, for this reason. */
void writing_stop(const char *why);

#endif
