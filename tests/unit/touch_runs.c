/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages between page faults that are known: what goes on page by page is one thread's, what does
 * not is not made up.
 */
#include "ompt_tool/arrays/touch_runs.h"

#include <stdlib.h>

#include "tests/unit/test.h"

#define PAGES 20000u
#define ARRAYS 7
/* of the first array, in pages of 4 KiB; the others come behind */
#define FIRST (1u << 20)

/* What a thread is said to have touched. */
struct said {
	struct touch_runs runs;
	uint8_t pages[ARRAYS][PAGES]; /* how often */
	uint64_t since, nr;
	int64_t unexplained; /* faults less pages */
};

static struct said *begin(void)
{
	struct said *said = calloc(1, sizeof(*said));

	CHECK(said != NULL);
	return said;
}

static uint64_t block_of(uint32_t array)
{
	return (FIRST + (uint64_t)array * 2 * PAGES) << 12;
}

/* A fault of the thread; the first `exact` ones are kept, and one in TOUCH_SPARSE. */
static void fault(struct said *said, uint32_t thread, uint32_t array, uint64_t page, uint64_t exact)
{
	uint64_t first = block_of(array) >> 12;
	struct touch_stretch stretch;
	uint32_t others = 0;

	said->nr++;
	if (said->nr > exact) {
		if (++said->since < TOUCH_SPARSE)
			return;
		others = TOUCH_SPARSE - 1;
		said->since = 0;
	}
	said->pages[array][page]++;
	stretch = touch_runs_add(&said->runs, thread, block_of(array), 12, first + page, others);
	said->unexplained += others ? (int64_t)others - (int64_t)stretch.nr : 0;
	for (uint64_t i = stretch.first; i < stretch.first + stretch.nr; i++) {
		CHECK(i >= first && i < first + PAGES);
		said->pages[array][i - first]++;
	}
}

static uint64_t sum(const struct said *said, uint32_t array, uint8_t most)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < PAGES; i++) {
		CHECK_THAT(said->pages[array][i], <=, most);
		nr += said->pages[array][i];
	}
	return nr;
}

TEST(touch_runs__page_by_page_all_are_known)
{
	for (uint64_t exact = 0; exact < 5000; exact += 1111) {
		struct said *up = begin(), *down = begin();

		for (uint64_t i = 0; i < PAGES; i++) {
			fault(up, 0, 1, i, exact);
			fault(down, 0, 1, PAGES - 1 - i, exact);
		}
		CHECK_THAT(sum(up, 1, 1), >, PAGES - TOUCH_SPARSE);
		CHECK_THAT(sum(down, 1, 1), >, PAGES - 2 * TOUCH_SPARSE);
		CHECK_INT(up->unexplained, 0);
		CHECK_THAT(down->unexplained, <, TOUCH_SPARSE);
		free(up);
		free(down);
	}
}

/* Several arrays in turn, also by some pages at a time; what is not known is at least counted. */
static void touch_in_turn(uint64_t at_a_time, uint64_t least)
{
	struct said *said = begin();
	uint64_t known = 0;

	for (uint64_t i = 0; i < PAGES / at_a_time * at_a_time; i += at_a_time)
		for (uint32_t array = 0; array < ARRAYS; array++)
			for (uint64_t k = 0; k < at_a_time; k++)
				fault(said, 3, array, i + k, 1000);
	for (uint32_t array = 0; array < ARRAYS; array++) {
		CHECK_THAT(sum(said, array, 1), >=, least);
		known += sum(said, array, 1);
	}
	CHECK_THAT((int64_t)known + said->unexplained + TOUCH_SPARSE, >, (int64_t)said->nr);
	CHECK_THAT((int64_t)known + said->unexplained, <,
		   (int64_t)said->nr + TOUCH_SPARSE * ARRAYS);
	free(said);
}

TEST(touch_runs__arrays_in_turn)
{
	touch_in_turn(1, PAGES - 2 * TOUCH_SPARSE);
	touch_in_turn(3, PAGES - 3 * TOUCH_SPARSE);
	touch_in_turn(6, PAGES / 10 * 7);
	touch_in_turn(16, PAGES / 4);
	touch_in_turn(5000, PAGES - 9 * TOUCH_SPARSE);
}

TEST(touch_runs__strides_and_chance_are_not_filled)
{
	struct said *strided = begin(), *random = begin();
	uint64_t state = 1;

	for (uint64_t i = 0; i < PAGES; i += 2)
		fault(strided, 0, 0, i, 0);
	CHECK_THAT(sum(strided, 0, 1), <=, PAGES / 2 / TOUCH_SPARSE);
	CHECK_INT(strided->unexplained, PAGES / 2 / TOUCH_SPARSE * (TOUCH_SPARSE - 1));
	for (uint64_t i = 0; i < PAGES; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		fault(random, 0, 0, (state >> 33) % PAGES, 0);
	}
	CHECK_THAT(sum(random, 0, UINT8_MAX), <, PAGES / 10);
	CHECK_THAT(random->unexplained, >, PAGES / 10 * 9);
	free(strided);
	free(random);
}

/* Each goes on by itself. */
TEST(touch_runs__threads_and_sizes_of_pages_are_told_apart)
{
	struct touch_runs *runs = calloc(1, sizeof(*runs));
	struct touch_stretch stretch;

	CHECK(runs != NULL);
	CHECK_INT(touch_runs_add(runs, 0, block_of(1), 12, FIRST + 2 * PAGES + 1000, 0).nr, 0);
	CHECK_INT(touch_runs_add(runs, 1, block_of(1), 12, FIRST + 2 * PAGES + 1010, 60).nr, 0);
	stretch = touch_runs_add(runs, 0, block_of(1), 12, FIRST + 2 * PAGES + 1061, 60);
	CHECK_INT(stretch.first, FIRST + 2 * PAGES + 1001);
	CHECK_INT(stretch.nr, 60);
	CHECK_INT(touch_runs_add(runs, 0, block_of(1), 21, ((FIRST + 2 * PAGES) >> 9) + 100, 60).nr,
		  0);
	free(runs);
}

/* What is kept again closes the gap behind the last one that stood for others. */
TEST(touch_runs__one_by_one_again)
{
	struct touch_runs *runs = calloc(1, sizeof(*runs));
	struct touch_stretch stretch;

	CHECK(runs != NULL);
	/* the first ones of the block */
	stretch = touch_runs_add(runs, 0, block_of(0), 12, FIRST + 60, 60);
	CHECK_INT(stretch.first, FIRST);
	CHECK_INT(stretch.nr, 60);
	stretch = touch_runs_add(runs, 0, block_of(0), 12, FIRST + 80, 0);
	CHECK_INT(stretch.first, FIRST + 61);
	CHECK_INT(stretch.nr, 19);
	CHECK_INT(touch_runs_add(runs, 0, block_of(0), 12, FIRST + 90, 0).nr, 0);
	free(runs);
}
