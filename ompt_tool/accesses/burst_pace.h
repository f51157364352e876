/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_BURST_PACE_H
#define MEMSEARCH_ACCESSES_BURST_PACE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * When a thread records bursts of accesses in one execution of a parallel region, and how long they
 * are. The first one begins with the region. Others begin with a task or construct, as threads enter
 * clones there: each time the region has lasted twice as long as at the end of the last one. So a
 * region with different tasks one after the other has recorded some of all, in a number of bursts
 * that grows with the logarithm of its time. (Constructs that were not recorded yet begin others:
 * thread_burst.h.)
 *
 *     region  ─┬─────┬────────────┬─────────────────────────┬──▶
 *     bursts   ████    ████           ████                     ████
 *
 * In integers: floating-point arithmetic would raise flags of the program. Any thread.
 */
#define BURST_LEAST_NS 4000000 /* of a burst: one full buffer may take that */

struct burst_pace {
	uint64_t begun_ns; /* of the region, on the clock of thread_clock_ns */
	uint64_t left_ns;  /* CPU time per thread that bursts may take at its begin */
	/* thousandths of the time after it that are added to that, BURST_LIMIT_MOST at most */
	uint32_t limit;
};
#define BURST_LIMIT_MOST 100000

/*
 * CPU time of a burst that begins now, on a thread whose bursts have taken `spent_ns` in the region;
 * 0: too little is left.
 */
uint64_t burst_pace_ns(const struct burst_pace *pace, uint64_t now_ns, uint64_t spent_ns);
/* `ended_ns`: end of the thread's last burst in the region. */
bool burst_pace_is_due(const struct burst_pace *pace, uint64_t now_ns, uint64_t ended_ns);
/*
 * Whether a burst that is due at `due_ns` has not begun for too long: the thread creates tasks, and
 * executes none.
 */
bool burst_pace_is_over_due(const struct burst_pace *pace, uint64_t now_ns, uint64_t due_ns);
/*
 * Tasks that a thread may have created as clones so far although no burst of its own was due: other
 * threads may record them. A thread that executes one and records no burst leaves it, at a cost.
 */
uint64_t burst_pace_spare_clones(const struct burst_pace *pace, uint64_t now_ns);

#endif
