/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What data structures this very program has, what was in memory before, and that nothing is told
 * twice.
 */
#include "ompt_tool/session/inventory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "memsearch/host.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/process/run_modules.h"
#include "ompt_tool/process/thread.h"
#include "tests/unit/test.h"

#define PAGE 4096
#define PAGES 30

static volatile double written[PAGES][PAGE / 8] __attribute__((aligned(PAGE)));
static volatile char halves[2 * PAGES * PAGE] __attribute__((aligned(PAGE)));
static volatile int untouched[10 * PAGE];

static void write_some(void)
{
	for (int i = 0; i < PAGES; i++)
		written[i][7] = halves[i * PAGE] = 1;
	if (written[0][0] > 1)
		untouched[5] = 1;
}

static struct inventory *begin(struct run *run, struct arena *arena)
{
	struct inventory *inventory;

	if (sysconf(_SC_PAGESIZE) != PAGE)
		test_skip("pages are not of 4 KiB here");
	*run = (struct run){ 0 };
	write_some();
	inventory = inventory_new(arena);
	CHECK(inventory != NULL);
	CHECK_INT(run_modules_update(run, arena), MS_OK);
	inventory_update(inventory, run);
	CHECK_INT(inventory_harvest(inventory, run, arena, NULL), MS_OK);
	return inventory;
}

static const struct run_array *find(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->nr_arrays; i++)
		if (run->arrays[i].name && !strcmp(run->arrays[i].name, name))
			return &run->arrays[i];
	test_fail(__FILE__, __LINE__, "%s is not among %zu arrays", name, run->nr_arrays);
	return NULL;
}

static uint64_t pages_before(const struct run *run, uint32_t array)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < run->nr_touches; i++)
		if (run->touches[i].array == array && run->touches[i].before)
			pages += run->touches[i].pages;
	return pages;
}

TEST(inventory__variables_are_described)
{
	struct arena *arena = arena_new();
	const struct run_array *array;
	struct run run;

	begin(&run, arena);
	array = find(&run, "written");
	CHECK_STR(array->kind, "static");
	CHECK_STR(array->shape, "[30][512]");
	CHECK_STR(array->file, "inventory.c");
	CHECK_INT(array->element_bytes, 8);
	CHECK_INT(array->bytes, PAGES * PAGE);
	CHECK(strstr(array->module, "inventory") != NULL);
	CHECK(strstr(array->type, "double") != NULL);
	for (uint32_t i = 0; i < run.nr_arrays; i++)
		CHECK_INT(run.arrays[i].id, i);
	CHECK_THAT(run.touching.read_ns, >, 0);
}

TEST(inventory__what_was_in_memory_before)
{
	struct arena *arena = arena_new();
	struct run run;

	begin(&run, arena);
	if (find(&run, "written")->resident_why == MS_MISSING_NOT_PERMITTED)
		test_skip("/proc/self/pagemap is not permitted here");
	CHECK_INT(find(&run, "written")->resident_bytes, PAGES * PAGE);
	CHECK_INT(find(&run, "halves")->resident_bytes, PAGES * PAGE);
	CHECK_INT(find(&run, "untouched")->resident_bytes, 0);
	CHECK_INT(pages_before(&run, find(&run, "written")->id), PAGES);
	CHECK_INT(pages_before(&run, find(&run, "halves")->id), PAGES);
	CHECK_INT(pages_before(&run, find(&run, "untouched")->id), 0);
}

TEST(inventory__again_is_the_same)
{
	struct arena *arena = arena_new();
	struct inventory *inventory;
	size_t arrays, touches;
	struct run run;

	inventory = begin(&run, arena);
	arrays = run.nr_arrays;
	touches = run.nr_touches;
	CHECK(arrays > 2 && touches > 1);
	for (int i = 0; i < 3; i++) {
		inventory_update(inventory, &run);
		CHECK_INT(inventory_harvest(inventory, &run, arena, NULL), MS_OK);
	}
	CHECK_INT(run.nr_arrays, arrays);
	CHECK_INT(run.nr_touches, touches);
	CHECK_INT(pages_before(&run, find(&run, "written")->id), PAGES);
}

TEST(inventory__touched_by_thread)
{
	struct arena *arena = arena_new();
	struct inventory_look look = { .scratch = arena, .left = INVENTORY_LOOK_BYTES };
	uint64_t before;
	struct inventory *inventory;
	struct touched touched;
	struct run run;

	if (THREAD_SANITIZED)
		test_skip("ThreadSanitizer has a thread of its own, which may have been first");
	inventory = begin(&run, arena);
	if (find(&run, "written")->resident_why == MS_MISSING_NOT_PERMITTED)
		test_skip("/proc/self/pagemap is not permitted here");
	CHECK_INT(inventory_touched(inventory, find(&run, "written")->id, &look, &touched),
		  MS_PRESENT);
	CHECK_INT(touched.threads, 1);
	CHECK_INT(touched.bytes[0], PAGES * PAGE);
	CHECK_INT(look.left, INVENTORY_LOOK_BYTES); /* nobody had to look */
	/* all that is in memory */
	CHECK_INT(inventory_touched(inventory, find(&run, "halves")->id, &look, &touched),
		  MS_PRESENT);
	CHECK_INT(touched.bytes[0], PAGES * PAGE);
	CHECK_INT(INVENTORY_LOOK_BYTES - look.left, 2 * PAGES * PAGE);
	before = look.left = 2 * PAGES * PAGE - 1;
	CHECK_INT(inventory_touched(inventory, find(&run, "halves")->id, &look, &touched),
		  MS_MISSING_BUDGET);
	CHECK_INT(look.left, before);
	look.left = INVENTORY_LOOK_BYTES;
	for (int i = PAGES; i < 2 * PAGES; i++)
		halves[i * PAGE] = 1; /* no fault was seen */
	CHECK_INT(inventory_touched(inventory, find(&run, "halves")->id, &look, &touched),
		  MS_MISSING_UNSEEN);
	CHECK_INT(inventory_touched(inventory, find(&run, "untouched")->id, &look, &touched),
		  MS_MISSING_UNSEEN);
	CHECK_INT(inventory_touched(inventory, UINT32_MAX, &look, &touched), MS_MISSING_UNSEEN);
}

static size_t told;

static void drop(const char *what, const char *why, uint64_t count)
{
	CHECK(*what && *why);
	(void)count;
	told++;
}

TEST(inventory__a_file_that_is_another_by_now_is_said)
{
	struct arena *arena = arena_new();
	struct inventory *inventory = inventory_new(arena);
	struct module module = {
		.path = "/bin/true", .build_id = "00112233", .low = 0x1000, .high = 0x2000
	};
	struct run run = { .modules = &module, .nr_modules = 1 };
	size_t before;

	inventory_dropped(inventory, drop);
	before = told;
	told = 0;
	inventory_update(inventory, &run);
	inventory_dropped(inventory, drop);
	CHECK_INT(told, before + 1);
}

TEST(inventory__stacks_are_known)
{
	struct arena *arena = arena_new();
	struct run run;

	CHECK(thread_new(false) != NULL);
	begin(&run, arena);
	CHECK_STR(find(&run, "stacks of threads")->kind, "stack");
	CHECK_THAT(find(&run, "stacks of threads")->bytes, >=, 64 << 10);
}

TEST(inventory__small_heap_blocks_are_one)
{
	struct arena *arena = arena_new();
	char *small = malloc(100), *large = malloc(64 << 10);
	struct array_place place;
	const struct run_array *array;
	struct run run;

	CHECK(small && large);
	if (SANITIZED)
		test_skip("sanitizers have a malloc of their own");
	begin(&run, arena);
	array = find(&run, "heap blocks"); /* allocations are not seen here */
	CHECK_STR(array->kind, "heap");
	CHECK_INT(array->blocks, 0);
	array_or_page_at((uintptr_t)small, 0, UINT64_MAX, &place);
	CHECK_INT(place.array, array->id);
	array_or_page_at((uintptr_t)&small, 0, UINT64_MAX, &place);
	CHECK_THAT(place.array, !=, array->id);
	free(small);
	free(large);
}
