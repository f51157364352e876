/* SPDX-License-Identifier: Apache-2.0 */
/* What a core accesses in a turn, where others have written. */
#include "ompt_tool/simulator/contest.h"

#include "ompt_tool/simulator/walk.h"

/* Whether the core has the walk's lines of coherence then. */
static bool enters(const struct simulator *simulator, const struct core *core, const struct simulator_walk *walk)
{
	unsigned level = simulator->last_private;

	return core->levels[level]->shift == simulator->coherence_shift && !simulator->model.cache[level].write_around && !walk->non_temporal;
}

static void access_one(struct simulator *simulator, struct core *core, const struct simulator_walk *walk, uint64_t round)
{
	struct contested *contested = &simulator->contested;

	if (contested->crowded || contested_access(contested, core->number, walk, walk_address(walk, round), enters(simulator, core, walk)))
		walk_counters(simulator, core, walk)->contested++;
}

void contest_alone(struct simulator *simulator, struct core *core, const struct simulator_walk *walks, uint32_t nr)
{
	for (uint32_t i = 0; simulator->shared && i < nr; i++)
		access_one(simulator, core, &walks[i], 0);
}

/* Accesses of a group, numbered from the first walk's of round `round` on: [from, end). */
struct part {
	const struct simulator_walk *group;
	uint64_t round;
	uint32_t nr, from, end;
};

/* Whether an access is in one line with the walk's one before, which is of the same part and got the line. */
static bool stays(const struct simulator *simulator, const struct core *core, const struct part *part, uint32_t number)
{
	const struct simulator_walk *walk = &part->group[number % part->nr];
	uint64_t address = walk_address(walk, part->round + number / part->nr), before = address - (uint64_t)walk->stride, more = walk->bytes - 1;
	uint32_t shift = simulator->coherence_shift;

	return number >= part->from + part->nr && address >> shift == (before + more) >> shift && before >> shift == (address + more) >> shift &&
	       enters(simulator, core, walk);
}

/* How many of them the walk makes, and from which of these rounds on. */
static uint32_t accesses_of(const struct part *part, uint32_t walk, uint32_t *first_out)
{
	uint32_t first = walk < part->from, end = part->end / part->nr + (walk < part->end % part->nr);

	*first_out = first;
	return end > first ? end - first : 0;
}

/* Where none is to a contested line it does not matter which one comes first. */
static bool is_free(struct simulator *simulator, const struct core *core, const struct part *part)
{
	bool none = true;

	for (uint32_t i = 0; i < part->nr; i++) {
		const struct simulator_walk *walk = &part->group[i];
		uint32_t first, times = accesses_of(part, i, &first);

		none &= contested_by_none(&simulator->contested, core->number, walk, walk_address(walk, part->round + first), times, enters(simulator, core, walk));
	}
	return none;
}

static void count_all(const struct simulator *simulator, struct core *core, const struct part *part)
{
	for (uint32_t i = 0, first; i < part->nr; i++)
		walk_counters(simulator, core, &part->group[i])->contested += accesses_of(part, i, &first);
}

static void access_part(struct simulator *simulator, struct core *core, const struct part *part)
{
	if (simulator->contested.crowded) {
		count_all(simulator, core, part);
		return;
	}
	if (is_free(simulator, core, part))
		return;
	for (uint32_t i = part->from; i < part->end; i++)
		if (!stays(simulator, core, part, i))
			access_one(simulator, core, &part->group[i % part->nr], part->round + i / part->nr);
}

void contest_group(struct simulator *simulator, struct core *core, const struct simulator_walk *group, uint64_t round, uint32_t next, uint32_t accesses)
{
	struct part part = { group, round, group->group ? group->group : 1, next, next };

	for (uint32_t done; simulator->shared && accesses; accesses -= done) {
		done = accesses < SIMULATOR_TURN ? accesses : SIMULATOR_TURN;
		part.end += done;
		access_part(simulator, core, &part);
		part.round += part.end / part.nr;
		part.from = part.end %= part.nr;
	}
}
