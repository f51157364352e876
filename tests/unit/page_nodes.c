/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes of pages by a move_pages of the test's own: what each answer becomes, batches, sampling with
 * its error, refusal; and by the kernel's, where it answers.
 */
#define _GNU_SOURCE
#include "ompt_tool/placement/page_nodes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/placement/placement_map.h"
#include "tests/unit/test.h"

#define PAGE 4096ull
#define BASE 0x590000000000ull /* addresses only: nothing is there, no shadow memory either */

static int (*status_of)(uint64_t page); /* of page number - BASE / PAGE */
static unsigned long calls, most_in_call;
static int refused;

static long answer(int pid, unsigned long nr, void **pages, const int *nodes, int *status,
		   int flags)
{
	CHECK(!pid && !nodes && !flags);
	calls++;
	most_in_call = nr > most_in_call ? nr : most_in_call;
	if (refused) {
		errno = refused;
		return -1;
	}
	for (unsigned long i = 0; i < nr; i++) {
		CHECK_INT((uintptr_t)pages[i] % PAGE, 0);
		status[i] = status_of(((uintptr_t)pages[i] - BASE) / PAGE);
	}
	return 0;
}

static struct page_nodes begin(int (*status)(uint64_t page))
{
	status_of = status;
	calls = most_in_call = 0;
	refused = 0;
	return (struct page_nodes){ .move_pages = answer, .page_bytes = PAGE };
}

static int each_answer(uint64_t page)
{
	static const int answers[] = { 0, 0, 1, -ENOENT, -EFAULT, -EBUSY, 1 };

	return answers[page];
}

TEST(page_nodes__answers_of_the_kernel)
{
	static const struct run_stretch expected[] = {
		{ BASE, 2, 0 },
		{ BASE + 2 * PAGE, 1, 1 },
		{ BASE + 3 * PAGE, 1, RUN_NODE_UNTOUCHED },
		{ BASE + 4 * PAGE, 1, RUN_NODE_UNMAPPED },
		{ BASE + 5 * PAGE, 1, RUN_NODE_UNKNOWN },
		{ BASE + 6 * PAGE, 1, 1 },
	};
	struct page_nodes nodes = begin(each_answer);
	struct page_stretches out = { 0 };

	/* from inside the first page to inside the last */
	CHECK(page_nodes_ask(&nodes, arena_new(), BASE + 8, BASE + 6 * PAGE + 1, 1, &out));
	CHECK_INT(out.nr, 6);
	for (size_t i = 0; i < out.nr; i++) {
		CHECK_INT(out.items[i].address, expected[i].address);
		CHECK_INT(out.items[i].pages, expected[i].pages);
		CHECK_INT(out.items[i].node, expected[i].node);
	}
	CHECK_INT(nodes.asked, 7);
	CHECK_INT(calls, 1);
}

TEST(page_nodes__with_balancing_nothing_is_untouched)
{
	struct page_nodes nodes = begin(each_answer);
	struct page_stretches out = { 0 };

	nodes.balancing = true;
	CHECK(page_nodes_ask(&nodes, arena_new(), BASE, BASE + 7 * PAGE, 1, &out));
	for (size_t i = 0; i < out.nr; i++)
		CHECK_THAT(out.items[i].node, !=, RUN_NODE_UNTOUCHED);
	CHECK_INT(out.items[2].node, RUN_NODE_UNKNOWN);
}

static int interleaved(uint64_t page)
{
	return (int)(page % 4);
}

static double share_of(const struct page_stretches *of, uint32_t node)
{
	uint64_t on = 0, all = 0;

	for (size_t i = 0; i < of->nr; i++) {
		on += of->items[i].node == node ? of->items[i].pages : 0;
		all += of->items[i].pages;
	}
	return (double)on / (double)all;
}

/* No interleaving keeps step with the sampling; the pages are in batches. */
TEST(page_nodes__samples_do_not_keep_step)
{
	const uint64_t pages = 1 << 18, every = 64;
	struct page_nodes nodes = begin(interleaved);
	struct page_stretches out = { 0 };

	CHECK(page_nodes_ask(&nodes, arena_new(), BASE, BASE + pages * PAGE, every, &out));
	CHECK_INT(nodes.asked, pages / every);
	CHECK_THAT(most_in_call, <=, 1024);
	CHECK_THAT(calls, <=, 4);
	for (uint32_t node = 0; node < 4; node++)
		CHECK_NEAR(share_of(&out, node), 0.25, 0.015);
	CHECK_INT(out.items[0].address, BASE);
}

TEST(page_nodes__nothing_is_asked_after_a_refusal)
{
	struct page_nodes nodes = begin(interleaved);
	struct page_stretches out = { 0 };

	refused = EPERM;
	CHECK(!page_nodes_ask(&nodes, arena_new(), BASE, BASE + PAGE, 1, &out));
	CHECK_INT(nodes.error, EPERM);
	CHECK(!page_nodes_ask(&nodes, arena_new(), BASE, BASE + PAGE, 1, &out));
	CHECK_INT(calls, 1);
	CHECK_INT(out.nr, 0);
}

/* ------------------------------------------------------------------ arrays */

static uint32_t declare(uint8_t kind, uint64_t start, uint64_t bytes)
{
	struct array row = {
		.kind = kind, .name = "", .type = "", .file = "", .module = "", .site = 0
	};
	uint32_t id = array_new(&row);

	CHECK_THAT(id, !=, ARRAY_NONE);
	CHECK(array_block_add(id, start, bytes));
	return id;
}

static int halves(uint64_t page)
{
	return page >= 50;
}

TEST(page_nodes__arrays_have_their_live_blocks)
{
	struct page_nodes nodes = begin(halves);
	struct placement_map map = { 0 };
	struct arena *arena = arena_new();
	uint64_t bytes;
	uint32_t whole = declare(ARRAY_STATIC, BASE, 100 * PAGE), freed, parts;

	declare(ARRAY_STATIC, BASE + 200 * PAGE, 64); /* less than a page */
	declare(ARRAY_STACK, BASE + 300 * PAGE, 100 * PAGE);
	freed = declare(ARRAY_COMMON, BASE + 500 * PAGE, PAGE);
	CHECK(array_block_remove(BASE + 500 * PAGE, &bytes));
	parts = declare(ARRAY_COMMON, BASE + 600 * PAGE + 100, PAGE);
	/* begins in the page in which the other ends */
	CHECK(array_block_add(parts, BASE + 601 * PAGE + 200, PAGE));
	CHECK(placement_map(&nodes, arena, 1000, &map));
	CHECK_INT(map.nr, 2);
	CHECK_INT(map.items[0].array, whole);
	CHECK_INT(map.items[0].nr_stretches, 2);
	CHECK_INT(map.items[0].stretches[0].pages, 50);
	CHECK_INT(map.items[0].stretches[1].node, 1);
	CHECK_INT(map.items[0].every, 1);
	CHECK_INT(map.items[1].array, parts);
	CHECK_INT(map.items[1].nr_stretches, 1);
	CHECK_INT(map.items[1].stretches[0].pages, 3);
	CHECK_THAT(freed, <, parts);
}

/* 64 GiB are sampled; many arrays share what may be asked for. */
TEST(page_nodes__large_arrays_are_sampled)
{
	struct page_nodes nodes = begin(interleaved);
	struct placement_map map = { 0 };

	declare(ARRAY_STATIC, BASE, 64ull << 30);
	CHECK(placement_map(&nodes, arena_new(), 1 << 20, &map));
	CHECK_INT(map.items[0].every, (64ull << 30) / PAGE / PLACEMENT_PAGES_OF_ARRAY);
	CHECK_INT(map.items[0].asked, PLACEMENT_PAGES_OF_ARRAY);
	for (uint64_t i = 1; i < 100; i++)
		declare(ARRAY_STATIC, BASE + (i << 40), 1 << 30);
	nodes.asked = map.nr = 0;
	CHECK(placement_map(&nodes, arena_new(), 10000, &map));
	CHECK_INT(map.nr, 100);
	CHECK_THAT(nodes.asked, <=, 10000);
	CHECK_THAT(nodes.asked, >=, 100 * PLACEMENT_PAGES_LEAST);
}

/* ------------------------------------------------------------------ the kernel */

TEST(page_nodes__the_kernel_leaves_untouched_pages_untouched)
{
	const char *why;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, 8 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	struct page_nodes nodes = { .move_pages = numa_library_move_pages(&why),
				    .page_bytes = page };
	struct page_stretches out = { 0 };
	unsigned char in_memory;

	if (!nodes.move_pages)
		test_skip("%s", why);
	CHECK(memory != MAP_FAILED);
	madvise(memory, 8 * page, MADV_NOHUGEPAGE);
	memory[0] = memory[page] = 1;
	if (!page_nodes_ask(&nodes, arena_new(), (uintptr_t)memory, (uintptr_t)memory + 8 * page, 1,
			    &out))
		test_skip("move_pages is refused here");
	if (page_nodes_balancing())
		test_skip("automatic NUMA balancing is on");
	CHECK_INT(out.nr, 2);
	CHECK_THAT(out.items[0].node, <, RUN_NODES_MOST);
	CHECK_INT(out.items[0].pages, 2);
	CHECK_INT(out.items[1].node, RUN_NODE_UNTOUCHED);
	CHECK_INT(mincore(memory + 4 * page, page, &in_memory), 0);
}
