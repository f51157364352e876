/* SPDX-License-Identifier: Apache-2.0 */
/* First touches as ranges: exact while they are few, one page for its neighbours beyond. */
#include "ompt_tool/arrays/touch_ranges.h"

#include "analysis/base/arena.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/arrays/first_touch.h"
#include "tests/unit/test.h"

#define PAGE 4096ull
#define BASE 0x10000000000ull /* an address that is never accessed */
#define FIRST (BASE / PAGE)

static uint32_t declare(uint64_t start, uint64_t pages)
{
	const struct array row = {
		.kind = ARRAY_STATIC, .name = "", .type = "", .file = "", .module = ""
	};
	uint32_t id = array_new(&row);

	CHECK_THAT(id, !=, ARRAY_NONE);
	CHECK(array_block_add(id, start, pages * PAGE));
	return id;
}

static void touch(struct first_touches *touches, uint32_t thread, uint64_t page)
{
	const struct toucher who = { .thread = thread, .site = 1 };
	const struct array_place nowhere = { .array = ARRAY_NONE };

	first_touches_fault(touches, &who, BASE + page * PAGE, 12, 0, &nowhere, array_time());
}

/* Pages of one row. */
static uint64_t pages_of(const struct touch_ranges *ranges, uint32_t row)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < ranges->nr; i++)
		pages += ranges->items[i].row == row ? ranges->items[i].pages : 0;
	return pages;
}

TEST(touch_ranges__consecutive_pages_of_one_thread_are_one)
{
	struct arena *arena = arena_new();
	struct first_touches touches;
	struct touch_ranges ranges;
	uint32_t a = declare(BASE, 200), b = declare(BASE + 200 * PAGE, 100);

	first_touches_init(&touches, arena, PAGE);
	for (uint64_t page = 0; page < 300; page++)
		if (page != 40)
			touch(&touches, page >= 100 && page < 130, page);
	CHECK(touch_ranges_of(arena, &touches, &ranges));
	CHECK_INT(touches.nr, 3);
	CHECK_INT(ranges.nr, 5);
	CHECK_INT(ranges.items[0].page, FIRST);
	CHECK_INT(ranges.items[0].pages, 40);
	CHECK_INT(ranges.items[1].page, FIRST + 41);
	CHECK_INT(ranges.items[1].pages, 59);
	CHECK_INT(ranges.items[2].page, FIRST + 130);
	CHECK_INT(ranges.items[2].pages, 70);
	CHECK_INT(ranges.items[3].row, 1);
	CHECK_INT(ranges.items[3].pages, 30);
	CHECK_INT(touches.rows[ranges.items[3].row].thread, 1);
	CHECK_INT(touches.rows[ranges.items[4].row].array, b);
	CHECK_INT(ranges.items[4].pages, 100);
	CHECK_INT(ranges.every[0], 1);
	/* the kernel wrote the page that has no fault */
	CHECK_INT(first_touches_unowned(&touches, a, UINT32_MAX, BASE, BASE + 200 * PAGE), 1);
	CHECK(touch_ranges_of(arena, &touches, &ranges));
	CHECK_INT(ranges.nr, 6);
	CHECK_INT(touches.rows[ranges.items[5].row].site, FIRST_TOUCH_KERNEL);
	CHECK_INT(ranges.items[5].page, FIRST + 40);
	arena_free(arena);
}

/* Four threads in turns, page by page: shares stay, within the error of the sample. */
TEST(touch_ranges__too_many_are_sampled)
{
	struct arena *arena = arena_new();
	uint64_t pages = 40000, all = 0;
	struct first_touches touches;
	struct touch_ranges ranges;

	declare(BASE, pages);
	first_touches_init(&touches, arena, PAGE);
	for (uint64_t page = 0; page < pages; page++)
		touch(&touches, (uint32_t)(page % 4), page);
	CHECK(touch_ranges_of(arena, &touches, &ranges));
	CHECK_THAT(ranges.nr, <=, (size_t)TOUCH_RANGES_MOST);
	CHECK_THAT(ranges.nr, >, (size_t)TOUCH_RANGES_MOST / 4);
	for (uint32_t row = 0; row < 4; row++) {
		CHECK_THAT(ranges.every[row], >, 1u);
		CHECK_NEAR((double)pages_of(&ranges, row) / (double)pages, 0.25, 0.06);
		all += pages_of(&ranges, row);
	}
	CHECK_INT(all, pages);
	arena_free(arena);
}
