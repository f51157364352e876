/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_PLACEMENT_H
#define MEMSEARCH_SIMULATION_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Placement of a record's threads on cores and of its pages on nodes of a modelled machine, when
 * simulated after the run.
 */
struct arena;
struct machine_model;
struct run;
struct run_modelled;
struct simulation_home;
struct simulation_layout;

struct placement {
	uint32_t threads;
	uint32_t *cores; /* by thread, all different; NULL: thread i on core i */
	bool interleave; /* page number mod nodes */
	bool on_node;    /* all pages are on `node` */
	uint32_t node;
	bool huge_pages; /* pages have the model's size huge_page */
	/*
	 * explicitly placed pages, and arrays with another layout (simulation_places.h); owned by
	 * the caller
	 */
	const struct simulation_home *homes;
	size_t nr_homes;
	const struct simulation_layout *layouts;
	size_t nr_layouts;
	const char *asked; /* page policy, as text; NULL: default */
	/* for reports; NULL: default placement on a machine with one node */
	const char *words;
};

/*
 * `places`: "close" (thread i on core i), "spread" (as OpenMP's proc_bind(spread), on the first
 * core of each part), or cores, e.g. "0,8" or "0-3,16-19"; NULL: close. `pages`: "first-touch" (by
 * the program's first touch, else by the first access), "interleave", or a node number; NULL: as in
 * the machine's file. With several nodes `words` has cores and nodes. Returns the error, in the
 * arena; NULL: *out is filled.
 */
const char *placement_read(struct arena *arena, const char *places, const char *pages,
			   const struct machine_model *model, uint32_t threads,
			   struct placement *out);

/*
 * Cores as OMP_PROC_BIND and OMP_PLACES of the run would bind its threads on the machine (OpenMP
 * 5.2, 10.1.3, 21.1.5 and 21.1.6); *placement says so. Places are cores where OMP_PLACES is not
 * set; "sockets" and "numa_domains" are the machine's nodes, numbers of CPUs those of its cores.
 * Unchanged where the threads were not bound, or where that is not possible on the machine, with
 * one thread on a core.
 */
void placement_as_run(struct arena *arena, const struct run *run, const struct machine_model *model,
		      struct placement *placement);

/*
 * Places the record in huge pages by first touch; of several threads in one page, that whose part
 * begins last. Returns the error; NULL: *placement is changed.
 */
const char *placement_use_huge_pages(struct arena *arena, const struct machine_model *model,
				     struct placement *placement);

/* The node of a thread's core. */
uint32_t placement_node(const struct placement *placement, const struct machine_model *model,
			uint32_t thread);

/*
 * The model with this placement. TLBs without entries for huge pages are assumed to have as many as
 * for small ones.
 */
struct machine_model placement_model(const struct placement *placement,
				     const struct machine_model *model);

/* Writes the placement into the run's description of the machine. */
void placement_describe(const struct placement *placement, struct run_modelled *out);

#endif
