/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_FINDINGS_H
#define MEMSEARCH_SIMULATION_FINDINGS_H

#include <stdint.h>

#include "analysis/record/run.h"
#include "memsearch/status.h"

/*
 * Continues the search after the program's end, with the run's strategy and properties, over the
 * run's measurements as those of one execution of the phase, and over the simulated metrics
 * (simulate.h). Its verdicts on properties that read recorded or simulated accesses replace those
 * of the search in the program, or are added; all other nodes are unchanged.
 */
struct arena;
struct machine_model;
struct ms_strategy;
struct property_set;
struct requests_source;

/*
 * `source`: source of the simulation, for requests with address ranges. MS_ERR_MEMORY: results are
 * incomplete.
 */
enum ms_status findings_of_accesses(struct arena *arena, const struct requests_source *source,
				    const struct property_set *properties,
				    const struct ms_strategy *strategy);

/*
 * All constants that a search after the run has: of the run, of its machine and, unless `model` is
 * NULL, of the modelled one.
 */
struct database;
void findings_constants(struct database *db, const struct run *run,
			const struct machine_model *model);
/* Constants of this machine for properties, from the run. */
void findings_machine(struct database *db, const struct machine *machine);
/*
 * Constants of a modelled machine other than this one: findings are of that machine. No effect for
 * a model of this one. `threads`: of the phase.
 */
void findings_modelled(struct database *db, const struct machine_model *model, uint32_t threads);
/*
 * Stall times of accesses on the modelled machine (simulator.h, rule 8), for properties; none
 * without its clock frequency. Without the latency of the first TLB.
 */
void findings_waits(struct database *db, const struct machine_model *model);

#endif
