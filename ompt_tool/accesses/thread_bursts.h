/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_THREAD_BURSTS_H
#define MEMSEARCH_ACCESSES_THREAD_BURSTS_H

#include <stdbool.h>
#include <stdint.h>

/* Bursts (thread_burst.h) of all threads: their limit, and their time by region. */

/*
 * Allows bursts in regions that begin from now on: they may take `left_ns` of CPU time per thread
 * plus the share `limit` of the time from now on (0, 0: no bursts). On the initial thread, in serial
 * code.
 */
void thread_bursts_allow(double left_ns, double limit);
/* Number of bursts since thread_bursts_allow that should be repeated: slow and dropped ones. */
uint32_t thread_bursts_left(void);
/*
 * Time of the program in recorded bursts since the last call, in ns, summed over threads, without
 * the cost of recording. `region`: a parallel region (with its constructs), a construct or a task.
 * *uneven_out: words of the construct were recorded at different speeds. At phase boundaries.
 */
uint64_t thread_bursts_take(uint32_t region, bool *uneven_out);

#endif
