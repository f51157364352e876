/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who touched pages first: the same answer whichever of two threads was faster where both use a
 * page.
 */
#include "analysis/trace/page_touches.h"

#include "tests/unit/test.h"

#define PAGE 4096ull
#define SMALL 12
#define BASE 0x20000000000ull
#define PAGES 64
#define ARRAY 5

/* By page, core + 1; 0: not known. */
static void note(void *ctx, uint64_t low, uint64_t high, uint32_t core)
{
	uint32_t *cores = ctx;

	CHECK_THAT(low, <, high);
	for (uint64_t at = low / PAGE * PAGE; at < high; at += PAGE)
		cores[(at - BASE) / PAGE] = core + 1;
}

static void whose(uint32_t cores[PAGES])
{
	for (uint32_t page = 0; page < PAGES; page++)
		cores[page] = 0;
	page_touches_each(ARRAY, BASE, BASE + PAGES * PAGE, note, cores);
}

static void add(uint32_t page, uint32_t core, uint32_t team, bool inside)
{
	page_touches_add(ARRAY, BASE + page * PAGE,
			 &(struct page_touch){ core, team, SMALL, inside });
}

static void forget(void)
{
	for (uint32_t page = 0; page < PAGES; page++)
		page_touches_add(ARRAY + 1, BASE + page * PAGE,
				 &(struct page_touch){ 0, 1, SMALL, false });
}

TEST(page_touches__one_thread_alone)
{
	uint32_t cores[PAGES];

	CHECK(page_touches_start(PAGE));
	add(3, 0, 1, true);
	add(4, 2, 1, false);
	whose(cores);
	CHECK_INT(cores[2], 0);
	CHECK_INT(cores[3], 1);
	CHECK_INT(cores[4], 3);
	forget(); /* it is another array's by now */
	whose(cores);
	CHECK_INT(cores[3], 0);
}

/*
 * Upwards, parts that begin somewhere in a page, or in the first; `later_first`: who is faster
 * where parts meet.
 */
static void sweep(uint32_t team, bool later_first)
{
	for (uint32_t page = 0; page < PAGES; page++) {
		uint32_t core = page / (PAGES / team);
		bool meets = core && page % (PAGES / team) == 0;

		add(page, meets && !later_first ? core - 1 : core, team, meets && later_first);
	}
}

TEST(page_touches__where_parts_meet_it_does_not_matter_who_was_first)
{
	uint32_t one[PAGES], other[PAGES];

	CHECK(page_touches_start(PAGE));
	sweep(4, false);
	whose(one);
	sweep(4, true);
	whose(other);
	for (uint32_t page = 0; page < PAGES; page++) {
		CHECK_THAT(one[page], !=, 0);
		CHECK_INT(one[page], other[page]);
	}
	CHECK_INT(one[15], 1);
	CHECK_INT(one[16], 1); /* the first bytes of it are that thread's */
	CHECK_INT(one[17], 2);
	CHECK_INT(one[63], 4);
	sweep(32, false); /* two pages a thread */
	whose(one);
	CHECK_INT(one[40], 0);
	forget();
}

/* Every other element is the other thread's: who was first is chance. */
TEST(page_touches__threads_in_turns_are_not_known)
{
	uint32_t cores[PAGES];

	CHECK(page_touches_start(PAGE));
	for (uint32_t page = 0; page < PAGES; page++)
		add(page, page * 7 % 5 < 2, 2, page * 7 % 5 < 2);
	whose(cores);
	for (uint32_t page = 0; page < PAGES; page++)
		CHECK_INT(cores[page], 0);
	forget();
}

TEST(page_touches__huge_pages_at_edges_are_not_known)
{
	uint32_t cores[PAGES];

	CHECK(page_touches_start(PAGE));
	/* of 64 KiB each: three of core 0, one of core 1 */
	for (uint32_t page = 0; page < PAGES; page++)
		page_touches_add(ARRAY, BASE + page * PAGE,
				 &(struct page_touch){ page >= 48, 2, 16, false });
	whose(cores);
	CHECK_INT(cores[0], 1);
	CHECK_INT(cores[31], 1);
	CHECK_INT(cores[32], 0);
	CHECK_INT(cores[47], 0);
	CHECK_INT(cores[48], 0);
	forget();
}
