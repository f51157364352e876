/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates scheduled steps in the private levels. */
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/simulator/interleaving.h"
#include "analysis/simulator/schedule.h"
#include "analysis/simulator/per_access.h"

/*
 * The current group of a thread. Its stride runs are copied if the group continues after its first
 * step, as the trace reuses their memory.
 */
struct runner {
	struct stride_run group[UINT8_MAX];
	enum { PER_ACCESS, INTERLEAVED } goes;
	struct per_access per_access;
	struct interleaving interleaving;
};

struct runner *runners_new(struct arena *arena, uint32_t threads)
{
	return arena_alloc(arena, threads * sizeof(struct runner));
}

static void begin_group(struct simulator *simulator, struct core *core, struct runner *runner,
			const struct stride_run *group)
{
	runner->goes = per_access_is_better(simulator, group) ? PER_ACCESS : INTERLEAVED;
	if (runner->goes == PER_ACCESS)
		per_access_begin(simulator, core, &runner->per_access, group);
	else
		interleaving_begin(simulator, core, &runner->interleaving, group);
}

static void keep_group(struct runner *runner, const struct stride_run *group)
{
	memcpy(runner->group, group, (group->group ? group->group : 1) * sizeof(*group));
	runner->per_access.group = runner->interleaving.group = runner->group;
}

static void run_group(struct simulator *simulator, struct core *core, struct runner *runner,
		      const struct step *step)
{
	const struct stride_run *group = step->begins ? step->runs : runner->group;
	uint64_t round;

	if (step->begins)
		begin_group(simulator, core, runner, group);
	if (runner->goes == PER_ACCESS)
		per_access_run(simulator, core, &runner->per_access, step->accesses);
	else
		interleaving_run(simulator, core, &runner->interleaving, step->accesses);
	round = runner->goes == PER_ACCESS ? runner->per_access.round : runner->interleaving.round;
	if (step->begins && round < group->times)
		keep_group(runner, group);
}

void run_step(struct simulator *simulator, const struct step *step)
{
	struct core *core = &simulator->cores[step->core];

	core->running = true;
	if (step->single)
		per_access_run_single(simulator, core, step->runs, step->accesses, step->known);
	else
		run_group(simulator, core, &simulator->runners[step->core], step);
	core->running = false;
}
