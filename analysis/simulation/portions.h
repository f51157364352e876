/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_PORTIONS_H
#define MEMSEARCH_SIMULATION_PORTIONS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Selects the accesses that are simulated when time is limited: the same maximum for each thread in
 * each region of an execution, so that every region has some, from its begin on. They are
 * extrapolated to all.
 *
 *     loop 1  ████░░░░░░░░░░    loop 2  ████░░░░░░░░░░░░░░░░░░░    loop 3  ████░
 *
 * What lies between is replaced (skipped_data.h). One thread at a time.
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
/* Each thread and region with accesses in an execution; regions that share a cell are left out. */
typedef void portions_visit(void *ctx, uint32_t execution, uint32_t thread, uint32_t region);
void portions_each(const struct portions *portions, portions_visit *visit, void *ctx);
uint64_t portions_all(const struct portions *portions);   /* selected accesses of all executions */
bool portions_are_whole(const struct portions *portions); /* all accesses are selected */
void portions_begin(struct portions *portions, uint32_t execution);
/* Selected iterations of the next entry, the first ones. A part of an iteration counts as one. */
uint64_t portions_wanted(struct portions *portions, uint32_t thread, uint32_t region,
			 uint64_t accesses, uint64_t times);
/* Accesses of the region in the current execution, on one thread. */
uint64_t portions_of(const struct portions *portions, uint32_t thread, uint32_t region);
/* Ratio of the region's accesses in the current execution to the selected ones so far; 1: all. */
double portions_times(const struct portions *portions, uint32_t region);

#endif
