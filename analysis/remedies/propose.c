/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which remedies are tried where none is named: what the simulation of the program as it is gives
 * reason for.
 */
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/numa/ranking.h"
#include "analysis/record/run.h"
#include "analysis/record/shape.h"
#include "analysis/remedies/remedy.h"
#include "analysis/report/arrays.h"
#include "analysis/report/misses.h"
#include "memsearch/metric.h"

/* of all that accesses wait: arrays with less are left as they are */
#define MUCH 0.02
/* of the classified misses of an array: lines that other threads took */
#define SHARED 0.01
/* of the bytes fetched, at least this part is used where another layout of structs has nothing to gain */
#define USED_LITTLE 0.7
#define ROW_LEAST 256 /* bytes: shorter rows are elements rather than rows */

struct proposing {
	struct arena *arena;
	const struct remedy_base *base;
	struct remedy *out;
	size_t nr, room;
};

/* `needed`: the report advises it; that it cannot be tried is said, with the reason. */
static void propose_if(struct proposing *proposing, enum remedy_kind kind, uint32_t array,
		       bool needed)
{
	struct remedy remedy = { .kind = kind, .array = array };

	remedy_prepare(proposing->arena, proposing->base, &remedy);
	if ((needed || !remedy.refused) && proposing->nr < proposing->room)
		proposing->out[proposing->nr++] = remedy;
}

static void propose(struct proposing *proposing, enum remedy_kind kind, uint32_t array)
{
	propose_if(proposing, kind, array, false);
}

static void propose_pages(struct proposing *proposing)
{
	const struct numa_ranking *ranking = proposing->base->ranking;

	if (!ranking->remote)
		return;
	propose(proposing, REMEDY_FIRST_TOUCH, RUN_ARRAY_NONE);
	if (!proposing->base->placement->interleave)
		propose(proposing, REMEDY_INTERLEAVE, RUN_ARRAY_NONE);
	for (size_t i = 0; i < ranking->nr; i++)
		if (ranking->arrays[i].remote &&
		    ranking->arrays[i].pattern == NUMA_READ_ONLY_SHARED)
			propose(proposing, REMEDY_REPLICATE, ranking->arrays[i].array);
}

static bool runs_there(const struct placement *placement, const struct placement *other)
{
	for (uint32_t i = 0; i < placement->threads; i++)
		if ((placement->cores ? placement->cores[i] : i) !=
		    (other->cores ? other->cores[i] : i))
			return false;
	return true;
}

/* Other cores may share other caches, or be of other nodes. */
static void propose_cores(struct proposing *proposing, enum remedy_kind kind)
{
	const struct remedy_base *base = proposing->base;
	size_t before = proposing->nr;

	if (base->placement->threads < 2 ||
	    (base->model->nodes < 2 && base->model->cache[2].cores >= base->model->cores))
		return;
	propose(proposing, kind, RUN_ARRAY_NONE);
	if (proposing->nr > before &&
	    runs_there(base->placement, &proposing->out[before].placement))
		proposing->nr = before;
}

/* Of the array's misses of that cache level this part are conflicts, and more. */
#define CONFLICTS 0.5

static bool is_in_conflict(const struct run *run, uint32_t array, double conflicts,
			   double classified)
{
	double first = run_array_sum(run, array, MS_METRIC_SIM_L1D_MISSES);

	return (classified > 0 && conflicts > CONFLICTS * classified) ||
	       (first > 0 &&
		run_array_sum(run, array, MS_METRIC_SIM_L1_CONFLICT) > CONFLICTS * first);
}

static void propose_layouts(struct proposing *proposing, uint32_t array)
{
	const struct run *run = proposing->base->run;
	const struct misses *misses = &proposing->base->ranking->view->misses[array];
	double classified = misses->cold + misses->capacity + misses->conflict +
			    misses->true_sharing + misses->false_sharing;
	bool in_conflict;

	if (run_array_is_stack(&run->arrays[array]))
		return;
	if (misses->false_sharing > SHARED * classified) {
		propose_if(proposing, REMEDY_PAD_ELEMENTS, array, true);
		propose(proposing, REMEDY_ALIGN, array);
	}
	if (misses->fetched > 0 && misses->used < USED_LITTLE * misses->fetched) {
		propose(proposing, REMEDY_SPLIT, array);
		propose(proposing, REMEDY_MERGE, array);
	}
	in_conflict = is_in_conflict(run, array, misses->conflict, classified);
	if (in_conflict || shape_row_bytes(&run->arrays[array]) >= ROW_LEAST)
		propose_if(proposing, REMEDY_PAD_ROWS, array, in_conflict);
}

struct waiting {
	uint32_t array;
	double cycles;
};

static int by_cycles(const void *a, const void *b)
{
	const struct waiting *left = a, *right = b;

	if (left->cycles != right->cycles)
		return left->cycles < right->cycles ? 1 : -1;
	return (left->array > right->array) - (left->array < right->array);
}

static void propose_for_arrays(struct proposing *proposing)
{
	const struct arrays_view *view = proposing->base->ranking->view;
	struct waiting *waiting = arena_alloc(proposing->arena,
					      (view->nr_arrays + 1) * sizeof(*waiting));
	size_t nr = 0;

	for (uint32_t i = 0; waiting && i < view->nr_arrays; i++)
		if (view->misses[i].cycles > MUCH * view->waited)
			waiting[nr++] = (struct waiting){ i, view->misses[i].cycles };
	if (nr)
		sort(waiting, nr, sizeof(*waiting), by_cycles);
	for (size_t i = 0; i < nr; i++)
		propose_layouts(proposing, waiting[i].array);
}

size_t remedies_propose(struct arena *arena, const struct remedy_base *base, struct remedy *out,
			size_t room)
{
	struct proposing proposing = { .arena = arena, .base = base, .out = out, .room = room };

	propose_pages(&proposing);
	propose_cores(&proposing, REMEDY_CLOSE);
	propose_cores(&proposing, REMEDY_SPREAD);
	if (base->model->huge_page && !base->placement->huge_pages)
		propose(&proposing, REMEDY_HUGE_PAGES, RUN_ARRAY_NONE);
	propose_for_arrays(&proposing);
	return proposing.nr;
}
