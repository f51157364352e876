/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_OUTCOME_H
#define MEMSEARCH_SEARCH_OUTCOME_H

#include "analysis/record/run.h"
#include "analysis/search/engine.h"
#include "memsearch/status.h"

/*
 * Copies the results of a search so far into a run: its nodes, its
 * measurements and how many experiments they took. May be called again and again at
 * every step; it overwrites what it wrote before and takes new memory only for what is new.
 * Does not touch regions, machine, phase or cost: these are the driver's.
 */
enum ms_status outcome_fill(struct run *run, struct arena *arena, const struct engine *engine,
			    const struct database *db, const struct property_set *properties);
/* The same without its measurements, for a search over those of the run itself. */
enum ms_status outcome_fill_nodes(struct run *run, struct arena *arena, const struct engine *engine,
				  const struct database *db, const struct property_set *properties);

#endif
