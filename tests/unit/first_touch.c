/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First touches: pages and bytes exact to the byte, each page once, huge pages over several arrays,
 * heap blocks that came later.
 */
#include "ompt_tool/arrays/first_touch.h"

#include "analysis/base/arena.h"
#include "ompt_tool/arrays/array.h"
#include "tests/unit/test.h"

#define PAGE 4096ull
#define BASE 0x10000000000ull /* an address that is never accessed */

static uint32_t declare(uint8_t kind, uint64_t start, uint64_t bytes)
{
	static uint64_t site;
	struct array row = { .kind = kind,
			     .name = "",
			     .type = "",
			     .file = "",
			     .module = "",
			     .site = kind == ARRAY_HEAP ? ++site : 0 };
	uint32_t id = array_new(&row);

	CHECK_THAT(id, !=, ARRAY_NONE);
	CHECK(array_block_add(id, start, bytes));
	return id;
}

static struct first_touches begin(void)
{
	struct first_touches touches;

	first_touches_init(&touches, arena_new(), PAGE);
	return touches;
}

static struct first_touch row_of(const struct first_touches *touches, uint32_t array,
				 uint32_t thread)
{
	struct first_touch sum = { .array = array };

	for (size_t i = 0; i < touches->nr; i++)
		if (touches->rows[i].array == array && touches->rows[i].thread == thread) {
			sum.faults += touches->rows[i].faults;
			sum.pages += touches->rows[i].pages;
			sum.bytes += touches->rows[i].bytes;
		}
	return sum;
}

static void fault(struct first_touches *touches, uint32_t thread, uint64_t address,
		  unsigned int shift)
{
	const struct toucher who = { .thread = thread, .site = 1, .node = 0 };
	struct array_place place;

	if (!array_at(address, array_time(), array_time(), &place))
		place.array = ARRAY_NONE;
	first_touches_fault(touches, &who, address, shift, 0, &place, array_time());
}

#define CHECK_ROW(touches, array, thread, want_faults, want_pages, want_bytes) \
	do { \
		struct first_touch row_ = row_of(touches, array, thread); \
		CHECK_INT(row_.faults, want_faults); \
		CHECK_INT(row_.pages, want_pages); \
		CHECK_INT(row_.bytes, want_bytes); \
	} while (0)

/*
 * Two arrays that do not begin at pages: the page between them is a first touch of both, whoever's
 * byte it was.
 */
TEST(first_touch__pages_and_bytes_are_exact)
{
	struct first_touches touches = begin();
	uint32_t a = declare(ARRAY_STATIC, BASE + 96, 10 * PAGE),
		 b = declare(ARRAY_STATIC, BASE + 96 + 10 * PAGE, 5 * PAGE + 8);

	for (uint64_t at = BASE + 96; at < BASE + 96 + 10 * PAGE; at = (at / PAGE + 1) * PAGE)
		fault(&touches, at < BASE + 5 * PAGE ? 0 : 1, at, 12);
	for (uint64_t page = 11; page < 16; page++)
		fault(&touches, 2, BASE + page * PAGE, 0);
	CHECK_ROW(&touches, a, 0, 5, 5, 5 * PAGE - 96);
	CHECK_ROW(&touches, a, 1, 6, 6, 5 * PAGE + 96);
	CHECK_ROW(&touches, b, 1, 0, 1, PAGE - 96);
	CHECK_ROW(&touches, b, 2, 5, 5, 4 * PAGE + 96 + 8);
	CHECK_INT(touches.faults, 16);
	CHECK_INT(touches.nobodys, 0);
}

TEST(first_touch__a_page_counts_once)
{
	struct first_touches touches = begin();
	uint32_t a = declare(ARRAY_STATIC, BASE, 100 * PAGE);

	for (int round = 0; round < 3; round++)
		for (uint64_t page = 0; page < 100; page++)
			fault(&touches, (uint32_t)round, BASE + page * PAGE + 8, 12);
	CHECK_ROW(&touches, a, 0, 100, 100, 100 * PAGE);
	CHECK_ROW(&touches, a, 1, 100, 0, 0);
	CHECK_ROW(&touches, a, 2, 100, 0, 0);
}

/* One fault of 2 MiB brings the whole of one array, parts of two others, and what is nobody's. */
TEST(first_touch__huge_pages_are_shared_out)
{
	struct first_touches touches = begin();
	uint64_t huge = (BASE / (2 << 20) + 1) * (2 << 20);
	uint32_t a = declare(ARRAY_STATIC, huge - 3 * PAGE, 4 * PAGE + 100),
		 b = declare(ARRAY_STATIC, huge + PAGE + 100, 20 * PAGE),
		 c = declare(ARRAY_STATIC, huge + 500 * PAGE, 100 * PAGE);

	fault(&touches, 3, huge + 2 * PAGE, 21);
	CHECK_ROW(&touches, a, 3, 0, 2, PAGE + 100);
	CHECK_ROW(&touches, b, 3, 1, 21, 20 * PAGE);
	CHECK_ROW(&touches, c, 3, 0, 12, 12 * PAGE);
	fault(&touches, 4, huge + 21 * PAGE, 12); /* known already */
	CHECK_ROW(&touches, b, 4, 1, 0, 0);
}

TEST(first_touch__what_is_in_no_array_is_nobodys)
{
	struct first_touches touches = begin();
	uint32_t a = declare(ARRAY_STATIC, BASE + PAGE, PAGE);

	fault(&touches, 0, BASE + 2 * PAGE, 12);
	fault(&touches, 0, BASE + 77 * PAGE, 12);
	CHECK_INT(touches.nobodys, 2);
	CHECK_ROW(&touches, a, 0, 0, 0, 0);
}

/* A variable may enter the table after its faults; a heap block was allocated after them. */
TEST(first_touch__heap_blocks_have_their_time)
{
	struct first_touches touches = begin();
	const struct toucher who = { .thread = 0, .site = 1, .node = 0 };
	uint32_t old = declare(ARRAY_HEAP, BASE, 2 * PAGE), young, variable;
	const struct array_place nowhere = { .array = ARRAY_NONE };
	uint64_t before = array_time(), bytes;

	CHECK(array_block_remove(BASE, &bytes));
	young = declare(ARRAY_HEAP, BASE, 2 * PAGE);
	variable = declare(ARRAY_STATIC, BASE + 8 * PAGE, PAGE);
	first_touches_fault(&touches, &who, BASE + 8, 12, 0,
			    &(struct array_place){ old, false, 8, 2 * PAGE }, before);
	first_touches_fault(&touches, &who, BASE + 8 * PAGE, 12, 0, &nowhere, before);
	first_touches_fault(&touches, &who, BASE + PAGE, 12, 0, &nowhere, 0);
	fault(&touches, 1, BASE + 8, 12);
	CHECK_ROW(&touches, old, 0, 1, 1, PAGE);
	CHECK_ROW(&touches, young, 0, 0, 0, 0);
	CHECK_ROW(&touches, young, 1, 1, 1, PAGE);
	CHECK_ROW(&touches, variable, 0, 1, 1, PAGE);
}

/*
 * Of a block that got a name of its own the faults before count for that; a block of another site
 * in its place is another's.
 */
TEST(first_touch__blocks_that_got_a_name)
{
	struct first_touches touches = begin();
	const struct toucher who = { .thread = 0, .site = 1, .node = 0 };
	const struct array named = {
		.kind = ARRAY_HEAP, .name = "field", .type = "", .file = "", .module = ""
	};
	uint32_t site = array_of_site(0), own = array_new(&named), other;
	const struct array_place place = { site, false, 8, 2 * PAGE };
	uint64_t then, bytes;

	CHECK(own != ARRAY_NONE && own != site);
	CHECK(array_block_add(site, BASE, 2 * PAGE));
	then = array_time();
	CHECK(array_block_remove(BASE, &bytes) && array_block_add(own, BASE, 2 * PAGE));
	first_touches_fault(&touches, &who, BASE + 8, 12, 0, &place, then);
	CHECK_ROW(&touches, own, 0, 1, 1, PAGE);
	CHECK_ROW(&touches, site, 0, 0, 0, 0);
	CHECK(array_block_remove(BASE, &bytes));
	other = declare(ARRAY_STATIC, BASE, 2 * PAGE);
	first_touches_fault(&touches, &who, BASE + PAGE + 8, 12, 0,
			    &(struct array_place){ site, false, PAGE + 8, 2 * PAGE }, then);
	CHECK_ROW(&touches, other, 0, 0, 0, 0);
	CHECK_ROW(&touches, site, 0, 1, 1, PAGE);
}

TEST(first_touch__what_was_in_memory_before)
{
	struct first_touches touches = begin();
	const struct toucher who = { .thread = 0, .site = FIRST_TOUCH_BEFORE, .node = UINT16_MAX };
	uint32_t a = declare(ARRAY_STATIC, BASE + 100, 10 * PAGE);

	first_touches_resident(&touches, &who, BASE, BASE + 3 * PAGE, array_time());
	fault(&touches, 1, BASE + 2 * PAGE, 12);
	fault(&touches, 1, BASE + 3 * PAGE, 12);
	CHECK_ROW(&touches, a, 0, 0, 3, 3 * PAGE - 100);
	CHECK_ROW(&touches, a, 1, 2, 1, PAGE);
}

TEST(first_touch__many_rows_and_pages)
{
	enum { SITES = 5000, PAGES = 200000 };
	struct first_touches touches = begin();
	uint32_t a = declare(ARRAY_STATIC, BASE, PAGES * PAGE);

	for (uint32_t i = 0; i < PAGES; i++) {
		const struct toucher who = { .thread = i % 3,
					     .site = i % SITES,
					     .node = (uint16_t)(i % 2) };

		first_touches_fault(&touches, &who, BASE + i * PAGE, 12, 0,
				    &(struct array_place){ a, false, i * PAGE, PAGES * PAGE },
				    array_time());
	}
	CHECK_INT(row_of(&touches, a, 0).pages + row_of(&touches, a, 1).pages +
			  row_of(&touches, a, 2).pages,
		  PAGES);
	/* 5000 is even: a site's node is always the same */
	CHECK_INT(touches.nr, SITES * 3);
	CHECK_INT(touches.lost, 0);
}

/* One that stands for others before it. */
static void sparse_fault(struct first_touches *touches, uint32_t thread, uint64_t address,
			 uint32_t others)
{
	const struct toucher who = { .thread = thread, .site = 1, .node = 0 };
	struct array_place place;

	CHECK(array_at(address, array_time(), array_time(), &place));
	first_touches_fault(touches, &who, address, 12, others, &place, array_time());
}

static uint64_t estimated(const struct first_touches *touches, uint32_t array, uint32_t thread)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < touches->nr; i++)
		if (touches->rows[i].array == array && touches->rows[i].thread == thread)
			pages += touches->rows[i].pages + touches->rows[i].estimated;
	return pages;
}

/* Threads that go on page by page have the pages between, who comes later has none of these. */
TEST(first_touch__pages_between)
{
	enum { PAGES = 10 * TOUCH_SPARSE };
	struct first_touches touches = begin();
	uint32_t a = declare(ARRAY_STATIC, BASE + 100 * PAGE + 8, PAGES * PAGE);

	for (uint64_t i = 0; i < 3; i++)
		sparse_fault(&touches, 0, BASE + 100 * PAGE + 8 + i * PAGE, 0);
	for (uint64_t i = 2 + TOUCH_SPARSE; i < PAGES; i += TOUCH_SPARSE)
		sparse_fault(&touches, 0, BASE + 100 * PAGE + i * PAGE, TOUCH_SPARSE - 1);
	CHECK_ROW(&touches, a, 0, 3 + 9 * TOUCH_SPARSE, 3 + 9 * TOUCH_SPARSE,
		  (3 + 9 * TOUCH_SPARSE) * PAGE - 8);
	for (uint64_t i = 0; i < 9 * TOUCH_SPARSE; i += TOUCH_SPARSE)
		sparse_fault(&touches, 1, BASE + 101 * PAGE + i * PAGE, TOUCH_SPARSE - 1);
	first_touches_estimate(&touches);
	CHECK_INT(estimated(&touches, a, 1), 0);
	CHECK_INT(estimated(&touches, a, 0), 3 + 9 * TOUCH_SPARSE);
}

/* In no order they are only counted, and never more than there are. */
TEST(first_touch__pages_in_no_order)
{
	enum { PAGES = 8192 };
	struct first_touches touches = begin();
	uint32_t a = declare(ARRAY_STATIC, BASE + 100 * PAGE, PAGES * PAGE);

	/* half of the array, in steps of a prime */
	for (uint64_t i = 0; i < PAGES / 2 / TOUCH_SPARSE; i++)
		sparse_fault(&touches, i % 2, BASE + 100 * PAGE + (100 + i * 1009) % PAGES * PAGE,
			     TOUCH_SPARSE - 1);
	first_touches_estimate(&touches);
	CHECK_NEAR(estimated(&touches, a, 0), PAGES / 4, PAGES / 16);
	CHECK_NEAR(estimated(&touches, a, 1), PAGES / 4, PAGES / 16);
	for (uint64_t i = 0; i < PAGES; i += 10)
		sparse_fault(&touches, 0, BASE + 100 * PAGE + (100 + i * 1009) % PAGES * PAGE,
			     TOUCH_SPARSE - 1);
	first_touches_estimate(&touches);
	CHECK_THAT(estimated(&touches, a, 0) + estimated(&touches, a, 1), <=, PAGES);
	CHECK_THAT(estimated(&touches, a, 0), >, 2 * estimated(&touches, a, 1));
}

/* One block after the other, each shorter than what is between two faults that are known. */
TEST(first_touch__ends_of_blocks)
{
	enum { PAGES = 40, BLOCKS = 6, EVERY = 25 };
	struct first_touches touches = begin();
	uint32_t a[BLOCKS];

	for (uint32_t i = 0; i < BLOCKS; i++)
		a[i] = declare(ARRAY_STATIC, BASE + (1000 + (uint64_t)i * 2 * PAGES) * PAGE,
			       PAGES * PAGE);
	for (uint64_t fault = 1; fault <= BLOCKS * PAGES; fault++)
		if (fault % EVERY == 0)
			sparse_fault(&touches, 0,
				     BASE + (1000 + (fault - 1) / PAGES * 2 * PAGES +
					     (fault - 1) % PAGES) *
						     PAGE,
				     EVERY - 1);
	for (uint32_t i = 0; i + 1 < BLOCKS; i++)
		CHECK_ROW(&touches, a[i], 0, row_of(&touches, a[i], 0).faults, PAGES, PAGES * PAGE);
}
