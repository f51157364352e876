/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_EVENTS_MUTEX_SAMPLING_H
#define MEMSEARCH_EVENTS_MUTEX_SAMPLING_H

#include <omp-tools.h>
#include <stdbool.h>

#include "ompt_tool/process/thread.h"

/*
 * Which acquisitions of locks are measured: all of nest locks, and all others until a thread acquires
 * more often than every 4 us: then bursts, one in 16 on average at random distances. Events of the
 * others end in the gate (callbacks.c). A burst stands for the acquisitions since the last one; its
 * waits and holds for those in the time since then, as the program is slower while it is measured. Who
 * held a lock before is known only where all are measured: hand-overs of the others are estimated by
 * those. All functions: owner only, callbacks allowed.
 */

/* Its owner may acquire it again, which has to be distinguished from a first acquisition. */
static inline bool mutex_is_nest(ompt_mutex_t kind)
{
	return kind == ompt_mutex_nest_lock || kind == ompt_mutex_test_nest_lock;
}

/* It may fail: then there is no mutex_acquired. */
static inline bool mutex_is_test(ompt_mutex_t kind)
{
	return kind == ompt_mutex_test_lock || kind == ompt_mutex_test_nest_lock;
}

/*
 * At mutex_acquire; false: this acquisition and its release are not measured. A test that failed is no
 * acquisition: the next one is measured or skipped in its place.
 */
bool mutex_sampling_takes(struct thread *self, ompt_mutex_t kind);

/* At mutex_acquired; false: this acquisition is not measured. */
bool mutex_sampling_took(struct thread *self);

/* An acquisition begins to be measured. */
void mutex_sampling_note(struct thread *self, uint64_t now_ns);

static inline struct lock_weight mutex_sampling_weight(const struct thread *self)
{
	return self->lock_sampling.single ? (struct lock_weight){ 1, 256 } : self->lock_sampling.of;
}

/* Hand-overs that a release stands for, in 256ths, and the time of one. */
struct lock_handover {
	uint32_t times_256;
	uint64_t ns;
};
struct lock_handover mutex_sampling_handover(struct thread *self, struct lock_weight weight,
					     bool handover, uint64_t handover_ns);

#endif
