/* SPDX-License-Identifier: Apache-2.0 */
/* Alternates executions with and without a change of placement. */
#define _GNU_SOURCE /* syscall */
#include "ompt_tool/session/trials.h"

#include <linux/mempolicy.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/student.h"
#include "analysis/base/system_text.h"
#include "analysis/record/run.h"
#include "ompt_tool/accesses/page_counts.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/process/thread_bindings.h"

#define NO_MEMORY "no memory to plan it"

/* One change of placement, to be tried. */
struct change {
	const char *remedy;
	uint32_t array; /* of pages; ARRAY_NONE: all of the plan */
	bool interleave, binds;
};

struct trials {
	struct arena *arena;
	struct run *run;
	struct page_nodes nodes;
	bool planned, running;
	struct trial_plan plan;
	uint32_t interleaved[RUN_NODES_MOST];
	uint32_t nr_interleaved;
	struct change changes[TRIALS_AT_ONCE_MOST];
	size_t nr_changes, next;
	/* the trial in progress */
	struct run_trial now;
	struct page_moves moves;
	struct thread_bindings bindings;
	bool binds; /* threads, not pages */
	bool moved, settles;
	bool refused;    /* move_pages: other changes would be, too */
	uint32_t blocks; /* that ended */
	double block_ns; /* of the current one, and … */
	uint64_t block_executions;
	double means[2][TRIALS_PAIRS_MOST]; /* without, with: of an execution */
};

/* The kernel's highest number of a node + 1: "0-3", "0,8"; at least that of nodes with memory. */
static uint32_t nodes_of_kernel(const struct run *run)
{
	char text[256];
	const char *last;
	uint32_t nr;

	if (!system_text_read("/sys/devices/system/node/online", text, sizeof(text)))
		return run->machine.nodes;
	last = text + strlen(text);
	while (last > text && strchr("0123456789\n", last[-1]))
		last--;
	nr = (uint32_t)strtoul(last, NULL, 10) + 1;
	return nr > run->machine.nodes ? nr : run->machine.nodes;
}

struct trials *trials_new(struct arena *arena, struct run *run, numa_move_pages *move_pages)
{
	struct trials *trials = arena_alloc(arena, sizeof(*trials));

	if (!trials)
		return NULL;
	*trials = (struct trials){ .arena = arena, .run = run };
	trials->nodes.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	run->trying.asked = true;
	run->trying.why = "the program had no repeating phase for long enough";
	if (run->machine.nodes < 2)
		run->trying.why = "this machine has one NUMA node";
	else if (move_pages)
		trials->nodes.move_pages = move_pages;
	else
		trials->nodes.move_pages = numa_library_move_pages(&run->trying.why);
	if (trials->nodes.move_pages &&
	    !page_counts_start(nodes_of_kernel(run), trials->nodes.page_bytes)) {
		trials->nodes.move_pages = NULL;
		run->trying.why = "no memory to count the accesses to each page";
	}
	return trials;
}

bool trials_are_open(const struct trials *trials)
{
	return trials && trials->nodes.move_pages && !trials->planned;
}

/* ------------------------------------------------------------------ the plan */

static void add_change(struct trials *trials, const struct change *change)
{
	if (trials->nr_changes < TRIALS_AT_ONCE_MOST)
		trials->changes[trials->nr_changes++] = *change;
}

/* The program's threads, as far as they have begun and not ended. */
static bool find_threads(struct trials *trials)
{
	const struct thread *thread = NULL;
	int *threads = NULL;
	size_t nr = 0, room = 0;

	while ((thread = thread_next(thread))) {
		if (__atomic_load_n(&thread->ended, __ATOMIC_RELAXED))
			continue;
		if (!ARENA_GROW(trials->arena, threads, nr, room))
			return false;
		threads[nr++] = thread->os_id;
	}
	return thread_bindings_find(trials->arena, THREAD_BINDINGS_NODES, threads, nr,
				    &trials->bindings);
}

static void plan_changes(struct trials *trials)
{
	const struct trial_plan *plan = &trials->plan;

	if (plan->nr_arrays) {
		add_change(trials, &(struct change){ .remedy = RUN_TRIAL_FIRST_TOUCH,
						     .array = ARRAY_NONE });
		add_change(trials, &(struct change){ .remedy = RUN_TRIAL_INTERLEAVE,
						     .array = ARRAY_NONE,
						     .interleave = true });
	}
	if (trials->bindings.nr)
		add_change(trials, &(struct change){ .remedy = RUN_TRIAL_BIND, .binds = true });
	for (size_t i = 0; i < plan->nr_arrays && plan->nr_arrays > 1; i++)
		add_change(trials, &(struct change){ .remedy = RUN_TRIAL_FIRST_TOUCH,
						     .array = plan->arrays[i].array });
}

/* Nodes with memory, by the kernel's numbers; else those of the pages and of their users. */
static void find_nodes(struct trials *trials)
{
	bool has[RUN_NODES_MOST] = { false };

	for (size_t i = 0; i < trials->run->nr_node_memory; i++)
		if (trials->run->node_memory[i].node < RUN_NODES_MOST)
			has[trials->run->node_memory[i].node] = true;
	for (size_t i = 0; !trials->run->nr_node_memory && i < trials->plan.nr_pages; i++)
		has[trials->plan.pages[i].home] = has[trials->plan.pages[i].user] = true;
	for (uint32_t node = 0; node < RUN_NODES_MOST; node++)
		if (has[node])
			trials->interleaved[trials->nr_interleaved++] = node;
}

/* get_mempolicy(2). NULL: the default one, or not known. */
static const char *memory_policy(void)
{
	static const char *const names[] = { [MPOL_PREFERRED] = "preferred",
					     [MPOL_BIND] = "bind",
					     [MPOL_INTERLEAVE] = "interleave",
					     [MPOL_PREFERRED_MANY] = "preferred many" };
	int mode = MPOL_DEFAULT;

	if (syscall(SYS_get_mempolicy, &mode, NULL, 0ul, NULL, 0ul))
		return NULL;
	mode &= ~MPOL_MODE_FLAGS;
	return mode > 0 && (size_t)mode < sizeof(names) / sizeof(*names) ? names[mode] : NULL;
}

static const char *plan(struct trials *trials, trial_plan_in_phase *in_phase, void *ctx)
{
	struct run_trying *trying = &trials->run->trying;

	if (!trial_plan_make(trials->arena, &trials->nodes, in_phase, ctx, &trials->plan))
		return trials->nodes.error ? page_nodes_refused(trials->arena, trials->nodes.error)
		       : trials->plan.too_many ? "more than a million pages alternate between nodes"
					       : NO_MEMORY;
	trying->policy = memory_policy();
	trying->lines = trials->plan.lines;
	trying->remote = trials->plan.remote;
	if (page_counts_dropped() > trials->plan.lines)
		return "the loops use more pages than are counted: a million, over all loops";
	if (!trials->plan.lines)
		return "no accesses of the phase to arrays of a page or more were recorded";
	if (!find_threads(trials))
		return NO_MEMORY;
	if (!trials->plan.nr_arrays && !trials->bindings.nr)
		return "arrays lie on the nodes whose threads use them, as far as was recorded";
	find_nodes(trials);
	plan_changes(trials);
	return NULL;
}

/* ------------------------------------------------------------------ one trial */

static bool note_arrays(struct trials *trials, const struct change *change)
{
	struct run_trial *now = &trials->now;

	now->arrays = arena_alloc(trials->arena, TRIAL_PLAN_ARRAYS * sizeof(*now->arrays));
	for (size_t i = 0; now->arrays && i < trials->plan.nr_arrays; i++)
		if (change->array == ARRAY_NONE || change->array == trials->plan.arrays[i].array)
			now->arrays[now->nr_arrays++] = trials->plan.arrays[i].array;
	return now->arrays != NULL;
}

/* NULL: there is none left. */
static const struct change *next_change(struct trials *trials)
{
	while (trials->refused && trials->next < trials->nr_changes &&
	       !trials->changes[trials->next].binds)
		trials->next++;
	return trials->next < trials->nr_changes ? &trials->changes[trials->next++] : NULL;
}

/* False: there is none left. */
static bool begin_next(struct trials *trials)
{
	const struct change *change = next_change(trials);

	if (!change)
		return false;
	trials->now = (struct run_trial){ .remedy = change->remedy,
					  .gain = NAN,
					  .half_width = NAN };
	trials->moves = (struct page_moves){ .move_pages = trials->nodes.move_pages,
					     .page_bytes = trials->nodes.page_bytes,
					     .nodes = trials->interleaved,
					     .nr_nodes = trials->nr_interleaved };
	trials->moved = false;
	trials->settles = true;
	trials->blocks = 0;
	trials->block_ns = 0;
	trials->block_executions = 0;
	trials->binds = change->binds;
	trials->now.threads = change->binds ? (uint32_t)trials->bindings.nr : 0;
	if (change->binds)
		return true;
	if (!note_arrays(trials, change) ||
	    !trial_plan_moves(&trials->plan, trials->arena, change->array, change->interleave,
			      &trials->moves))
		trials->now.why = NO_MEMORY;
	trials->now.pages = page_moves_pages(&trials->moves);
	return true;
}

static double mean(const double *values, size_t nr)
{
	double sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum += values[i];
	return nr ? sum / (double)nr : 0;
}

/* Of the means of the pairs so far. */
static void note_gain(struct trials *trials)
{
	struct run_trial *now = &trials->now;
	double gains[TRIALS_PAIRS_MOST], square = 0;
	uint32_t nr = trials->blocks / 2;

	now->pairs = nr;
	now->before_ns = mean(trials->means[0], nr);
	now->after_ns = mean(trials->means[1], nr);
	if (nr < 2)
		return;
	for (uint32_t i = 0; i < nr; i++)
		gains[i] = 1 - trials->means[1][i] / trials->means[0][i];
	now->gain = mean(gains, nr);
	for (uint32_t i = 0; i < nr; i++)
		square += (gains[i] - now->gain) * (gains[i] - now->gain);
	now->half_width = student_quantile(0.975, nr - 1) * sqrt(square / (nr - 1) / nr);
}

static bool is_decided(const struct run_trial *now)
{
	return now->pairs >= TRIALS_PAIRS_MOST ||
	       (now->pairs >= TRIALS_PAIRS_LEAST &&
		(now->half_width < TRIALS_NARROW ||
		 now->half_width < TRIALS_NARROW_PART * fabs(now->gain)));
}

/* Pages of a block that was freed may be another array's now. */
static void check_blocks(struct trials *trials)
{
	if (trial_plan_check(&trials->moves) != ARRAY_NONE && !trials->now.why)
		trials->now.why = "an array was freed meanwhile";
}

static void bind_threads(struct trials *trials, bool back)
{
	if (thread_bindings_apply(&trials->bindings, back) && !trials->now.why)
		trials->now.why = "sched_setaffinity: not permitted, or the CPUs are not online";
}

static void move_pages(struct trials *trials, bool back)
{
	uint64_t elsewhere;

	check_blocks(trials);
	elsewhere = page_moves_apply(&trials->moves, back);
	if (back)
		trials->now.not_back = elsewhere;
	else
		trials->now.unmoved = elsewhere;
	trials->refused |= trials->moves.error;
	if (trials->moves.error && !trials->now.why)
		trials->now.why = page_nodes_refused(trials->arena, trials->moves.error);
	if (!back && elsewhere && elsewhere >= trials->now.pages && !trials->now.why)
		trials->now.why =
			"the kernel moved no page: their node has no free memory, or they are shared with other processes";
}

static void apply(struct trials *trials, bool back)
{
	uint64_t begin_ns = thread_clock_ns();

	(trials->binds ? bind_threads : move_pages)(trials, back);
	trials->now.moving_ns += (double)(thread_clock_ns() - begin_ns);
	trials->moved = !back;
	trials->settles = true;
}

static void end_trial(struct trials *trials)
{
	struct run *run = trials->run;

	if (trials->moved)
		apply(trials, true);
	if (ARENA_GROW(trials->arena, run->trials, run->nr_trials, run->room_trials))
		run->trials[run->nr_trials++] = trials->now;
}

/* Whether block number `block` is one with the change: A B B A A B B A … */
static bool is_with(uint32_t block)
{
	return block % 4 == 1 || block % 4 == 2;
}

static void end_block(struct trials *trials)
{
	uint32_t block = trials->blocks++;

	trials->means[is_with(block)][block / 2] = trials->block_ns /
						   (double)trials->block_executions;
	trials->block_ns = 0;
	trials->block_executions = 0;
	if (block % 2)
		note_gain(trials);
}

/* ------------------------------------------------------------------ from outside */

bool trials_begin(struct trials *trials, trial_plan_in_phase *in_phase, void *ctx)
{
	trials->planned = true;
	page_counts_stop();
	trials->run->trying.why = plan(trials, in_phase, ctx);
	trials->running = !trials->run->trying.why && begin_next(trials);
	return trials->running;
}

bool trials_execution(struct trials *trials, double wall_ns, uint64_t executions)
{
	struct run_trial *now = &trials->now;

	now->executions += executions;
	if (trials->settles) {
		trials->settles = false;
	} else {
		trials->block_ns += wall_ns;
		trials->block_executions += executions;
		if (trials->block_ns >= TRIALS_BLOCK_NS)
			end_block(trials);
	}
	if (!now->why && !is_decided(now)) {
		if (!trials->block_executions && is_with(trials->blocks) != trials->moved)
			apply(trials, trials->moved);
		return true;
	}
	end_trial(trials);
	trials->running = begin_next(trials);
	return trials->running;
}

void trials_end(struct trials *trials, const char *why, bool moves_back)
{
	if (!trials || !trials->running)
		return;
	trials->running = false;
	if (!trials->now.why)
		trials->now.why = why;
	if (trials->moved && !moves_back)
		trials->now.not_back = trials->now.pages - trials->now.unmoved;
	trials->moved &= moves_back;
	end_trial(trials);
}
