/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_PORTIONS_H
#define MEMSEARCH_SIMULATION_PORTIONS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Selects the accesses that are simulated when time is limited: the same maximum for each thread in
 * each region of an execution, so that every region has some.
 *
 *     filling the caches      ░░░░░░░░░░░░░░████     the end of the region, whose lines the next
 *                                                    execution finds in the caches
 *     counting                ████░░░░░░░░░░░░░░     the begin of the region, extrapolated to all
 *
 * So a loop over more data than the cache capacity misses at its begin, as in the program. One
 * thread at a time.
 */
struct arena;
struct portions;

/*
 * For this number of executions, threads and regions (further regions share a cell). NULL: no
 * memory, or impossible numbers.
 */
struct portions *portions_new(struct arena *arena, uint32_t executions, uint32_t threads,
			      uint32_t regions);
/*
 * First adds all accesses in order; then sets the limit: this number in total. An entry is `times`
 * iterations of a number of accesses.
 */
void portions_note(struct portions *portions, uint32_t execution, uint32_t thread, uint32_t region,
		   uint64_t accesses, uint64_t times);
void portions_limit(struct portions *portions, uint64_t most);
uint64_t portions_all(const struct portions *portions);   /* selected accesses of all executions */
bool portions_are_whole(const struct portions *portions); /* all accesses are selected */
void portions_begin(struct portions *portions, uint32_t execution, bool counting);
/*
 * Selected iterations of the next entry, and skipped ones before them. A part of an iteration
 * counts as one.
 */
struct portion {
	uint64_t skip, times;
};
struct portion portions_wanted(struct portions *portions, uint32_t thread, uint32_t region,
			       uint64_t accesses, uint64_t times);
/* Ratio of the region's accesses in the current execution to the selected ones so far; 1: all. */
double portions_times(const struct portions *portions, uint32_t region);

#endif
