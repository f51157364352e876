/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_CLONE_COST_H
#define MEMSEARCH_SESSION_CLONE_COST_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What clones take longer than their originals, callbacks apart: the time of executions that ran
 * clones, less the mean of those that ran originals. At phase boundaries.
 */
struct clone_cost {
	struct same_code {
		double ns; /* without callbacks */
		uint64_t executions;
	} originals, clones; /* of the phase */
	double phase_ns;     /* accounted so far: in the phase … */
	double all_ns;       /* … and in all phases */
};

/* Another phase begins. */
void clone_cost_phase(struct clone_cost *cost);
/*
 * Notes executions of the phase that took `ns` without callbacks. Returns the time in ns that is to be
 * accounted for clones from now on: it may be of earlier executions, as the mean needs
 * CLONE_COST_MEAN_OF executions of originals.
 */
#define CLONE_COST_MEAN_OF 4
double clone_cost_note(struct clone_cost *cost, bool in_clones, double ns, uint64_t executions);

#endif
