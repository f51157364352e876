/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of a core's time slice to lines that other cores have written. */
#include "analysis/simulator/count_remote_writes.h"

#include "analysis/simulator/stride_run.h"

/*
 * Accesses that are processed together if none is to a remotely written line: larger parts need
 * fewer look-ups of a run's block. Otherwise they are split into parts of this size.
 */
#define AT_ONCE 4096
/* not less, so that a slice's accesses are looked up once */
#define FEW_AT_ONCE SIMULATOR_SLICE

/* Whether the core holds the run's coherence lines afterwards. */
static bool enters(const struct simulator *simulator, const struct core *core,
		   const struct stride_run *run)
{
	unsigned level = simulator->last_private;

	return core->levels[level]->shift == simulator->coherence_shift &&
	       !simulator->model.cache[level].write_around && !run->non_temporal;
}

static void count(const struct simulator *simulator, struct core *core,
		  const struct stride_run *run, uint32_t accesses)
{
	uint32_t slot = run->slot < simulator->slots ? run->slot : simulator->slots;

	core->remotely_written[slot] += accesses;
	if (slot >= core->used_remotely_written)
		core->used_remotely_written = slot + 1;
	core->meets_remote_writes |= accesses > 0;
}

static void access_one(struct simulator *simulator, struct core *core, const struct stride_run *run,
		       uint64_t round)
{
	struct remote_writes *writes = &simulator->remote_writes;

	if (writes->overflowed ||
	    remote_writes_access(writes, core->number, run, stride_run_address(run, round),
				 enters(simulator, core, run)))
		count(simulator, core, run, 1);
}

void count_remote_writes_single(struct simulator *simulator, struct core *core,
				const struct stride_run *runs, uint32_t nr)
{
	for (uint32_t i = 0; simulator->shared && i < nr; i++)
		access_one(simulator, core, &runs[i], 0);
}

/* Accesses of a group, numbered from the first run's of round `round` on: [from, end). */
struct part {
	const struct stride_run *group;
	uint64_t round;
	uint32_t nr, from, end;
};

/*
 * Whether an access is in one line with the run's one before, which is of the same part and got the
 * line.
 */
static bool stays(const struct simulator *simulator, const struct core *core,
		  const struct part *part, uint32_t number)
{
	const struct stride_run *run = &part->group[number % part->nr];
	uint64_t address = stride_run_address(run, part->round + number / part->nr),
		 before = address - (uint64_t)run->stride, more = run->bytes - 1;
	uint32_t shift = simulator->coherence_shift;

	return number >= part->from + part->nr && address >> shift == (before + more) >> shift &&
	       before >> shift == (address + more) >> shift && enters(simulator, core, run);
}

/* How many of them the run makes, and from which of these rounds on. */
static uint32_t accesses_of(const struct part *part, uint32_t run, uint32_t *first_out)
{
	uint32_t first = run < part->from,
		 end = part->end / part->nr + (run < part->end % part->nr);

	*first_out = first;
	return end > first ? end - first : 0;
}

/* Without remotely written lines the order of accesses does not matter. */
static bool is_free(struct simulator *simulator, const struct core *core, const struct part *part)
{
	bool none = true;

	for (uint32_t i = 0; i < part->nr; i++) {
		const struct stride_run *run = &part->group[i];
		uint32_t first, times = accesses_of(part, i, &first);

		none &= remote_writes_none(&simulator->remote_writes, core->number, run,
					   stride_run_address(run, part->round + first), times,
					   enters(simulator, core, run));
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
			access_one(simulator, core, &part->group[i % part->nr],
				   part->round + i / part->nr);
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

/* Some are to remotely written lines: parts with such lines are counted access by access. */
static void access_in_parts(struct simulator *simulator, struct core *core,
			    const struct part *whole)
{
	struct part part = { whole->group, whole->round, whole->nr, whole->from, whole->from };
	uint32_t left = whole->end - whole->from;
	bool is_one = left <= FEW_AT_ONCE;

	while (left) {
		left -= go_on(&part, left, FEW_AT_ONCE);
		if (simulator->remote_writes.overflowed)
			count_all(simulator, core, &part);
		else if (is_one || !is_free(simulator, core, &part))
			access_each(simulator, core, &part);
	}
}

void count_remote_writes_group(struct simulator *simulator, struct core *core,
			       const struct stride_run *group, uint64_t round, uint32_t next,
			       uint32_t accesses)
{
	struct part part = { group, round, group->group ? group->group : 1, next, next };

	while (simulator->shared && accesses) {
		accesses -= go_on(&part, accesses, AT_ONCE);
		if (simulator->remote_writes.overflowed)
			count_all(simulator, core, &part);
		else if (!is_free(simulator, core, &part))
			access_in_parts(simulator, core, &part);
	}
}
