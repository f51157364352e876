/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_THREAD_LOCKS_H
#define MEMSEARCH_PROCESS_THREAD_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* Locks that a thread holds (thread.h), and which of their acquisitions are measured. */

/*
 * What a measured acquisition stands for: a number of them, and a multiple of its times, in 256ths
 * (integers: the program may read the floating-point exception flags).
 */
struct lock_weight {
	uint32_t nr, times_256;
};

/* A lock held by the thread, from mutex_acquired until its release. */
struct held_lock {
	uint64_t wait;                    /* the runtime's identifier */
	uint64_t acquire_ns, acquired_ns; /* begin of the wait, and acquisition */
	uint32_t region;                  /* region of the acquiring construct */
	struct lock_weight weight;
	bool critical;
	uint16_t depth; /* nest locks: number of further acquisitions */
};

/* Which acquisitions of locks are measured, see events/mutex_sampling.h. */
struct lock_sampling {
	uint32_t generation;  /* events.lock_generation that the rest is of */
	uint32_t to_skip;     /* acquisitions before the next burst */
	uint32_t bursts;      /* that the current or next one stands for */
	uint32_t taken;       /* acquisitions of the current burst */
	bool begins, skipped; /* the one under way begins a burst, or is not measured */
	bool single;          /* it stands for itself alone */
	bool tried;           /* the last one was a test lock's, and failed or is under way */
	bool skips_next;      /* what was decided at that */
	struct lock_weight of;
	/* of the current burst, of its last acquisition, of the end of the last burst */
	uint64_t begin_ns, now_ns, end_ns;
	uint64_t bursts_ns, nr_bursts;
	/* where all were measured */
	uint64_t acquisitions, handovers, handover_ns;
};

/* Values of the lock being released, which are added after its release. */
struct lock_release {
	/* where it was acquired, and its MUTEX region; MS_REGION_NONE: none */
	uint32_t region, mutex;
	uint64_t variable;
	struct lock_weight weight;
	bool handover; /* another thread held it before */
	uint64_t wait_ns, held_ns, handover_ns;
};

#endif
