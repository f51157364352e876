/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_PLACING_H
#define MEMSEARCH_SESSION_PLACING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Schedules queries of the nodes of arrays' pages (placement/placement_map.h): at the end of the
 * first measured execution of the phase, whenever the number of executions has doubled, after
 * declarations were read, and at the end of the program. The first and the last result of each
 * array are kept; for a freed array the last one before. No queries on machines with one node. One
 * thread at a time.
 */
struct arena;
struct placing;
struct run;

/*
 * At the tool's start: opens libnuma if the machine has several nodes. NULL: no memory.
 * `run->machine` must be filled in; run->placing gets the reason if nothing is queried.
 */
struct placing *placing_new(struct arena *arena, struct run *run);

/*
 * At a boundary of the phase, or a checkpoint without phase: queries if due. `allowed_ns`: limit of
 * the query; its time is part of the boundary's.
 */
void placing_boundary(struct placing *placing, uint64_t executions, bool has_declarations,
		      double allowed_ns);
/* At the end, after the last inventory_update and inventory_harvest: queries, and fills the run. */
void placing_harvest(struct placing *placing, uint64_t executions, double allowed_ns);
/* Time of all queries so far, in ns. */
double placing_ns(const struct placing *placing);

#endif
