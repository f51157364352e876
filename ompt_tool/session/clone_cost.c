/* SPDX-License-Identifier: Apache-2.0 */
/* What clones take longer than their originals. */
#include "ompt_tool/session/clone_cost.h"

#include <math.h>

void clone_cost_phase(struct clone_cost *cost)
{
	*cost = (struct clone_cost){ .all_ns = cost->all_ns };
}

double clone_cost_note(struct clone_cost *cost, bool in_clones, double ns, uint64_t executions)
{
	struct same_code *same = in_clones ? &cost->clones : &cost->originals;
	double mean_ns, more_ns;

	same->ns += ns;
	same->executions += executions;
	if (cost->originals.executions < CLONE_COST_MEAN_OF)
		return 0;
	mean_ns = cost->originals.ns / (double)cost->originals.executions;
	more_ns = cost->clones.ns - (double)cost->clones.executions * mean_ns - cost->phase_ns;
	more_ns = fmax(0, more_ns);
	cost->phase_ns += more_ns;
	cost->all_ns += more_ns;
	return more_ns;
}
