/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORDING_SELECTION_H
#define MEMSEARCH_RECORDING_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

/*
 * From regions whose accesses are requested to the bodies that have to run as clones. At phase
 * boundaries.
 */
struct recording;
struct region;

bool selection_asked(const struct region *region);
/* The parallel region or the task whose body has the region's code; NULL: none. */
struct region *selection_holder(const struct recording *recording, struct region *region);
/* Whether all of its bodies run as clones. */
bool selection_recorded(struct region *holder);
/*
 * Makes the clone of a body; its loops are resolved before threads enter it. False: it cannot be
 * made, or the set is full.
 */
bool selection_add_body(struct recording *recording, uint64_t function, uint32_t probes);
/*
 * Makes clones of all bodies, because with some of them the accesses would be incomplete. False:
 * one is missing.
 */
bool selection_add_bodies(struct recording *recording, struct region *holder);
/* Makes the clones for a requested region. */
void selection_add(struct recording *recording, struct region *region);
/* Announces the selection to the threads that are in these regions or will begin them. */
void selection_announce(struct recording *recording);

#endif
