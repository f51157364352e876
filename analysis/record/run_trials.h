/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_RUN_TRIALS_H
#define MEMSEARCH_RECORD_RUN_TRIALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Trials of placements in a run (run.h; `memsearch run --try`). */

/*
 * A change of placement that was tried between executions of the phase (--try): executions with it
 * and without it alternated, and it was undone.
 */
#define RUN_TRIAL_FIRST_TOUCH "first-touch" /* pages on the nodes whose threads use them */
#define RUN_TRIAL_INTERLEAVE "interleave"   /* pages interleaved over the nodes */
#define RUN_TRIAL_BIND "bind"               /* each thread on the CPUs of its present node */
struct run_trial {
	const char *remedy; /* one of the above */
	/* arrays whose pages it moved, most lines from other nodes first */
	size_t nr_arrays;
	uint32_t *arrays;
	/* pairs of blocks of executions, without it and with it, that were compared */
	uint32_t pairs;
	/* part of the time of an execution; below 0: it takes longer. NAN: fewer than two pairs */
	double gain, half_width;    /* of the 95 % interval, by Student's t over the pairs */
	double before_ns, after_ns; /* mean of an execution without and with it; 0: not known */
	uint64_t executions;        /* of the phase, in all */
	uint64_t pages;             /* that change their node, of the system's size, and … */
	uint64_t unmoved;           /* … of these, that the kernel did not move, and … */
	uint64_t not_back;          /* … that are not on their first node afterwards */
	double moving_ns;           /* that moving took, in all */
	uint32_t threads;           /* that it bound */
	const char *why;            /* why it ended before it was decided; NULL: it was */
};

/* Trials of placements. */
struct run_trying {
	bool asked;      /* --try */
	const char *why; /* why nothing was tried; NULL: something was */
	/*
	 * of the initial thread, "bind", "interleave", … (get_mempolicy(2)): first touches do not
	 * place pages; NULL: the default one, by which they do
	 */
	const char *policy;
	/* cache lines that recorded accesses of the phase enter, and those of pages of other nodes */
	uint64_t lines, remote;
};

#endif
