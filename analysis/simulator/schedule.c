/* SPDX-License-Identifier: Apache-2.0 */
/* Logical time: threads run in time slices. */
#include "analysis/simulator/schedule.h"

#include "analysis/base/arena.h"
#include "analysis/simulator/count_remote_writes.h"

#define STEP_MOST 32768 /* accesses */

/* The position of a thread. */
struct cursor {
	const struct stride_run *runs;
	/* at: the next strided run, or first of the group under way */
	size_t nr, at;
	uint64_t round; /* of the group: which access of each comes next … */
	uint32_t next;  /* … of which one */
	bool ended;
};

struct schedule {
	const struct simulator_trace *traces;
	/* thread of the current slice, and its accesses left; 0: the next thread's begins */
	uint32_t thread, left;
	/* unfinished threads when this round began; of those before `thread`, now */
	uint32_t running, still_running;
	bool filled; /* `give` took its last step */
	schedule_give *give;
	void *ctx;
	struct cursor cursors[]; /* by thread */
};

struct schedule *schedule_new(struct arena *arena, uint32_t threads)
{
	return arena_alloc(arena, sizeof(struct schedule) + threads * sizeof(struct cursor));
}

static void give(struct schedule *schedule, const struct step *step)
{
	schedule->filled = !schedule->give(schedule->ctx, step);
}

/*
 * Stride runs of one access, of any number of groups, which does not change their order. Returns
 * accesses.
 */
static uint32_t schedule_single(struct simulator *simulator, struct core *core,
				struct cursor *cursor, uint32_t most)
{
	const struct stride_run *runs = &cursor->runs[cursor->at];
	size_t left = cursor->nr - cursor->at;
	uint32_t nr = 0;

	most = most < SIMULATOR_SLICE ? most : SIMULATOR_SLICE;
	while (nr < most && nr < left && runs[nr].times == 1)
		nr++;
	count_remote_writes_single(simulator, core, runs, nr);
	give(simulator->schedule, &(struct step){ .runs = runs,
						  .accesses = nr,
						  .known = (uint32_t)left,
						  .core = (uint8_t)core->number,
						  .single = true });
	cursor->at += nr;
	return nr;
}

/* Of the group under way, at most so many. */
static uint32_t accesses_left(const struct cursor *cursor, const struct stride_run *group,
			      uint32_t nr, uint32_t most)
{
	uint64_t left = group->times - cursor->round;

	return left > most || left * nr - cursor->next > most ? most
							      : (uint32_t)left * nr - cursor->next;
}

static void go_on(struct cursor *cursor, const struct stride_run *group, uint32_t nr,
		  uint32_t accesses)
{
	uint64_t all = cursor->next + (uint64_t)accesses;

	cursor->round += all / nr;
	cursor->next = (uint32_t)(all % nr);
	if (cursor->round < group->times)
		return;
	cursor->round = 0;
	cursor->at += nr;
}

static uint32_t schedule_group(struct simulator *simulator, struct core *core,
			       struct cursor *cursor, uint32_t most)
{
	const struct stride_run *group = &cursor->runs[cursor->at];
	uint32_t nr = group->group ? group->group : 1;

	most = accesses_left(cursor, group, nr, most < STEP_MOST ? most : STEP_MOST);
	count_remote_writes_group(simulator, core, group, cursor->round, cursor->next, most);
	give(simulator->schedule, &(struct step){
					  .runs = group,
					  .accesses = most,
					  .round = cursor->round,
					  .next = cursor->next,
					  .core = (uint8_t)core->number,
					  .begins = !cursor->round && !cursor->next,
				  });
	go_on(cursor, group, nr, most);
	return most;
}

/* Steps of a thread's slice. */
static void schedule_slice(struct simulator *simulator, struct core *core)
{
	struct schedule *schedule = simulator->schedule;
	struct cursor *cursor = &schedule->cursors[core->number];
	const struct simulator_trace *trace = &schedule->traces[core->number];

	while (schedule->left && !cursor->ended && !schedule->filled) {
		if (cursor->at < cursor->nr) {
			bool single = cursor->runs[cursor->at].times == 1;

			schedule->left -= (single ? schedule_single : schedule_group)(
				simulator, core, cursor, schedule->left);
			continue;
		}
		cursor->at = 0;
		cursor->nr = trace->next(trace->ctx, &cursor->runs);
		if (cursor->nr && !core_counts(simulator, core))
			/*
			 * no memory: these accesses are lost, and the next window must not find
			 * them
			 */
			cursor->nr = 0;
		cursor->ended = !cursor->nr;
	}
}

static uint32_t slice_of(const struct schedule *schedule, struct core *core)
{
	uint32_t slice = core->meets_remote_writes ? SIMULATOR_SHARED_SLICE : SIMULATOR_SLICE;

	core->meets_remote_writes = false;
	/* with one thread left slices do not matter */
	return schedule->running == 1 ? INT32_MAX : slice;
}

/* The thread's slice, or what was left of it. */
static void schedule_thread(struct simulator *simulator)
{
	struct schedule *schedule = simulator->schedule;
	struct cursor *cursor = &schedule->cursors[schedule->thread];
	struct core *core = &simulator->cores[schedule->thread];

	if (!schedule->left && !cursor->ended)
		schedule->left = slice_of(schedule, core);
	schedule_slice(simulator, core);
	if (schedule->left && !cursor->ended)
		return;
	schedule->left = 0;
	schedule->still_running += !cursor->ended;
	schedule->thread++;
}

void schedule_begin(struct simulator *simulator, const struct simulator_trace *traces)
{
	struct schedule *schedule = simulator->schedule;

	schedule->traces = traces;
	schedule->thread = schedule->left = schedule->still_running = 0;
	schedule->running = simulator->threads;
	for (uint32_t thread = 0; thread < simulator->threads; thread++) {
		schedule->cursors[thread].ended = false;
		simulator->cores[thread].meets_remote_writes = true;
	}
}

bool schedule_run(struct simulator *simulator, schedule_give *give, void *ctx)
{
	struct schedule *schedule = simulator->schedule;

	schedule->give = give;
	schedule->ctx = ctx;
	schedule->filled = false;
	while (schedule->running && !schedule->filled) {
		schedule_thread(simulator);
		if (schedule->thread < simulator->threads)
			continue;
		schedule->running = schedule->still_running;
		schedule->thread = schedule->still_running = 0;
	}
	return schedule->running;
}
