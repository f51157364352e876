/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_HARVEST_H
#define MEMSEARCH_SESSION_HARVEST_H

#include "analysis/record/run.h"
#include "memsearch/status.h"
#include "ompt_tool/regions/region.h"

/*
 * Copies the table of regions to a run, with addresses as module and offset. At a phase boundary or
 * at the end; not in callbacks.
 */
struct region_table;
struct arena;

/*
 * The same number in every run of the same program, for search states that are carried over: a hash
 * (FNV-1a) of kind, module, offset and the parent's key. Never 0. Needs run_modules_update first.
 */
uint64_t harvest_region_key(const struct run *run, const struct region *region,
			    uint64_t parent_key);

/* Adds the regions created since the last call. */
enum ms_status harvest_regions(struct run *run, struct arena *arena, struct region_table *table);

#endif
