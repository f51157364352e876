/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_EVENTS_LOCK_EVENTS_H
#define MEMSEARCH_EVENTS_LOCK_EVENTS_H

#include <omp-tools.h>

/* Events of locks that no runtime has, or lacks the end of: from the code in locks/. */

/*
 * For locks of which no runtime has events: call on the thread that acquires one, before it waits and
 * when it has it. A lock that waits for a condition is free meanwhile, and is forgotten before.
 */
void events_acquire(ompt_mutex_t kind, ompt_wait_id_t variable, const void *codeptr);
void events_acquired(ompt_mutex_t kind, ompt_wait_id_t variable, const void *codeptr);
void events_forget_lock(ompt_wait_id_t variable);
/*
 * For a runtime without these events: call on the thread that holds the lock, before and after it
 * releases it. Any thread of the program. `variable`: address of the lock variable, 0 for the
 * unnamed critical constructs if the runtime has none for these.
 */
void events_releasing(ompt_mutex_t kind, ompt_wait_id_t variable);
void events_released(ompt_mutex_t kind);
/*
 * States that releases are reported, by these functions or by a runtime's events; before
 * online_start.
 */
void events_see_releases(void);

#endif
