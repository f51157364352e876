/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SWEEP_PLAN_H
#define MEMSEARCH_SWEEP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a sweep varies, from the words of its command line. All of it lives in the arena that the
 * functions get. Each returns NULL, or what is wrong in words, in the arena; the plan must not be
 * used then.
 */
struct arena;

#define SWEEP_THREADS_MOST 4096
#define SWEEP_REPETITIONS_MOST 1000
#define SWEEP_ONLINE_MOST 64    /* numbers of threads in one run */
#define SWEEP_RUNS_MOST 100000  /* configurations times repetitions */
#define SWEEP_NO_MACHINE "none" /* in the place of machines: nothing is simulated */

struct sweep_list {
	const char **items;
	size_t nr, room;
};

/* of the environment */
struct sweep_variable {
	const char *name;
	struct sweep_list values;
};

struct sweep_arguments {
	struct sweep_list words;
	/* the words on one line, quoted where that is needed; "" none */
	const char *text;
};

struct sweep_plan {
	uint32_t *threads;
	size_t nr_threads, room_threads;
	struct sweep_variable *variables;
	size_t nr_variables, room_variables;
	/* one at least */
	struct sweep_arguments *arguments;
	size_t nr_arguments, room_arguments;
	struct sweep_list binaries, machines;
	uint32_t repetitions;
	/* one run of each other combination has all numbers of threads, in turn */
	bool online;
	const char *options; /* of `memsearch run`, in words; "" none */
};

/* "1,2,4" */
const char *plan_threads(struct arena *arena, struct sweep_plan *plan, const char *text);
/* "OMP_PROC_BIND=close,spread"; a comma that belongs to a value is written "\,". */
const char *plan_variable(struct arena *arena, struct sweep_plan *plan, const char *text);
/* "a,b": no item is empty or there twice; `kind` names one: "machine". */
const char *plan_list(struct arena *arena, struct sweep_list *list, const char *kind,
		      const char *text);
/* Where `online` is set: what keeps threads from being varied within a run. */
const char *plan_check_online(struct arena *arena, const struct sweep_plan *plan);
/* Index in `threads` of the greatest number, with which programs of `online` start. */
size_t plan_most_threads(const struct sweep_plan *plan);
/* Too many runs. */
const char *plan_check_size(struct arena *arena, const struct sweep_plan *plan);

#endif
