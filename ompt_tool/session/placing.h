/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_PLACING_H
#define MEMSEARCH_SESSION_PLACING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * When the kernel is asked for the nodes of arrays' pages (placement/placement_map.h): at the end of
 * the first measured execution of the phase, each time as many executions have passed again, when
 * the declarations were read meanwhile, and at the end of the program. Of each array the first and
 * the last answer are kept; one that was freed keeps the last from before. On machines with one
 * node nothing is asked. One thread at a time.
 */
struct arena;
struct placing;
struct run;

/*
 * At the tool's start: opens libnuma where the machine has several nodes. NULL: no memory.
 * `run->machine` is filled in; run->placing gets why nothing is asked for.
 */
struct placing *placing_new(struct arena *arena, struct run *run);

/*
 * A boundary of the phase, or a checkpoint without one: asks if it is due. `allowed_ns`: what that
 * may take; its time is part of the boundary's.
 */
void placing_boundary(struct placing *placing, uint64_t executions, bool has_declarations,
		      double allowed_ns);
/* At the end, behind the last inventory_update and inventory_harvest: asks, and fills the run. */
void placing_harvest(struct placing *placing, uint64_t executions, double allowed_ns);
/* What asking took so far. */
double placing_ns(const struct placing *placing);

#endif
