/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trials of placements against a kernel of the test's own: which pages move, in which order
 * executions with and without the move follow, the gain, and that pages are put back; arrays that
 * are freed, refused moves, full nodes, programs that end early.
 */
#include "ompt_tool/session/trials.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "analysis/trace/record_rows.h"
#include "ompt_tool/accesses/page_counts.h"
#include "ompt_tool/arrays/array.h"
#include "tests/unit/test.h"

#define PAGE 4096ull
#define BASE 0x5a0000000000ull /* addresses only: nothing is there */
#define PAGES 64u              /* of an array */
#define GAP 16u                /* pages between arrays */
#define STEP_NS 80e6           /* one is a block */
enum { REGION_INIT = 1, REGION_STEP };
enum { OF_NOBODY, BY_ONE, PLACED, SECOND, ARRAYS };

static struct {
	int nodes[ARRAYS * (PAGES + GAP)]; /* by page from BASE on */
	int refuses;                       /* errno of moves; 0: none */
	int full;                          /* a node without room; -1: none is */
	int denied;                        /* node to which moves are refused; -1: none is */
	unsigned long moved;               /* pages, of all calls */
} kernel;
static struct run run;
static struct arena *arena;
static uint32_t arrays[ARRAYS];
static char order[256]; /* of executions: 'A', 'B' */

static uint64_t address_of(unsigned int array, unsigned int page)
{
	return BASE + ((uint64_t)array * (PAGES + GAP) + page) * PAGE;
}

static int *node_of(unsigned int array, unsigned int page)
{
	return &kernel.nodes[array * (PAGES + GAP) + page];
}

static long answer(int pid, unsigned long nr, void **pages, const int *nodes, int *status,
		   int flags)
{
	CHECK(!pid && nr && nr <= 1024 && !flags == !nodes);
	if (nodes && (kernel.refuses || nodes[0] == kernel.denied)) {
		errno = kernel.refuses ? kernel.refuses : EPERM;
		return -1;
	}
	for (unsigned long i = 0; i < nr; i++) {
		int *node = &kernel.nodes[((uintptr_t)pages[i] - BASE) / PAGE];

		if (nodes && nodes[i] != kernel.full && *node != nodes[i]) {
			*node = nodes[i];
			kernel.moved++;
		}
		status[i] = *node;
	}
	return 0;
}

/* Threads of `node` read pages [first, first + nr) of the array in the region. */
static void read_pages(unsigned int array, unsigned int first, unsigned int nr, uint32_t node,
		       uint32_t region)
{
	static uint32_t stretch;
	static struct page_counter counter;
	uint64_t two[4];

	if (!stretch) {
		const struct record_site site = { .size = 8, .base_word = 1, .read = true };
		struct record_stretch row = { .nr_sites = 1, .words = 1, .plain = true };

		row.first_site = record_rows_add_site(&site);
		stretch = record_rows_add_stretch(&row);
	}
	page_counter_part(&counter, region);
	counter.node = node;
	two[0] = two[2] = stretch;
	two[1] = address_of(array, first);
	two[3] = two[1] + 8;
	page_counter_again(&counter, two, 2, nr * PAGE / 8);
}

static bool in_phase(void *ctx, uint32_t region)
{
	(void)ctx;
	return region == REGION_STEP;
}

/*
 * Thread 0 on node 0 has initialised BY_ONE, of which threads on node 1 use the second half; what
 * uses PLACED lies where it should.
 */
static struct trials *begin(void)
{
	struct trials *trials;

	memset(&kernel, 0, sizeof(kernel));
	memset(order, 0, sizeof(order));
	kernel.full = -1;
	kernel.denied = -1;
	run = (struct run){ .machine.nodes = 2 };
	arena = arena_new();
	trials = trials_new(arena, &run, answer);
	CHECK(trials && trials_are_open(trials));
	for (unsigned int i = 1; i < ARRAYS; i++) {
		const struct array row = { .kind = ARRAY_HEAP,
					   .name = "",
					   .type = "",
					   .file = "",
					   .module = "",
					   .site = i };

		arrays[i] = array_new(&row);
	}
	for (unsigned int i = BY_ONE; i <= PLACED; i++)
		CHECK(array_block_add(arrays[i], address_of(i, 0), PAGES * PAGE));
	read_pages(BY_ONE, 0, PAGES, 0, REGION_INIT);
	for (unsigned int i = BY_ONE; i <= PLACED; i++) {
		read_pages(i, 0, PAGES / 2, 0, REGION_STEP);
		read_pages(i, PAGES / 2, PAGES / 2, 1, REGION_STEP);
	}
	for (unsigned int page = PAGES / 2; page < PAGES; page++)
		*node_of(PLACED, page) = 1;
	return trials;
}

/* Part of BY_ONE that is on node 1. */
static double part_moved(void)
{
	double pages = 0;

	for (unsigned int page = 0; page < PAGES; page++)
		pages += *node_of(BY_ONE, page) == 1;
	return pages / PAGES;
}

/* An execution gets faster by `gain` if the second half lies on its node. False: all are done. */
static bool execution(struct trials *trials, double gain)
{
	bool is_with = part_moved() > 0;
	size_t nr = strlen(order);

	if (nr < sizeof(order) - 1)
		order[nr] = is_with ? 'B' : 'A';
	return trials_execution(trials, STEP_NS * (is_with ? 1 - gain : 1), 1);
}

static void check_restored(void)
{
	for (unsigned int page = 0; page < PAGES; page++) {
		CHECK_INT(*node_of(BY_ONE, page), 0);
		CHECK_INT(*node_of(PLACED, page), page >= PAGES / 2);
	}
}

TEST(trials__gain_of_pages_where_they_are_used)
{
	struct trials *trials = begin();
	const struct run_trial *trial;

	CHECK(trials_begin(trials, in_phase, NULL));
	CHECK(!trials_are_open(trials));
	while (execution(trials, 0.25))
		;
	CHECK_INT(run.nr_trials, 2);
	trial = &run.trials[0];
	CHECK_STR(trial->remedy, RUN_TRIAL_FIRST_TOUCH);
	CHECK_INT(trial->nr_arrays, 1);
	CHECK_INT(trial->arrays[0], arrays[BY_ONE]);
	CHECK_INT(trial->pages, PAGES / 2);
	CHECK_INT(trial->unmoved + trial->not_back, 0);
	CHECK_NEAR(trial->gain, 0.25, 1e-9);
	CHECK_NEAR(trial->half_width, 0, 1e-9);
	CHECK_INT(trial->pairs, TRIALS_PAIRS_LEAST);
	CHECK_NEAR(trial->before_ns, STEP_NS, 1);
	CHECK_NEAR(trial->after_ns, 0.75 * STEP_NS, 1);
	CHECK(!trial->why);
	/* each move is followed by an execution that does not count */
	CHECK(!strncmp(order, "AABBBAAABBBAA", trial->executions));
	CHECK_STR(run.trials[1].remedy, RUN_TRIAL_INTERLEAVE);
	CHECK_INT(run.trials[1].pages, PAGES / 2);
	check_restored();
	CHECK(!run.trying.why);
	/* half of BY_ONE and none of PLACED */
	CHECK_INT(run.trying.remote * 4, run.trying.lines);
}

TEST(trials__interleaved_pages_alternate)
{
	struct trials *trials = begin();

	CHECK(trials_begin(trials, in_phase, NULL));
	while (!run.nr_trials)
		CHECK(execution(trials, 0));
	while (part_moved() == 0)
		CHECK(execution(trials, 0));
	for (unsigned int page = 0; page < PAGES; page++)
		CHECK_INT(*node_of(BY_ONE, page), (address_of(BY_ONE, page) / PAGE) % 2);
	trials_end(trials, "the program went to another phase", true);
	CHECK_INT(run.nr_trials, 2);
	CHECK_STR(run.trials[1].why, "the program went to another phase");
	check_restored();
}

TEST(trials__pages_without_recorded_accesses_follow_the_page_before)
{
	struct trials *trials = begin();

	CHECK(array_block_add(arrays[SECOND], address_of(SECOND, 0) + 8, PAGES * PAGE - 8));
	read_pages(SECOND, 1, 2, 0, REGION_STEP);
	read_pages(SECOND, 40, 6, 1, REGION_STEP);
	CHECK(trials_begin(trials, in_phase, NULL));
	while (part_moved() == 0)
		CHECK(execution(trials, 0.1));
	/* the block begins inside of its first page, which stays */
	for (unsigned int page = 0; page < PAGES; page++)
		CHECK_INT(*node_of(SECOND, page), page >= 40);
	while (execution(trials, 0.1))
		;
	/* together, interleaved, and each array alone, most lines first */
	CHECK_INT(run.nr_trials, 4);
	CHECK_INT(run.trials[0].nr_arrays, 2);
	CHECK_INT(run.trials[2].nr_arrays, 1);
	CHECK_INT(run.trials[2].arrays[0], arrays[BY_ONE]);
	CHECK_INT(run.trials[3].arrays[0], arrays[SECOND]);
	CHECK_INT(run.trials[3].pages, PAGES - 40);
	for (unsigned int page = 0; page < PAGES; page++)
		CHECK_INT(*node_of(SECOND, page), 0);
}

TEST(trials__noise_is_measured_until_it_is_narrow_or_no_longer)
{
	unsigned int seed = 1;
	struct trials *trials = begin();
	const struct run_trial *trial;

	CHECK(trials_begin(trials, in_phase, NULL));
	while (!run.nr_trials)
		CHECK(trials_execution(trials, STEP_NS * (0.7 + rand_r(&seed) % 100 / 160.0), 1));
	trial = &run.trials[0];
	CHECK_INT(trial->pairs, TRIALS_PAIRS_MOST);
	CHECK(trial->half_width > 0.05 && fabs(trial->gain) < 2 * trial->half_width);
}

TEST(trials__array_freed_meanwhile_is_left)
{
	struct trials *trials = begin();
	uint64_t bytes;

	CHECK(array_block_add(arrays[SECOND], address_of(SECOND, 0), PAGES * PAGE));
	read_pages(SECOND, 0, PAGES, 1, REGION_STEP);
	CHECK(trials_begin(trials, in_phase, NULL));
	while (part_moved() == 0)
		CHECK(execution(trials, 0.25));
	CHECK(array_block_remove(address_of(BY_ONE, 0), &bytes));
	while (!run.nr_trials)
		CHECK(execution(trials, 0.25));
	CHECK_STR(run.trials[0].why, "an array was freed meanwhile");
	CHECK_THAT(part_moved(), >, 0); /* its pages may be another array's */
	for (unsigned int page = 0; page < PAGES; page++)
		CHECK_INT(*node_of(SECOND, page), 0);
}

TEST(trials__what_the_kernel_refuses)
{
	struct trials *trials = begin();

	kernel.refuses = EPERM;
	CHECK(trials_begin(trials, in_phase, NULL));
	while (execution(trials, 0.25))
		;
	CHECK_INT(run.nr_trials, 1); /* interleaving would be refused, too */
	CHECK_HAS(run.trials[0].why, "move_pages: not permitted");
	CHECK(isnan(run.trials[0].gain));
	CHECK_INT(run.trials[0].unmoved, PAGES / 2);
	CHECK_INT(run.trials[0].not_back, 0); /* they never left */
	CHECK_INT(kernel.moved, 0);
	check_restored();
}

TEST(trials__full_node_takes_no_pages)
{
	struct trials *trials = begin();

	kernel.full = 1;
	CHECK(trials_begin(trials, in_phase, NULL));
	while (execution(trials, 0.25))
		;
	CHECK_INT(run.trials[0].unmoved, PAGES / 2);
	CHECK_HAS(run.trials[0].why, "the kernel moved no page");
	CHECK(isnan(run.trials[0].gain));
	check_restored();
}

TEST(trials__pages_that_the_kernel_does_not_move_back)
{
	struct trials *trials = begin();

	CHECK(trials_begin(trials, in_phase, NULL));
	while (part_moved() == 0)
		CHECK(execution(trials, 0.25));
	kernel.denied = 0;
	while (!run.nr_trials)
		execution(trials, 0.25);
	CHECK_HAS(run.trials[0].why, "move_pages: not permitted");
	CHECK_INT(run.trials[0].not_back, PAGES / 2);
}

TEST(trials__node_is_full_when_pages_return)
{
	struct trials *trials = begin();

	CHECK(trials_begin(trials, in_phase, NULL));
	while (part_moved() == 0)
		CHECK(execution(trials, 0.25));
	kernel.full = 0;
	while (!run.nr_trials)
		CHECK(execution(trials, 0.25));
	CHECK_INT(run.trials[0].not_back, PAGES / 2);
}

TEST(trials__program_ends_first)
{
	struct trials *trials = begin();

	CHECK(trials_begin(trials, in_phase, NULL));
	for (int i = 0; i < 7; i++)
		CHECK(execution(trials, 0.25));
	trials_end(trials, "the program ended", false);
	trials_end(trials, "again", true);
	CHECK_INT(run.nr_trials, 1);
	CHECK_INT(run.trials[0].pairs, 2);
	CHECK_NEAR(run.trials[0].gain, 0.25, 1e-9);
	CHECK_STR(run.trials[0].why, "the program ended");
}

/* With one row per page and region the table is full after 4 GiB of pages. */
TEST(trials__more_pages_than_are_counted)
{
	struct trials *trials = begin();

	read_pages(ARRAYS, 0, 2 * PAGE_COUNTS_ROWS, 0, REGION_INIT);
	CHECK_THAT(page_counts_dropped(), >, 0);
	CHECK(!trials_begin(trials, in_phase, NULL));
	CHECK_INT(run.nr_trials, 0);
	CHECK_HAS(run.trying.why, "more pages than are counted");
}

TEST(trials__nothing_to_try)
{
	struct trials *trials = begin();

	for (unsigned int page = PAGES / 2; page < PAGES; page++)
		*node_of(BY_ONE, page) = 1;
	CHECK(!trials_begin(trials, in_phase, NULL));
	CHECK_HAS(run.trying.why, "arrays lie on the nodes whose threads use them");
	CHECK_INT(run.nr_trials + run.trying.remote, 0);
	CHECK_THAT(run.trying.lines, >, 0);
	run = (struct run){ .machine.nodes = 1 };
	trials = trials_new(arena, &run, answer);
	CHECK(!trials_are_open(trials));
	CHECK_STR(run.trying.why, "this machine has one NUMA node");
}
