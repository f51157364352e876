/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that others have written since: where there is room for all of them they are compared with the plain simulator (simulator_random.c). */
#include "analysis/simulator/contested.h"

#include "analysis/simulator/simulator.h"
#include "tests/unit/test.h"

#define LINE_SHIFT 6
#define HISTORY ((size_t)64 << 20)

static struct contested contested;

static void begin(void)
{
	size_t budget = HISTORY;

	contested_init(&contested, LINE_SHIFT, 2, &budget);
	CHECK_THAT(budget, <, HISTORY);
}

static bool is_contested(uint32_t core, uint64_t address)
{
	struct simulator_walk walk = { .bytes = 8, .times = 1 };

	return contested_access(&contested, core, &walk, address, true);
}

static bool is_free(uint32_t core, bool write, uint64_t stride, uint64_t times)
{
	struct simulator_walk walk = { .bytes = 8, .stride = (int64_t)stride, .times = times, .write = write };

	return contested_by_none(&contested, core, &walk, 0, times, true);
}

TEST(contested__blocks_for_which_there_is_no_room)
{
	begin();
	CHECK(is_free(0, true, 4096, 100000));
	CHECK(!contested.crowded);
	CHECK(!is_contested(0, 0));
	CHECK(is_contested(1, 0));
	CHECK(!is_contested(1, 0));
	is_free(0, true, 4096, 1000000);
	CHECK(contested.crowded);
	CHECK_THAT(contested_bytes(&contested), <, HISTORY / 4);
	contested_release(&contested);
}

TEST(contested__lines_for_which_there_is_no_room)
{
	uint64_t contests = 0;

	begin();
	CHECK(is_free(0, true, 64, 2000000));
	CHECK(!contested.crowded);
	CHECK(!is_free(1, false, 64, 2000000));
	for (uint64_t line = 0; line < 2000000 && !contested.crowded; line++)
		contests += is_contested(1, line * 64);
	CHECK(contested.crowded);
	CHECK_THAT(contests, >, 100000);
	CHECK_THAT(contested_bytes(&contested), <, HISTORY / 4);
	contested_release(&contested);
}
