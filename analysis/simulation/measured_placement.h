/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_MEASURED_PLACEMENT_H
#define MEMSEARCH_SIMULATION_MEASURED_PLACEMENT_H

#include <stdbool.h>

/*
 * The placement that the run had, on a model of the machine that it ran on: each thread on a core of
 * the node where it was last seen, each page on the node where the kernel had it (run->placements).
 * Pages without an answer are placed by first touch. Nodes of the model are the kernel's, by number:
 * those with cores are assumed to be first.
 */
struct arena;
struct machine_model;
struct placement;
struct run;

/*
 * False: *placement is unchanged, because the record has no nodes of pages, or threads or pages are on
 * nodes that the model lacks, or a node has fewer cores than threads. In the arena.
 */
bool placement_as_measured(struct arena *arena, const struct run *run,
			   const struct machine_model *model, struct placement *placement);

#endif
