/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SWEEP_SETTINGS_H
#define MEMSEARCH_SWEEP_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/record/run.h"
#include "analysis/sweep/matrix.h"

/*
 * The settings of a run of a sweep, as the store keeps them (struct run_setting); all values are
 * texts:
 *
 *     binary  arguments  threads  repetition  machine  env:NAME    as the user wrote them; machine
 *                                                                  "none": nothing was simulated
 *     options                                                      of `memsearch run`; missing:
 *                                                                  none
 *     oversubscribed  "yes"                                        more threads than CPUs: its
 *                                                                  times say nothing of scaling;
 *                                                                  missing: no
 */
struct arena;

struct settings {
	struct run_setting *items;
	size_t nr, room;
};

/* In the arena. False: no memory. */
bool settings_of(struct arena *arena, const struct sweep_plan *plan,
		 const struct matrix_configuration *configuration, uint32_t repetition,
		 const char *machine, uint32_t cpus, struct settings *out);
/*
 * Whether the run is of the same configuration: it has these settings and no others. Machine and
 * repetition may differ, and oversubscribed, which follows from the host.
 */
bool settings_match(const struct settings *settings, const struct run *run);
/*
 * "4 threads, OMP_PROC_BIND=spread, ./swim 100": what distinguishes this configuration of the plan
 * from its others. In the arena; NULL: no memory.
 */
const char *settings_words(struct arena *arena, const struct sweep_plan *plan,
			   const struct matrix_configuration *configuration);
/* The same of a run that has all numbers of threads: "1, 2, 4 threads in turn, …". */
const char *settings_words_online(struct arena *arena, const struct sweep_plan *plan,
				  const struct matrix_configuration *configuration);
/*
 * "OMP_PROC_BIND=spread OMP_SCHEDULE=static"; "": nothing is varied. In the arena; NULL: no memory.
 */
const char *settings_environment(struct arena *arena, const struct sweep_plan *plan,
				 const struct matrix_configuration *configuration);

#endif
