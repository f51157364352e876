/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_FINDINGS_H
#define MEMSEARCH_SIMULATION_FINDINGS_H

#include <stdint.h>

#include "analysis/record/run.h"
#include "memsearch/status.h"

/*
 * The search goes on when the program has ended: with the strategy and properties that there are, over the run's measurements, as if they
 * were of one execution of the phase, and what was simulated of its accesses (simulate.h). Its verdicts on properties that read
 * recorded or simulated accesses replace those of the search in the program, or are added to them; all other nodes stay.
 */
struct arena;
struct machine_model;
struct ms_strategy;
struct property_set;
struct requests_source;

/* `source`: of what the run was simulated, for requests with address ranges. MS_ERR_MEMORY: not all of it is there. */
enum ms_status findings_of_accesses(struct arena *arena, const struct requests_source *source, const struct property_set *properties, const struct ms_strategy *strategy);

/* What this machine has, as it stands in a run, for properties. */
struct database;
void findings_machine(struct database *db, const struct machine *machine);
/* What a modelled machine has that is not this one: what is found by it is of that machine. Nothing for a model of this one. `threads`: of the phase. */
void findings_modelled(struct database *db, const struct machine_model *model, uint32_t threads);
/* What accesses wait on the modelled machine (simulator.h, rule 8), for properties; none where its clock is not known. A first-level TLB that takes time is part of nothing here. */
void findings_waits(struct database *db, const struct machine_model *model);

#endif
