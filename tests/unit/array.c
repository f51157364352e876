/* SPDX-License-Identifier: Apache-2.0 */
/* The table of arrays against a slow model, at its limits, with threads, in a fork's child. */
#include "ompt_tool/arrays/array.h"
#include "tests/unit/pick.h"
#include "tests/unit/test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOW UINT64_MAX
#define HEAP_LOW 0x7f0000000000ull

static uint32_t new_array(enum array_kind kind, const char *name)
{
	struct array row = { .kind = kind, .name = name, .type = "", .file = "", .module = "" };

	return array_new(&row);
}

static uint32_t array_now(uintptr_t address)
{
	struct array_place place;

	return array_at(address, array_time(), NOW, &place) ? place.array : ARRAY_NONE;
}

static uint64_t remove_block(uintptr_t start)
{
	uint64_t bytes;

	return array_block_remove(start, &bytes) ? bytes : UINT64_MAX;
}

TEST(array__nothing_is_known_at_first)
{
	struct array_place place = { .array = 7 };

	CHECK(!array_at(0x1000, 0, NOW, &place));
	CHECK_INT(place.array, ARRAY_NONE);
	CHECK(!place.doubtful);
	CHECK_INT(array_count(), 0);
	CHECK(array_get(0) == NULL);
	CHECK_INT(array_time(), 0);
	CHECK_THAT(remove_block(0x1000), ==, UINT64_MAX);
	CHECK(!array_block_add(0, 0x1000, 8));
	CHECK_INT(array_losses().blocks, 1);
}

TEST(array__edges_of_a_block)
{
	uint32_t a = new_array(ARRAY_STATIC, "a");
	struct array_place place;

	CHECK(array_block_add(a, 0x404ff8, 24));
	CHECK_INT(array_now(0x404ff7), ARRAY_NONE);
	CHECK_INT(array_now(0x404ff8), a);
	CHECK_INT(array_now(0x40500f), a);
	CHECK_INT(array_now(0x405010), ARRAY_NONE);
	CHECK(array_at(0x40500f, 0, NOW, &place));
	CHECK_INT(place.offset, 23);
	CHECK_INT(place.block_bytes, 24);
	CHECK(!place.doubtful);
	CHECK_INT(array_get(a)->start, 0x404ff8);
	CHECK_INT(array_get(a)->blocks, 1);
	CHECK_INT(array_get(a)->bytes, 24);
}

TEST(array__what_no_array_has_is_of_the_rest)
{
	uint32_t a = new_array(ARRAY_HEAP, "a"), small = new_array(ARRAY_HEAP, "small");
	struct array_place place;

	array_or_page_at(HEAP_LOW + 5000, 0, NOW, &place);
	CHECK_INT(place.array, ARRAY_NONE);
	CHECK_INT(place.offset, 904);
	CHECK_INT(place.block_bytes, 4096);
	array_rest(small, HEAP_LOW, HEAP_LOW + 8192);
	CHECK(array_block_add(a, HEAP_LOW + 4608, 512));
	array_or_page_at(HEAP_LOW + 5000, array_time(), NOW, &place);
	CHECK_INT(place.array, a);
	CHECK_INT(place.offset, 392);
	CHECK_INT(place.block_bytes, 512);
	array_or_page_at(HEAP_LOW + 5120, array_time(), NOW, &place);
	CHECK_INT(place.array, small);
	CHECK_INT(place.offset, 1024);
	CHECK_INT(place.block_bytes, 4096);
	CHECK_INT(array_now(HEAP_LOW + 5120), ARRAY_NONE);
	array_or_page_at(HEAP_LOW - 1, 0, NOW, &place);
	CHECK_INT(place.array, ARRAY_NONE);
	array_or_page_at(HEAP_LOW + 8192, 0, NOW, &place);
	CHECK_INT(place.array, ARRAY_NONE);
	array_rest(small, HEAP_LOW, HEAP_LOW + 12288);
	array_or_page_at(HEAP_LOW + 8192, 0, NOW, &place);
	CHECK_INT(place.array, small);
}

TEST(array__a_past_state_is_found_by_its_time)
{
	uint32_t a = array_of_site(0x401000), b = array_of_site(0x402000);
	uint64_t with_a, with_b;
	struct array_place place;

	CHECK_THAT(a, !=, b);
	CHECK_INT(array_of_site(0x401000), a);
	CHECK(array_block_add(a, HEAP_LOW, 8192));
	with_a = array_time();
	CHECK_INT(remove_block(HEAP_LOW), 8192);
	CHECK_INT(array_now(HEAP_LOW), ARRAY_NONE);
	CHECK(array_block_add(b, HEAP_LOW - 4096, 12288));
	with_b = array_time();
	CHECK(array_at(HEAP_LOW + 100, with_a, with_a, &place) && place.array == a &&
	      !place.doubtful && place.offset == 100);
	CHECK(array_at(HEAP_LOW + 100, with_b, NOW, &place) && place.array == b &&
	      !place.doubtful && place.offset == 4196);
	CHECK(array_at(HEAP_LOW + 100, with_a, with_b, &place) && place.doubtful);
	CHECK(!array_at(HEAP_LOW + 100, 0, with_a - 1, &place) && !place.doubtful);
}

/*
 * Freed and allocated again by the same line, as in a time loop: the array and the element are not
 * in doubt.
 */
TEST(array__the_same_site_again_leaves_no_doubt)
{
	uint32_t a = array_of_site(0x401000);
	struct array_place place;

	for (int i = 0; i < 5; i++) {
		CHECK(array_block_add(a, HEAP_LOW, 8192));
		CHECK_INT(remove_block(HEAP_LOW), 8192);
	}
	CHECK(array_at(HEAP_LOW + 8, 0, NOW, &place) && place.array == a && place.offset == 8 &&
	      !place.doubtful);
	CHECK_INT(array_get(a)->blocks, 5);
	CHECK_INT(array_get(a)->live_blocks, 0);
	CHECK_INT(array_get(a)->bytes, 8192);
}

TEST(array__the_one_that_lived_longest)
{
	uint32_t shorter = array_of_site(1), longer = array_of_site(2),
		 other = new_array(ARRAY_STATIC, "other");
	uint64_t begin = array_time() + 1;
	struct array_place place;

	CHECK(array_block_add(shorter, HEAP_LOW, 64));
	CHECK_THAT(remove_block(HEAP_LOW), ==, 64);
	CHECK(array_block_add(longer, HEAP_LOW, 64));
	for (int i = 0; i < 3; i++)
		CHECK(array_block_add(other, 0x600000 + 64 * (unsigned int)i, 64));
	CHECK_THAT(remove_block(HEAP_LOW), ==, 64);
	CHECK(array_at(HEAP_LOW, begin, array_time(), &place));
	CHECK_INT(place.array, longer);
	CHECK(place.doubtful);
}

/* -- blocks that come again where they went */

TEST(array__a_block_that_comes_again)
{
	uint32_t site = array_of_site(1), array;
	struct array_place place;
	uint64_t bytes = 0, first = array_time() + 1;

	CHECK(array_block_add_of_site(site, HEAP_LOW, 8192, site));
	for (int i = 0; i < 3; i++) {
		CHECK_INT(array_block_end(HEAP_LOW, &bytes), site);
		CHECK_INT(bytes, 8192);
		CHECK_INT(array_block_end(HEAP_LOW, &bytes), ARRAY_NONE); /* it has */
		CHECK_INT(array_now(HEAP_LOW + 100), ARRAY_NONE);
		CHECK(array_at(HEAP_LOW + 100, first, NOW, &place) && place.array == site &&
		      !place.doubtful);
		array = array_block_again(site, HEAP_LOW, 8192);
		CHECK_INT(array, site);
		CHECK_INT(array_now(HEAP_LOW + 100), site);
	}
	CHECK_INT(array_block_again(site, HEAP_LOW, 8192), ARRAY_NONE); /* it lives */
	array_settle();
	CHECK_INT(array_get(site)->blocks, 4);
	CHECK_INT(array_get(site)->live_blocks, 1);
	CHECK_INT(array_block_end(HEAP_LOW, &bytes), site);
	array_settle();
	CHECK_INT(array_get(site)->live_blocks, 0);
	CHECK_INT(array_block_again(site, HEAP_LOW, 8192), ARRAY_NONE); /* it is retired */
}

TEST(array__another_block_is_no_block_that_comes_again)
{
	uint32_t site = array_of_site(1), other = array_of_site(2);
	struct array_place place;
	uint64_t bytes, with_first = array_time() + 1, with_other;

	CHECK_INT(array_block_again(site, HEAP_LOW, 8192), ARRAY_NONE);
	CHECK_INT(array_block_end(HEAP_LOW, &bytes), ARRAY_NONE);
	CHECK(array_block_add_of_site(site, HEAP_LOW, 8192, site));
	CHECK_INT(array_block_end(HEAP_LOW, &bytes), site);
	CHECK_INT(array_block_again(other, HEAP_LOW, 8192), ARRAY_NONE);
	CHECK_INT(array_block_again(site, HEAP_LOW, 8200), ARRAY_NONE);
	with_other = array_time();
	CHECK(array_block_add_of_site(other, HEAP_LOW + 4096, 8192, other));
	CHECK_INT(array_block_end(HEAP_LOW + 4096, &bytes), other);
	/* the other was in its memory */
	CHECK_INT(array_block_again(site, HEAP_LOW, 8192), ARRAY_NONE);
	CHECK(array_at(HEAP_LOW + 5000, with_first, with_first, &place) && place.array == site &&
	      !place.doubtful);
	CHECK(array_at(HEAP_LOW + 5000, with_other + 1, with_other + 1, &place) &&
	      place.array == other && !place.doubtful);
}

TEST(array__blocks_that_ended_are_not_counted_as_alive)
{
	uint32_t site = array_of_site(1);
	uint64_t bytes;

	for (uintptr_t i = 0; i < 100; i++) {
		CHECK(array_block_add_of_site(site, HEAP_LOW + i * 8192, 4096, site));
		CHECK_INT(array_block_end(HEAP_LOW + i * 8192, &bytes), site);
	}
	CHECK_INT(array_get(site)->bytes, 4096);
	CHECK(array_block_add_of_site(site, HEAP_LOW + 100 * 8192, 4096, site));
	CHECK(array_block_add_of_site(site, HEAP_LOW + 101 * 8192, 4096, site));
	CHECK_INT(array_get(site)->bytes, 8192);
}

/* Removed and added by who knows nothing of slots: what a slot had is gone. */
TEST(array__a_block_that_was_replaced_does_not_come_again)
{
	uint32_t site = array_of_site(1), other = array_of_site(2);
	uint64_t bytes;

	CHECK(array_block_add_of_site(site, HEAP_LOW, 8192, site));
	CHECK(array_block_remove(HEAP_LOW, &bytes) && bytes == 8192);
	CHECK(array_block_add(other, HEAP_LOW, 8192));
	CHECK_INT(array_block_end(HEAP_LOW, &bytes), ARRAY_NONE);
	CHECK_INT(array_now(HEAP_LOW), other);
	CHECK(array_block_add_of_site(site, HEAP_LOW, 100, site));
	CHECK_INT(array_block_end(HEAP_LOW, &bytes), site);
	CHECK(array_block_add(other, HEAP_LOW, 8192));
	CHECK_INT(array_block_again(site, HEAP_LOW, 100), ARRAY_NONE);
	CHECK_INT(array_now(HEAP_LOW), other);
	array_settle();
	CHECK_INT(array_get(site)->live_blocks, 0);
	CHECK_INT(array_get(other)->live_blocks, 1);
}

TEST(array__realloc_in_place)
{
	uint32_t a = array_of_site(0x401000);
	uint64_t small;

	CHECK(array_block_add(a, HEAP_LOW, 4096));
	small = array_time();
	CHECK_INT(remove_block(HEAP_LOW), 4096);
	CHECK(array_block_add(a, HEAP_LOW, 1 << 20));
	CHECK_INT(array_now(HEAP_LOW + 5000), a);
	CHECK(!array_at(HEAP_LOW + 5000, small, small, &(struct array_place){ 0 }));
	CHECK_INT(array_get(a)->bytes, 1 << 20);
	CHECK_INT(array_get(a)->live_blocks, 1);
}

TEST(array__a_missed_free_is_noticed_at_the_next_allocation)
{
	uint32_t a = array_of_site(0x401000), b = array_of_site(0x402000);

	CHECK(array_block_add(a, HEAP_LOW, 8192));
	CHECK(array_block_add(b, HEAP_LOW, 4096));
	CHECK_INT(array_now(HEAP_LOW), b);
	CHECK_INT(array_now(HEAP_LOW + 4096), ARRAY_NONE);
	CHECK_INT(array_get(a)->live_blocks, 0);
	CHECK_INT(remove_block(HEAP_LOW), 4096);
	CHECK_THAT(remove_block(HEAP_LOW), ==, UINT64_MAX);
}

/*
 * Declarations overlap: a COMMON block and its members, a stack and an array on it. The inner one
 * is meant.
 */
TEST(array__the_inner_of_two_arrays)
{
	uint32_t outer = new_array(ARRAY_COMMON, "block"),
		 inner = new_array(ARRAY_COMMON, "block/u");
	struct array_place place;

	CHECK(array_block_add(inner, 0x500000, 800));
	CHECK(array_block_add(outer, 0x500000, 1 << 20));
	CHECK(array_at(0x500000, array_time(), NOW, &place));
	CHECK_INT(place.array, inner);
	CHECK(!place.doubtful);
	CHECK_INT(array_now(0x500000 + 800), outer);
}

TEST(array__partly_overlapping_is_doubtful)
{
	uint32_t a = new_array(ARRAY_STATIC, "a"), b = new_array(ARRAY_STATIC, "b");
	struct array_place place;

	CHECK(array_block_add(a, 0x500000, 100));
	CHECK(array_block_add(b, 0x500040, 200));
	CHECK(array_at(0x500050, array_time(), NOW, &place) && place.array == a && place.doubtful);
	CHECK(array_at(0x500010, array_time(), NOW, &place) && place.array == a && !place.doubtful);
}

TEST(array__zero_bytes)
{
	uint32_t a = array_of_site(0x401000);

	CHECK(array_block_add(a, HEAP_LOW, 0));
	CHECK_INT(array_now(HEAP_LOW), ARRAY_NONE);
	CHECK_INT(array_get(a)->live_blocks, 1);
	CHECK_INT(remove_block(HEAP_LOW), 0);
	CHECK_INT(array_get(a)->live_blocks, 0);
}

TEST(array__addresses_beyond_the_table)
{
	uint32_t a = array_of_site(0x401000);

	CHECK(!array_block_add(a, (uintptr_t)1 << 48, 8));
	CHECK(!array_block_add(a, ((uintptr_t)1 << 48) - 8, 16));
	CHECK(!array_block_add(a, 0x1000, UINT64_MAX));
	CHECK(array_block_add(a, ((uintptr_t)1 << 48) - 8, 8));
	CHECK_INT(array_now(((uintptr_t)1 << 48) - 1), a);
	CHECK_INT(array_now((uintptr_t)1 << 48), ARRAY_NONE);
	CHECK_INT(array_now(UINTPTR_MAX), ARRAY_NONE);
	CHECK_INT(array_losses().blocks, 3);
}

/* Page by page it would take 25 million entries. */
TEST(array__a_hundred_gigabytes)
{
	const uint64_t bytes = 100ull << 30;
	uint32_t a = array_of_site(0x401000);
	long before = test_resident_kib();

	CHECK(array_block_add(a, HEAP_LOW + 0x1230, bytes));
	CHECK_INT(array_now(HEAP_LOW + 0x122f), ARRAY_NONE);
	for (uint64_t at = 0; at < bytes; at += bytes / 1001)
		CHECK_INT(array_now(HEAP_LOW + 0x1230 + at), a);
	CHECK_INT(array_now(HEAP_LOW + 0x1230 + bytes - 1), a);
	CHECK_INT(array_now(HEAP_LOW + 0x1230 + bytes), ARRAY_NONE);
	CHECK(SANITIZED || test_resident_kib() - before < 2048);
	CHECK_THAT(remove_block(HEAP_LOW + 0x1230), ==, bytes);
	CHECK_INT(array_now(HEAP_LOW + bytes / 2), ARRAY_NONE);
}

TEST(array__many_small_variables_of_one_page)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < 1024; i++) {
		uint32_t id = new_array(ARRAY_STATIC, "x");

		first = i ? first : id;
		CHECK(array_block_add(id, 0x404000 + 4 * i, 4));
	}
	for (uint32_t i = 0; i < 4096; i++)
		CHECK_INT(array_now(0x404000 + i), first + i / 4);
	for (uint32_t i = 0; i < 1024; i += 2)
		CHECK_INT(remove_block(0x404000 + 4 * i), 4);
	for (uint32_t i = 0; i < 4096; i++)
		CHECK_INT(array_now(0x404000 + i), i / 4 % 2 ? first + i / 4 : ARRAY_NONE);
}

/* What was forgotten is said: the oldest of many states, at this address and not at others. */
TEST(array__forgotten_states_are_doubtful)
{
	enum { STATES = 1000 };
	uint32_t a = array_of_site(1), b = array_of_site(2);
	uint64_t begin = array_time();
	struct array_place place;

	for (int i = 0; i < STATES; i++) {
		CHECK(array_block_add(i % 2 ? a : b, HEAP_LOW, 64));
		CHECK_INT(remove_block(HEAP_LOW), 64);
	}
	array_at(HEAP_LOW, begin + 1, begin + 1, &place);
	CHECK(place.doubtful);
	CHECK(array_at(HEAP_LOW, array_time() - 1, array_time() - 1, &place) && place.array == a &&
	      !place.doubtful);
	CHECK(!array_at(HEAP_LOW + 8192, begin + 1, NOW, &place) && !place.doubtful);
}

TEST(array__describing_keeps_what_was_counted)
{
	uint32_t id = array_of_site(0x401000);
	struct array row = { .kind = ARRAY_HEAP,
			     .name = "unew",
			     .type = "double",
			     .file = "swim.c",
			     .line = 12,
			     .module = "",
			     .element_bytes = 8,
			     .nr_dimensions = 2,
			     .extent = { 513, 513 },
			     .site = 99,
			     .bytes = 1 };

	CHECK(array_block_add(id, HEAP_LOW, 8192));
	array_describe(id, &row);
	array_describe(id + 1, &row);
	CHECK_STR(array_get(id)->name, "unew");
	CHECK_INT(array_get(id)->extent[1], 513);
	CHECK_INT(array_get(id)->site, 0x401000);
	CHECK_INT(array_get(id)->bytes, 8192);
	CHECK_INT(array_get(id)->live_blocks, 1);
	CHECK_INT(array_get(id)->start, HEAP_LOW);
	CHECK_INT(array_of_site(0x401000), id);
}

TEST(array__rows_that_do_not_fit_are_counted)
{
	uint32_t id, nr = 0;

	while ((id = array_of_site(0x400000 + nr)) != ARRAY_NONE)
		CHECK_INT(id, nr++);
	CHECK_THAT(nr, >, 100000);
	CHECK_INT(array_losses().rows, 1);
	CHECK_INT(array_of_site(0x400000 + nr / 2), nr / 2);
	CHECK_INT(new_array(ARRAY_STATIC, "late"), ARRAY_NONE);
	CHECK_INT(array_losses().rows, 2);
	CHECK_INT(array_count(), nr);
}

TEST(array__unknown_sites_are_one_array)
{
	uint32_t id = array_of_site(0);

	CHECK_INT(array_of_site(0), id);
	CHECK_THAT(array_of_site(5), !=, id);
	CHECK_INT(array_get(id)->site, 0);
}

/* The model: all that ever lived, in the order of its coming; asked by looking at each. */
struct life {
	uint64_t start, bytes, born, died;
	uint32_t array;
};

#define OPERATIONS 100000
#define LIVE_MAX 200

static struct life lives[OPERATIONS];
static size_t nr_lives, live[LIVE_MAX], nr_live, gone[OPERATIONS], nr_gone;

static uint64_t lived_of(const struct life *life, uint64_t since, uint64_t until)
{
	uint64_t low = life->born > since ? life->born : since,
		 last = life->died - 1 < until ? life->died - 1 : until;

	return last < low ? 0 : last - low + 1;
}

struct candidates {
	const struct life *items[OPERATIONS];
	size_t nr;
};

static void consider(struct candidates *candidates, const struct life *life, uint64_t address,
		     uint64_t since, uint64_t until)
{
	if (address >= life->start && address < life->start + life->bytes &&
	    lived_of(life, since, until))
		candidates->items[candidates->nr++] = life;
}

/*
 * Of those that went only the ones that went after `since` can count, and they are the last ones.
 */
static const struct candidates *candidates_of(uint64_t address, uint64_t since, uint64_t until)
{
	static struct candidates candidates;

	candidates.nr = 0;
	for (size_t i = 0; i < nr_live; i++)
		consider(&candidates, &lives[live[i]], address, since, until);
	for (size_t i = nr_gone; i > 0 && lives[gone[i - 1]].died > since; i--)
		consider(&candidates, &lives[gone[i - 1]], address, since, until);
	return &candidates;
}

static bool model_is_better(const struct life *a, const struct life *b, uint64_t since,
			    uint64_t until)
{
	uint64_t longer = lived_of(a, since, until), shorter = lived_of(b, since, until);

	if (longer != shorter)
		return longer > shorter;
	return a->bytes != b->bytes ? a->bytes < b->bytes : a->born > b->born;
}

static bool model_agrees(const struct life *other, const struct life *best, uint64_t since,
			 uint64_t until)
{
	uint64_t cut_born = best->born > since ? best->born : since,
		 cut_died = best->died - 1 < until ? best->died - 1 : until;
	bool all_the_time = (other->born <= cut_born) && other->died - 1 >= cut_died;
	bool around = other->start <= best->start &&
		      other->start + other->bytes >= best->start + best->bytes;

	return (all_the_time && around) ||
	       (other->array == best->array && other->start == best->start);
}

static const struct life *model_at(uint64_t address, uint64_t since, uint64_t until,
				   bool *doubtful_out)
{
	const struct candidates *candidates = candidates_of(address, since, until);
	const struct life *best = NULL;

	*doubtful_out = false;
	for (size_t i = 0; i < candidates->nr; i++)
		if (!best || model_is_better(candidates->items[i], best, since, until))
			best = candidates->items[i];
	for (size_t i = 0; i < candidates->nr; i++)
		*doubtful_out |= !model_agrees(candidates->items[i], best, since, until);
	return best;
}

static size_t asked, found, doubted, unsure;

#define STATES_ASKED 8 /* as in blocks.c */

/*
 * `unsure`: the table says that it forgot, which it may only of the past, or that there are too
 * many to tell.
 */
static void compare(uint64_t address, uint64_t since, uint64_t until)
{
	bool doubtful;
	const struct life *want = model_at(address, since, until, &doubtful);
	size_t nr = candidates_of(address, since, until)->nr;
	struct array_place have;
	bool is = array_at(address, since, until, &have);

	asked++;
	if (have.doubtful && !doubtful && (since < array_time() || nr > STATES_ASKED)) {
		unsure++;
		return;
	}
	CHECK_INT(have.doubtful, doubtful);
	CHECK_INT(is, want != NULL);
	if (!want)
		return;
	found++;
	doubted += doubtful;
	CHECK_INT(have.array, want->array);
	CHECK_INT(have.offset, address - want->start);
	CHECK_INT(have.block_bytes, want->bytes);
}

static void model_add(uint32_t array, uint64_t start, uint64_t bytes)
{
	CHECK(array_block_add(array, start, bytes));
	lives[nr_lives] = (struct life){ start, bytes, array_time(), UINT64_MAX, array };
	live[nr_live++] = nr_lives++;
}

static void model_remove(size_t which)
{
	struct life *life = &lives[live[which]];
	uint64_t bytes;

	/* of several that begin here, the newest goes */
	for (size_t i = 0; i < nr_live; i++)
		if (lives[live[i]].start == life->start && lives[live[i]].born > life->born)
			which = i, life = &lives[live[i]];
	CHECK(array_block_remove(life->start, &bytes));
	CHECK_INT(bytes, life->bytes);
	life->died = array_time();
	gone[nr_gone++] = live[which];
	live[which] = live[--nr_live];
}

static uint64_t pick_bytes(void)
{
	switch (pick(10)) {
	case 0: return pick(2) * pick(3);
	case 1:
	case 2: return 1 + pick(200);
	case 3: return 1ull << pick(pick(8) ? 16 : 34);
	case 4: return pick(pick(8) ? 40000 : 8ull << 20);
	default: return 4096 + pick(20000);
	}
}

static uint64_t pick_start(void)
{
	uint64_t start = HEAP_LOW + pick(300) * 4096;

	if (!pick(20))
		start = HEAP_LOW - pick(4ull << 30);
	return start + (pick(2) ? 0 : pick(4096));
}

static void ask_somewhere(void)
{
	const struct life *near = &lives[pick(nr_lives)];
	uint64_t address = near->start + (pick(4)   ? pick(near->bytes + 1)
					  : pick(2) ? near->bytes
						    : UINT64_MAX);
	uint64_t now = array_time(), back = pick(30), since = now > back ? now - back : 0;

	compare(address, now, pick(2) ? now : NOW);
	compare(address, since, since + pick(back + 1));
}

TEST(array__a_hundred_thousand_random_operations)
{
	uint32_t ids[20];

	for (int i = 0; i < 20; i++)
		ids[i] = new_array(ARRAY_STATIC, "x");
	model_add(ids[0], HEAP_LOW, 100);
	while (nr_lives + nr_gone < OPERATIONS) {
		if (nr_live == LIVE_MAX || (nr_live && pick(2)))
			model_remove(pick(nr_live));
		else
			model_add(ids[pick(20)], pick_start(), pick_bytes());
		ask_somewhere();
	}
	CHECK_THAT(asked, >, 190000);
	CHECK_THAT(found, >, asked / 3);
	CHECK_THAT(doubted, >, 1000);
	CHECK_THAT(unsure, <, asked / 1000);
	CHECK_INT(array_losses().blocks, 0);
}

#define MILLION 1000000

TEST(array__a_million_live_blocks_and_churn)
{
	uint32_t a = array_of_site(1), b = array_of_site(2);

	for (uint64_t i = 0; i < MILLION; i++)
		CHECK(array_block_add(a, HEAP_LOW + i * 4112, 4096));
	for (uint64_t i = 0; i < MILLION; i += 10)
		CHECK_THAT(remove_block(HEAP_LOW + i * 4112), ==, 4096);
	for (uint64_t i = 0; i < MILLION; i += 20)
		CHECK(array_block_add(b, HEAP_LOW + i * 4112, 2048));
	for (uint64_t i = 0; i < MILLION; i++) {
		uint32_t want = i % 10 ? a : i % 20 ? ARRAY_NONE : b;

		CHECK_INT(array_now(HEAP_LOW + i * 4112), want);
		CHECK_INT(array_now(HEAP_LOW + i * 4112 + 4095), i % 10 ? a : ARRAY_NONE);
	}
	CHECK_INT(array_get(a)->live_blocks, MILLION * 9 / 10);
	CHECK_INT(array_get(b)->live_blocks, MILLION / 20);
	CHECK_INT(array_losses().blocks, 0);
}

/* More blocks come and go than the table keeps states of. */
TEST(array__churn_without_end)
{
	const uint64_t rounds = SANITIZED ? MILLION / 4 : 3 * MILLION;
	uint32_t a = array_of_site(1);

	for (uint64_t i = 0; i < rounds; i++) {
		CHECK(array_block_add(a, HEAP_LOW + i % 100000 * 65536, 40000));
		CHECK_THAT(remove_block(HEAP_LOW + i % 100000 * 65536), ==, 40000);
	}
	CHECK_INT(array_get(a)->blocks, rounds);
	CHECK_INT(array_losses().blocks, 0);
}

/*
 * Each thread has a place of its own and one that it shares with all; readers look at all of them.
 */
#define THREADS 4
/* some time slices, so that readers come in between on a busy machine */
#define ROUNDS 60000

static uint32_t own[THREADS];
static bool stop;
static uint64_t wrong, seen;

static uintptr_t place_of(size_t thread)
{
	return HEAP_LOW + thread * 4096 + 512;
}

static void *write_blocks(void *ctx)
{
	size_t thread = (size_t)(uintptr_t)ctx;
	uint64_t bytes, bad = 0;

	for (uint64_t i = 0; i < ROUNDS; i++) {
		uint64_t size = 1024 + i % 3 * 8192;

		bad += !array_block_add(own[thread], place_of(thread), size);
		bad += array_now(place_of(thread)) == ARRAY_NONE;
		bad += !array_block_remove(place_of(thread), &bytes) || bytes != size;
	}
	__atomic_fetch_add(&wrong, bad, __ATOMIC_RELAXED);
	return NULL;
}

/* Byte 0 of a place is in a block of its thread, or of one below that reaches so far. */
static void *read_blocks(void *ctx)
{
	uint64_t bad = 0, hits = 0;

	(void)ctx;
	for (uint64_t i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
		size_t thread = i % THREADS;
		uint64_t now = array_time();
		struct array_place place;

		if (!array_at(place_of(thread), now > 20 ? now - 20 : 0, NOW, &place))
			continue;
		hits++;
		bad += place.array > own[thread] || place.block_bytes % 8192 != 1024 ||
		       place.offset % 4096 || place.offset / 4096 != own[thread] - place.array;
	}
	__atomic_fetch_add(&wrong, bad, __ATOMIC_RELAXED);
	__atomic_fetch_add(&seen, hits, __ATOMIC_RELAXED);
	return NULL;
}

TEST(array__threads_write_and_read_at_once)
{
	pthread_t writers[THREADS], readers[2];

	for (int i = 0; i < THREADS; i++)
		own[i] = new_array(ARRAY_STATIC, "x");
	for (size_t i = 0; i < 2; i++)
		CHECK_INT(pthread_create(&readers[i], NULL, read_blocks, NULL), 0);
	for (size_t i = 0; i < THREADS; i++)
		CHECK_INT(pthread_create(&writers[i], NULL, write_blocks, (void *)(uintptr_t)i), 0);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(writers[i], NULL);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (size_t i = 0; i < 2; i++)
		pthread_join(readers[i], NULL);
	CHECK_INT(wrong, 0);
	CHECK_THAT(seen, >, 100);
	CHECK_INT(array_time(), 2 * THREADS * ROUNDS);
	for (int i = 0; i < THREADS; i++)
		CHECK_INT(array_get(own[i])->live_blocks, 0);
}

static uint32_t site_ids[THREADS][1000];

static void *ask_sites(void *ctx)
{
	size_t thread = (size_t)(uintptr_t)ctx;

	for (uint64_t i = 0; i < 1000; i++)
		site_ids[thread][i] = array_of_site(0x401000 + (thread % 2 ? i : 999 - i));
	return NULL;
}

TEST(array__threads_meet_the_same_sites_first)
{
	pthread_t threads[THREADS];

	for (size_t i = 0; i < THREADS; i++)
		CHECK_INT(pthread_create(&threads[i], NULL, ask_sites, (void *)(uintptr_t)i), 0);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(array_count(), 1000);
	for (int i = 0; i < 1000; i++)
		CHECK(site_ids[0][i] == site_ids[1][999 - i] && site_ids[2][i] == site_ids[0][i] &&
		      site_ids[3][i] == site_ids[1][i]);
}

static void *write_until_told(void *ctx)
{
	uint64_t bytes;

	(void)ctx;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		array_block_add(own[0], HEAP_LOW, 1 << 20);
		array_block_remove(HEAP_LOW, &bytes);
	}
	return NULL;
}

static void in_child(void)
{
	uint32_t id;

	alarm(20);
	if (array_count() || array_time() || array_now(0x404000) != ARRAY_NONE)
		_exit(1);
	id = array_of_site(7);
	_exit(id == 0 && array_block_add(id, HEAP_LOW, 64) && array_now(HEAP_LOW) == id ? 0 : 2);
}

/* Whoever held the lock is not in the child. */
TEST(array__a_forks_child_begins_anew)
{
	pthread_t writer;

	own[0] = new_array(ARRAY_STATIC, "x");
	CHECK(array_block_add(own[0], 0x404000, 8));
	CHECK_INT(pthread_create(&writer, NULL, write_until_told, NULL), 0);
	for (int i = 0; i < 50; i++) {
		int status;
		pid_t child = fork();

		CHECK_THAT(child, >=, 0);
		if (!child)
			in_child();
		CHECK_INT(waitpid(child, &status, 0), child);
		CHECK_INT(status, 0);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(writer, NULL);
	CHECK_INT(array_now(0x404000), own[0]);
}

static void allocate_in_handler(int number)
{
	(void)number;
	if (array_block_add(own[0], 0x500000, 64))
		array_block_remove(0x500000, &(uint64_t){ 0 });
	seen += array_now(0x404000) == own[0];
}

/* A handler that interrupts a writer neither waits for it nor finds the table damaged. */
TEST(array__signal_handlers)
{
	struct sigaction action = { .sa_handler = allocate_in_handler };
	struct itimerval often = { { 0, 100 }, { 0, 100 } };
	uint64_t rounds = 0;

	own[0] = new_array(ARRAY_STATIC, "x");
	CHECK(array_block_add(own[0], 0x404000, 8));
	CHECK_INT(sigaction(SIGALRM, &action, NULL), 0);
	CHECK_INT(setitimer(ITIMER_REAL, &often, NULL), 0);
	for (; __atomic_load_n(&seen, __ATOMIC_RELAXED) < 2000; rounds++) {
		array_block_add(own[0], HEAP_LOW, 1 << 20);
		array_block_remove(HEAP_LOW, &(uint64_t){ 0 });
	}
	often = (struct itimerval){ { 0, 0 }, { 0, 0 } };
	setitimer(ITIMER_REAL, &often, NULL);
	CHECK_THAT(rounds, >, 0);
	CHECK_INT(array_now(0x404000), own[0]);
	CHECK_INT(array_get(own[0])->live_blocks, 1 + (array_now(HEAP_LOW) != ARRAY_NONE));
}

#define PERMANENT HEAP_LOW
#define ELSEWHERE (HEAP_LOW + (1 << 20))

static bool moved;
static uint64_t moves;

/* What a reader may just look at goes, and what held it is used for a block elsewhere. */
static void move_a_block(int number)
{
	uint64_t bytes;

	(void)number;
	array_block_remove(moved ? ELSEWHERE : PERMANENT + 1024, &bytes);
	moved = !moved;
	array_block_add(own[1], moved ? ELSEWHERE : PERMANENT + 1024, 64);
	moves++;
}

/* The handler comes in the midst of look-ups in a list whose first block it takes away. */
TEST(array__lists_that_change_while_they_are_read)
{
	struct sigaction action = { .sa_handler = move_a_block };
	struct itimerval often = { { 0, 50 }, { 0, 50 } };
	uint64_t missed = 0;

	own[0] = new_array(ARRAY_STATIC, "permanent");
	own[1] = new_array(ARRAY_STATIC, "other");
	CHECK(array_block_add(own[0], PERMANENT, 1000));
	CHECK(array_block_add(own[1], PERMANENT + 1024, 64));
	CHECK_INT(sigaction(SIGALRM, &action, NULL), 0);
	CHECK_INT(setitimer(ITIMER_REAL, &often, NULL), 0);
	while (__atomic_load_n(&moves, __ATOMIC_RELAXED) < 20000)
		missed += array_now(PERMANENT + 10) != own[0];
	often = (struct itimerval){ { 0, 0 }, { 0, 0 } };
	setitimer(ITIMER_REAL, &often, NULL);
	CHECK_INT(missed, 0);
}

/*
 * Under `ulimit -v` the program keeps its address space; without any, everything is said to be
 * lost.
 */
TEST(array__little_address_space)
{
	struct rlimit limit = { 2ull << 30, RLIM_INFINITY };
	uint32_t a;

	if (SANITIZED)
		test_skip("sanitizers need address space without limit");
	CHECK_INT(setrlimit(RLIMIT_AS, &limit), 0);
	a = array_of_site(1);
	for (uint64_t i = 0; i < 20000; i++)
		CHECK(array_block_add(a, HEAP_LOW + i * 8192, 5000));
	CHECK_INT(array_now(HEAP_LOW + 19999 * 8192), a);
	CHECK(malloc(1 << 30) != NULL);
}

TEST(array__no_address_space)
{
	struct rlimit limit = { 1 << 20, RLIM_INFINITY };

	if (SANITIZED)
		test_skip("sanitizers need address space without limit");
	CHECK_INT(setrlimit(RLIMIT_AS, &limit), 0);
	errno = 77;
	CHECK_INT(array_of_site(1), ARRAY_NONE);
	CHECK(!array_block_add(0, HEAP_LOW, 8));
	CHECK_INT(errno, 77);
	CHECK_INT(array_losses().rows, 1);
	CHECK_INT(array_losses().blocks, 1);
	CHECK_INT(array_count(), 0);
}
