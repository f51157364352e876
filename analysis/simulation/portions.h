/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_PORTIONS_H
#define MEMSEARCH_SIMULATION_PORTIONS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Which accesses of the executions that a record keeps are simulated, where there is no time for all: of each thread in each region of an execution as
 * many as there is time for, the same number for all, so that no region goes without.
 *
 *     filling the caches      ░░░░░░░░░░░░░░████     what the region ends with: the next execution finds that there
 *     counting                ████░░░░░░░░░░░░░░     what it begins with; it stands for all
 *
 * So a loop through more than the caches hold misses what it begins with, as it does in the program. One thread at a time.
 */
struct arena;
struct portions;

/* For that number of executions, threads and regions (regions beyond are one). NULL: no memory, or far too many. */
struct portions *portions_new(struct arena *arena, uint32_t executions, uint32_t threads, uint32_t regions);
/* First all of the accesses, in their order; then what there is time for: that many in all, of which each is wanted or not. An entry is `times` times so many accesses. */
void portions_note(struct portions *portions, uint32_t execution, uint32_t thread, uint32_t region, uint64_t accesses, uint64_t times);
void portions_limit(struct portions *portions, uint64_t most);
uint64_t portions_all(const struct portions *portions);   /* wanted accesses, in all executions */
bool portions_are_whole(const struct portions *portions);        /* nothing has been limited: all are wanted */
void portions_begin(struct portions *portions, uint32_t execution, bool counting);
/* How many times of the next entry are wanted, after how many that are not. A part of a time counts as one. */
struct portion { uint64_t skip, times; };
struct portion portions_wanted(struct portions *portions, uint32_t thread, uint32_t region, uint64_t accesses, uint64_t times);
/* How many times more the region has in the execution under way than what was wanted of it so far; 1: all was. */
double portions_times(const struct portions *portions, uint32_t region);

#endif
