/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_PLACEMENT_H
#define MEMSEARCH_SIMULATION_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * On which cores of a modelled machine the threads of a record run, and on which nodes its pages lie, where that is asked of a record and not of the program.
 */
struct arena;
struct machine_model;
struct run;
struct run_modelled;
struct simulation_home;
struct simulation_layout;

struct placement {
	uint32_t threads;
	uint32_t *cores;                 /* by thread, each another one; NULL: thread i on core i */
	bool interleave;                 /* pages go round the nodes */
	bool on_node;                    /* all pages lie on `node` */
	uint32_t node;
	bool huge_pages;                 /* pages are of the model's huge_page */
	const struct simulation_home *homes;     /* pages that lie there, and arrays that are laid out anew (trace/simulation.h); the caller's */
	size_t nr_homes;
	const struct simulation_layout *layouts;
	size_t nr_layouts;
	const char *asked;               /* of pages, in words; NULL: nothing */
	const char *words;               /* for reports; NULL: it is the usual one, and the machine has one node */
};

/*
 * `places`: "close" (thread i on core i), "spread" (as far from each other as OpenMP's proc_bind(spread) has it, the first core of each part), or cores as in
 * "0,8" or "0-3,16-19"; NULL: close. `pages`: "first-touch" (where the program touched them first, else where they are accessed first), "interleave", or the
 * number of a node; NULL: as the machine's file says. Cores and their nodes are in `words` on each machine with several nodes. Returns what is wrong, in the arena; NULL: *out is filled.
 */
const char *placement_read(struct arena *arena, const char *places, const char *pages, const struct machine_model *model, uint32_t threads, struct placement *out);

/*
 * Cores as OMP_PROC_BIND and OMP_PLACES of the run would bind its threads on the machine (OpenMP 5.2, 10.1.3, 21.1.5 and 21.1.6); *placement says so. Places are cores where OMP_PLACES is not set;
 * "sockets" and "numa_domains" are the machine's nodes, numbers of CPUs those of its cores. Unchanged where the threads were not bound, or where that is not possible on the machine, with one thread on a core.
 */
void placement_as_run(struct arena *arena, const struct run *run, const struct machine_model *model, struct placement *placement);

/*
 * What was recorded lies in huge pages, each where its first touch was; of threads whose parts lie in one, that whose part begins last has it. Returns what is
 * wrong; NULL: *placement says so, too.
 */
const char *placement_use_huge_pages(struct arena *arena, const struct machine_model *model, struct placement *placement);

/* The node of a thread's core. */
uint32_t placement_node(const struct placement *placement, const struct machine_model *model, uint32_t thread);

/* The model as it is placed. Where nothing is known of TLBs of huge pages they hold as many as of small ones. */
struct machine_model placement_model(const struct placement *placement, const struct machine_model *model);

/* Into what reports say of the machine. */
void placement_describe(const struct placement *placement, struct run_modelled *out);

#endif
