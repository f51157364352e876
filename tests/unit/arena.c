/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas: alignment, zeroing, large blocks, growing arrays; nearest names. */
#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "tests/unit/test.h"

#include <stdint.h>

TEST(arena__blocks_are_zeroed_and_aligned)
{
	struct arena *arena = arena_new();

	for (size_t bytes = 0; bytes < 300000; bytes = bytes * 3 + 1) {
		unsigned char *block = arena_alloc(arena, bytes);

		CHECK(block && (uintptr_t)block % 16 == 0);
		for (size_t i = 0; i < bytes; i++)
			CHECK_THAT(block[i], ==, 0);
		memset(block, 0xff, bytes);
	}
	arena_free(arena);
}

TEST(arena__grow_keeps_what_was_there)
{
	struct arena *arena = arena_new();
	size_t nr = 0, room = 0;
	int *numbers = NULL;

	for (; nr < 10000; nr++) {
		CHECK(ARENA_GROW(arena, numbers, nr, room));
		numbers[nr] = (int)nr;
	}
	for (size_t i = 0; i < nr; i++)
		CHECK_INT(numbers[i], i);
	arena_free(arena);
}

static void take_and_fill(struct arena *arena, size_t bytes)
{
	unsigned char *block = arena_alloc(arena, bytes);

	CHECK(block);
	for (size_t i = 0; i < bytes; i++)
		CHECK_THAT(block[i], ==, 0);
	memset(block, 0xff, bytes);
}

TEST(arena__reset_clears_and_keeps_so_much)
{
	enum { KEPT = 1 << 20 };
	struct arena *arena = arena_new();
	size_t before;

	take_and_fill(arena, 100);
	take_and_fill(arena, 300000);
	take_and_fill(arena, 100000);
	before = arena_bytes(arena);
	for (int round = 0; round < 5; round++) {
		arena_reset(arena, KEPT);
		CHECK_INT(arena_bytes(arena), before);
		take_and_fill(arena, 250000);
		take_and_fill(arena, 30000);
		take_and_fill(arena, 90000);
		CHECK_INT(arena_bytes(arena), before);
	}
	take_and_fill(arena, 4 * KEPT);
	arena_reset(arena, KEPT);
	CHECK_THAT(arena_bytes(arena), <=, KEPT);
	arena_reset(arena, 0);
	CHECK_THAT(arena_bytes(arena), <=, before);
	take_and_fill(arena, 1000);
	arena_free(arena);
}

TEST(arena__printf)
{
	struct arena *arena = arena_new();

	CHECK_STR(arena_printf(arena, "%s %d", "x", 7), "x 7");
	CHECK(arena_strdup(arena, NULL) == NULL);
	CHECK(arena_alloc(arena, SIZE_MAX) == NULL);
	arena_free(arena);
}

TEST(log__nearest)
{
	static const char *const names[] = { "barrier_wait", "wall_time", "time" };

	CHECK_STR(log_nearest("barier_wait", names, 3), "barrier_wait");
	CHECK_STR(log_nearest("tiem", names, 3), "time");
	CHECK(log_nearest("zzzzzz", names, 3) == NULL);
}
