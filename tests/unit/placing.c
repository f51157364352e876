/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When pages are asked for: at first, when as many executions have passed again, at the end; what
 * remains of an array that was freed; nothing on one node. Huge pages by a file in the form of smaps.
 */
#define _GNU_SOURCE
#include "ompt_tool/session/placing.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/placement/large_pages.h"
#include "tests/host/scratch.h"
#include "tests/unit/test.h"

#define PAGES 16
#define PLENTY 1e9 /* ns that a question may take */

static struct run run;
static size_t page;

static struct placing *begin(uint32_t nodes)
{
	struct placing *placing;

	page = (size_t)sysconf(_SC_PAGESIZE);
	run = (struct run){ .machine.nodes = nodes };
	placing = placing_new(arena_new(), &run);
	CHECK(placing != NULL);
	return placing;
}

static struct placing *begin_with_nodes(void)
{
	struct placing *placing = begin(2);

	if (run.placing.why)
		test_skip("%s", run.placing.why);
	return placing;
}

/* An array of written pages; its number. */
static uint32_t array_of(char **memory_out)
{
	static uint64_t site;
	const struct array row = {
		.kind = ARRAY_HEAP, .name = "", .type = "", .file = "", .module = "", .site = ++site
	};
	uint32_t id = array_new(&row);
	char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	CHECK(memory != MAP_FAILED);
	madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
	memset(memory, 1, PAGES * page);
	CHECK(array_block_add(id, (uintptr_t)memory, PAGES * page));
	*memory_out = memory;
	return id;
}

/* As inventory_harvest does. */
static void harvest(struct placing *placing, uint64_t executions)
{
	static struct run_array arrays[8];

	run.arrays = arrays;
	run.nr_arrays = array_count();
	placing_harvest(placing, executions, PLENTY);
	if (run.placing.why)
		test_skip("%s", run.placing.why);
}

TEST(placing__one_node_is_not_asked)
{
	struct placing *placing = begin(1);
	char *memory;

	array_of(&memory);
	placing_boundary(placing, 1, true, PLENTY);
	run.nr_arrays = 1;
	placing_harvest(placing, 1, PLENTY);
	CHECK_STR(run.placing.why, "this machine has one NUMA node");
	CHECK_INT(run.placing.asked, 0);
	CHECK_INT(run.nr_placements, 0);
}

TEST(placing__first_and_last_answer_are_kept)
{
	struct placing *placing = begin_with_nodes();
	char *memory;
	uint32_t id = array_of(&memory);

	placing_boundary(placing, 3, true, PLENTY);
	CHECK_INT(run.placing.asked, PAGES);
	placing_boundary(placing, 5, true, PLENTY); /* not due */
	CHECK_INT(run.placing.asked, PAGES);
	placing_boundary(placing, 6, true, PLENTY);
	CHECK_INT(run.placing.asked, 2 * PAGES);
	harvest(placing, 9);
	CHECK_INT(run.placing.asked, 3 * PAGES);
	CHECK_INT(run.placing.page_bytes, page);
	CHECK_THAT(run.placing.ns, >, 0);
	CHECK_INT(run.nr_placements, 2);
	CHECK_INT(run.placements[0].execution, 3);
	CHECK(!run.placements[0].at_end && run.placements[1].at_end);
	CHECK_INT(run.placements[1].execution, 9);
	for (size_t i = 0; i < 2; i++) {
		CHECK_INT(run.placements[i].array, id);
		CHECK_INT(run.placements[i].nr_stretches, 1);
		CHECK_INT(run.placements[i].stretches[0].address, (uintptr_t)memory);
		CHECK_INT(run.placements[i].stretches[0].pages, PAGES);
	}
	CHECK_INT(run.placements[0].queries, 1);
	CHECK_INT(run.placements[1].queries, 3);
	CHECK_INT(run.placements[1].huge_bytes, 0);
	CHECK_INT(run.placements[0].huge_bytes, RUN_HUGE_UNKNOWN);
}

TEST(placing__a_freed_array_keeps_its_last_answer)
{
	struct placing *placing = begin_with_nodes();
	char *memory;
	uint64_t bytes;

	array_of(&memory);
	placing_boundary(placing, 1, true, PLENTY);
	CHECK(array_block_remove((uintptr_t)memory, &bytes));
	munmap(memory, PAGES * page);
	harvest(placing, 2);
	CHECK_INT(run.nr_placements, 1);
	CHECK_INT(run.placements[0].execution, 1);
	CHECK(!run.placements[0].at_end);
}

TEST(placing__asks_what_the_limit_allows)
{
	struct placing *placing = begin_with_nodes();
	char *memory;

	array_of(&memory);
	placing_boundary(placing, 1, true, 1e4); /* of 20 pages */
	CHECK_INT(run.placing.asked, 0);
	placing_boundary(placing, 1, true, -5);
	CHECK_INT(run.placing.asked, 0);
	placing_boundary(placing, 1, true, PLENTY);
	CHECK_INT(run.placing.asked, PAGES);
	/* declarations were read meanwhile; another phase began */
	placing = begin_with_nodes();
	placing_boundary(placing, 7, false, PLENTY);
	placing_boundary(placing, 8, true, PLENTY);
	CHECK_INT(run.placing.asked, 2 * PAGES);
	placing_boundary(placing, 1, true, PLENTY);
	CHECK_INT(run.placing.asked, 3 * PAGES);
}

TEST(placing__pages_that_moved)
{
	struct run_stretch here[] = { { 0x10000, 8, 0 } }, parts[] = {
		{ 0x10000, 2, 1 }, { 0x12000, 2, RUN_NODE_UNKNOWN }, { 0x14000, 6, 0 }
	};
	struct run_placement before = { .every = 1, .nr_stretches = 1, .stretches = here },
			     after = { .every = 1, .nr_stretches = 3, .stretches = parts };
	uint64_t both;

	CHECK_INT(run_placement_moved(&before, &after, 0x1000, &both), 2);
	CHECK_INT(both, 6);
	CHECK_INT(run_placement_moved(&after, &before, 0x1000, &both), 2);
	CHECK_INT(run_placement_moved(&before, &before, 0x1000, &both), 0);
	CHECK_INT(both, 8);
	/* other pages were asked for */
	after.every = 2;
	CHECK_INT(run_placement_moved(&before, &after, 0x1000, &both), 0);
	CHECK_INT(both, 0);
}

static const char smaps[] =
	"10000000-10400000 rw-p 00000000 00:00 0 \n"
	"KernelPageSize:        4 kB\n"
	"Rss:                4096 kB\n"
	"AnonHugePages:      2048 kB\n"
	"20000000-20400000 rw-s 00000000 00:0f 1234                       /dev/hugepages/x\n"
	"KernelPageSize:     2048 kB\n"
	"Rss:                   0 kB\n"
	"AnonHugePages:         0 kB\n"
	"28000000-28400000 rw-p 00000000 00:0f 99      /anon_hugepage (deleted)\n"
	"KernelPageSize:     2048 kB\n"
	"Rss:                   0 kB\n"
	"AnonHugePages:         0 kB\n"
	"30000000-30400000 rw-s 00000000 08:01 77                         /tmp/a file\n"
	"KernelPageSize:        4 kB\n"
	"Rss:                4096 kB\n"
	"AnonHugePages:         0 kB\n";

TEST(placing__huge_pages_and_files_by_smaps)
{
	struct run_stretch stretches[] = { { 0x10000000, 512, 0 },
					   { 0x20000000, 1024, 1 },
					   { 0x30000000, 16, 0 },
					   { 0x10200000, 512, RUN_NODE_UNTOUCHED },
					   { 0x28000000, 512, 1 } };
	struct run_placement items[5];

	scratch_enter();
	file_write("smaps", smaps, sizeof(smaps) - 1);
	for (size_t i = 0; i < 5; i++)
		items[i] = (struct run_placement){ .nr_stretches = 1, .stretches = &stretches[i] };
	large_pages_read(arena_new(), "smaps", 4096, items, 5);
	CHECK_INT(items[0].huge_bytes, 1 << 20);
	CHECK(!items[0].file);
	CHECK_INT(items[1].huge_bytes, 4 << 20);
	CHECK(items[1].file);
	CHECK_INT(items[2].huge_bytes, 0);
	CHECK(items[2].file);
	CHECK_INT(items[3].huge_bytes, 0);
	CHECK_INT(items[4].huge_bytes, 2 << 20);
	CHECK(!items[4].file); /* private memory */
	large_pages_read(arena_new(), "none", 4096, items, 5);
	CHECK_INT(items[0].huge_bytes, RUN_HUGE_UNKNOWN);
}
