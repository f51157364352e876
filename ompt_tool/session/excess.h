/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_EXCESS_H
#define MEMSEARCH_SESSION_EXCESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What executions of the phase in which something is done (clones run, events are measured) take longer
 * than the others, callbacks apart: their time, less the mean of the others. At phase boundaries.
 */
struct excess {
	struct excess_part {
		double ns; /* without callbacks */
		uint64_t executions;
	} without, with; /* of the phase */
	double phase_ns; /* accounted so far: in the phase … */
	double all_ns;   /* … and in all phases */
};

/* Another phase begins. */
void excess_phase(struct excess *excess);
/*
 * Notes executions of the phase that took `ns` without callbacks. Returns the time in ns that is to be
 * accounted from now on: it may be of earlier executions, as the mean needs EXCESS_MEAN_OF executions
 * without.
 */
#define EXCESS_MEAN_OF 4
double excess_note(struct excess *excess, bool with, double ns, uint64_t executions);

#endif
