/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_HARVEST_H
#define MEMSEARCH_SESSION_HARVEST_H

#include "analysis/record/run.h"
#include "memsearch/status.h"
#include "ompt_tool/regions/region_table.h"

/*
 * Brings what the measuring part keeps in raw form into a run: regions with their
 * addresses as module and offset, and the instructions at which samples were taken.
 * At a phase boundary or at the end; never from a callback's hot path.
 */
struct arena;

/*
 * The same number in every run of the same program, for search states that are carried over: a hash
 * (FNV-1a) of kind, module, offset and the parent's key. Never 0. Needs run_modules_update first.
 */
uint64_t harvest_region_key(const struct run *run, const struct region *region,
			    uint64_t parent_key);

/* Regions met since the last call. */
enum ms_status harvest_regions(struct run *run, struct arena *arena, struct region_table *table);

/*
 * The most frequent sample sites of every region and sampled metric, over all threads. `unwinder`
 * follows library code out to the program's own line (samples.h; opens files); NULL: it is taken as
 * it is. Replaces what was harvested before.
 */
struct unwinder;
enum ms_status harvest_hotspots(struct run *run, struct arena *arena, struct unwinder *unwinder);

/*
 * What recorded accesses amount to, by region, array and instruction, and lines shared. Needs
 * run_modules_update and harvest_regions. Replaces what was there.
 */
enum ms_status harvest_accesses(struct run *run, struct arena *arena, struct region_table *table);

/*
 * Where every thread was last seen; needs sensor rusage, without which it is unknown. Replaces what
 * was there.
 */
enum ms_status harvest_places(struct run *run, struct arena *arena);

#endif
