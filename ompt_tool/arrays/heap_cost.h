/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_HEAP_COST_H
#define MEMSEARCH_ARRAYS_HEAP_COST_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Estimates the time that each thread spends in the hooks of allocations (heap_hooks.h): one hook in
 * HEAP_COST_PERIOD on average is timed, at random distances, and stands for as many. Not in it: calls
 * for blocks below HEAP_THRESHOLD that are not sampled, which take 2 ns a pair (bench/heap.sh).
 *
 * Integers only: in the program's floating-point environment. Callable inside malloc.
 */
#define HEAP_COST_PERIOD 64

/* Once, before the first hook: measures what a reading of the clock takes. */
void heap_cost_start(void);
/* Around each hook; 0: it is not timed. */
uint64_t heap_cost_begin(void);
void heap_cost_end(uint64_t begin_ns);
/* Of the calling thread so far, in ns. */
uint64_t heap_cost_ns(void);
/*
 * From now on the time of the calling thread's hooks is added to *spent_ns, which other threads may read
 * with relaxed atomics. NULL, the default: to the time of all threads that have none.
 */
void heap_cost_account(uint64_t *spent_ns);
uint64_t heap_cost_elsewhere_ns(void); /* of these; any thread */

/*
 * The share of a thread's time that hooks may take before blocks are no longer recorded (heap.c): a
 * fraction of the program's time. The default is that of the default limit on overhead.
 */
void heap_cost_limit(double share);
bool heap_cost_exceeds(uint64_t spent_ns, uint64_t since_ns);

#endif
