/* SPDX-License-Identifier: Apache-2.0 */
/* What executions with something take longer than those without. */
#include "ompt_tool/session/excess.h"

#include <math.h>

void excess_phase(struct excess *excess)
{
	*excess = (struct excess){ .all_ns = excess->all_ns };
}

static double mean_ns(const struct excess_part *part)
{
	return part->ns / (double)part->executions;
}

double excess_note(struct excess *excess, bool with, double ns, uint64_t executions)
{
	struct excess_part *part = with ? &excess->with : &excess->without;
	double more_ns;

	part->ns += ns;
	part->executions += executions;
	if (excess->without.executions < EXCESS_MEAN_OF)
		return 0;
	more_ns = excess->with.ns - (double)excess->with.executions * mean_ns(&excess->without) -
		  excess->phase_ns;
	more_ns = fmax(0, more_ns);
	excess->phase_ns += more_ns;
	excess->all_ns += more_ns;
	return more_ns;
}
