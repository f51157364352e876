/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of a core's time slice to lines that other cores have written. */
#include "analysis/simulator/contest.h"

#include "analysis/simulator/walk.h"

/* Accesses that are processed together if none is to a contested line: larger parts need fewer look-ups of a run's block. Otherwise they are split into parts of this size. */
#define AT_ONCE 4096
#define FEW_AT_ONCE SIMULATOR_SLICE      /* not less, so that a slice's accesses are looked up once */

/* Whether the core holds the run's coherence lines afterwards. */
static bool enters(const struct simulator *simulator, const struct core *core, const struct simulator_walk *walk)
{
	unsigned level = simulator->last_private;

	return core->levels[level]->shift == simulator->coherence_shift && !simulator->model.cache[level].write_around && !walk->non_temporal;
}

static void count(const struct simulator *simulator, struct core *core, const struct simulator_walk *walk, uint32_t accesses)
{
	uint32_t slot = walk->slot < simulator->slots ? walk->slot : simulator->slots;

	core->contested[slot] += accesses;
	if (slot >= core->used_contested)
		core->used_contested = slot + 1;
	core->contests |= accesses > 0;
}

static void access_one(struct simulator *simulator, struct core *core, const struct simulator_walk *walk, uint64_t round)
{
	struct contested *contested = &simulator->contested;

	if (contested->crowded || contested_access(contested, core->number, walk, walk_address(walk, round), enters(simulator, core, walk)))
		count(simulator, core, walk, 1);
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

/* Without contested lines the order of accesses does not matter. */
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
		count(simulator, core, &part->group[i], accesses_of(part, i, &first));
}

static void access_each(struct simulator *simulator, struct core *core, const struct part *part)
{
	for (uint32_t i = part->from; i < part->end; i++)
		if (!stays(simulator, core, part, i))
			access_one(simulator, core, &part->group[i % part->nr], part->round + i / part->nr);
}

/* Advances to the next accesses, at most `most`; returns their number. */
static uint32_t go_on(struct part *part, uint32_t left, uint32_t most)
{
	uint32_t accesses = left < most ? left : most;

	part->round += part->end / part->nr;
	part->from = part->end % part->nr;
	part->end = part->from + accesses;
	return accesses;
}

/* Some are to contested lines: parts with such lines go access by access. */
static void access_in_parts(struct simulator *simulator, struct core *core, const struct part *whole)
{
	struct part part = { whole->group, whole->round, whole->nr, whole->from, whole->from };
	uint32_t left = whole->end - whole->from;
	bool is_one = left <= FEW_AT_ONCE;

	while (left) {
		left -= go_on(&part, left, FEW_AT_ONCE);
		if (simulator->contested.crowded)
			count_all(simulator, core, &part);
		else if (is_one || !is_free(simulator, core, &part))
			access_each(simulator, core, &part);
	}
}

void contest_group(struct simulator *simulator, struct core *core, const struct simulator_walk *group, uint64_t round, uint32_t next, uint32_t accesses)
{
	struct part part = { group, round, group->group ? group->group : 1, next, next };

	while (simulator->shared && accesses) {
		accesses -= go_on(&part, accesses, AT_ONCE);
		if (simulator->contested.crowded)
			count_all(simulator, core, &part);
		else if (!is_free(simulator, core, &part))
			access_in_parts(simulator, core, &part);
	}
}
