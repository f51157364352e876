/* SPDX-License-Identifier: Apache-2.0 */
/* Runs what was scheduled, through the private levels. */
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/simulator/rounds.h"
#include "analysis/simulator/schedule.h"
#include "analysis/simulator/singly.h"

/* A thread's group that is under way: its strided runs are copied when its first step ends before it does. */
struct runner {
	struct simulator_walk group[UINT8_MAX];
	enum { SINGLY, BY_ROUNDS } goes;
	struct singly singly;
	struct rounds rounds;
};

struct runner *runners_new(struct arena *arena, uint32_t threads)
{
	return arena_alloc(arena, threads * sizeof(struct runner));
}

static void begin_group(struct simulator *simulator, struct core *core, struct runner *runner, const struct simulator_walk *group)
{
	runner->goes = singly_is_better(simulator, group) ? SINGLY : BY_ROUNDS;
	if (runner->goes == SINGLY)
		singly_begin(simulator, core, &runner->singly, group);
	else
		rounds_begin(simulator, core, &runner->rounds, group);
}

static void keep_group(struct runner *runner, const struct simulator_walk *group)
{
	memcpy(runner->group, group, (group->group ? group->group : 1) * sizeof(*group));
	runner->singly.group = runner->rounds.group = runner->group;
}

static void run_group(struct simulator *simulator, struct core *core, struct runner *runner, const struct step *step)
{
	const struct simulator_walk *group = step->begins ? step->walks : runner->group;
	uint64_t round;

	if (step->begins)
		begin_group(simulator, core, runner, group);
	if (runner->goes == SINGLY)
		singly_run(simulator, core, &runner->singly, step->accesses);
	else
		rounds_run(simulator, core, &runner->rounds, step->accesses);
	round = runner->goes == SINGLY ? runner->singly.round : runner->rounds.round;
	if (step->begins && round < group->times)
		keep_group(runner, group);
}

void run_step(struct simulator *simulator, const struct step *step)
{
	struct core *core = &simulator->cores[step->core];

	core->running = true;
	if (step->single)
		singly_run_alone(simulator, core, step->walks, step->accesses, step->known);
	else
		run_group(simulator, core, &simulator->runners[step->core], step);
	core->running = false;
}
