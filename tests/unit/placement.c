/* SPDX-License-Identifier: Apache-2.0 */
/* The words of --places and --pages. */
#include "analysis/simulation/placement.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/machine/model.h"
#include "tests/unit/test.h"

static const struct machine_model model = { .name = "m", .cores = 16, .nodes = 4 };

static const char *read(const char *places, const char *pages, uint32_t threads, struct placement *out)
{
	static struct arena *arena;

	arena = arena ? arena : arena_new();
	return placement_read(arena, places, pages, &model, threads, out);
}

TEST(placement__nothing_is_asked_for)
{
	struct placement out;

	CHECK(!read(NULL, NULL, 3, &out));
	CHECK(!out.cores && !out.interleave && !out.on_node);
	CHECK_STR(out.words, "its threads run on the cores 0-2 of node 0 (close; --places spread uses more nodes)");
	CHECK(!read(NULL, NULL, 6, &out));
	CHECK_STR(out.words, "its threads run on the cores 0-5 of nodes 0-1 (close)");
	CHECK(!placement_read(arena_new(), NULL, NULL, &(struct machine_model){ .name = "m", .cores = 16, .nodes = 1 }, 3, &out) && !out.words);
}

TEST(placement__close_spread_and_lists)
{
	struct placement out;

	CHECK(!read("close", NULL, 3, &out));
	CHECK(out.cores[0] == 0 && out.cores[1] == 1 && out.cores[2] == 2);
	CHECK_STR(out.words, "its threads run on the cores 0-2 of node 0 (close)");
	CHECK(!read("spread", NULL, 3, &out));
	CHECK_STR(out.words, "its threads run on the cores 0, 5, 10 of nodes 0-2 (spread)");
	CHECK(out.cores[0] == 0 && out.cores[1] == 5 && out.cores[2] == 10);
	CHECK(!read("14-15,3,0", NULL, 3, &out));
	CHECK(out.cores[0] == 14 && out.cores[1] == 15 && out.cores[2] == 3);
	CHECK_STR(out.words, "its threads run on the cores 14-15, 3 of nodes 0, 3");
	CHECK(!read("spread", NULL, 17, &out));          /* simulate() reports more threads than cores */
}

TEST(placement__pages)
{
	struct placement out;

	CHECK(!read(NULL, "first-touch", 2, &out) && !out.interleave && !out.on_node);
	CHECK(!read(NULL, "interleave", 2, &out) && out.interleave);
	CHECK_STR(out.words, "its threads run on the cores 0-1 of node 0 (close; --places spread uses more nodes); pages go round its nodes");
	CHECK(!read("0,4", "3", 2, &out) && out.on_node && out.node == 3);
	CHECK_STR(out.words, "its threads run on the cores 0, 4 of nodes 0-1; all pages lie on node 3");
}

TEST(placement__huge_pages)
{
	struct arena *arena = arena_new();
	struct machine_model small = { .name = "m", .cores = 2, .nodes = 1, .page = 4096, .tlb = { { .entries = 64, .ways = 4 }, { .entries = 1024, .ways = 8, .latency = 7 } } }, placed;
	struct placement out;

	CHECK(!placement_read(arena, NULL, NULL, &small, 2, &out));
	CHECK_STR(placement_use_huge_pages(arena, &small, &out), "--huge-pages: machine 'm' has no huge pages: its file gives no huge_page");
	CHECK(!out.huge_pages && placement_model(&out, &small).page == 4096);
	small.huge_page = 2 << 20;
	CHECK(!placement_use_huge_pages(arena, &small, &out));
	CHECK_STR(out.words, "pages are of 2 MiB, of which the TLBs hold 64 and 1024 (assumed: as of small ones)");
	small.huge_tlb[0] = (struct model_tlb){ .entries = 32, .ways = 32 };
	small.huge_tlb[1] = (struct model_tlb){ .entries = 512, .ways = 4 };
	CHECK(!placement_read(arena, NULL, "first-touch", &small, 2, &out) && !placement_use_huge_pages(arena, &small, &out));
	CHECK_STR(out.words, "pages lie where they are touched first; pages are of 2 MiB, of which the TLBs hold 32 and 512");
	placed = placement_model(&out, &small);
	CHECK(!placed.huge_page && !placed.huge_tlb[0].entries && placed.page == 2 << 20 && placed.prefetch_page == 4096 && placed.tlb[0].entries == 32 && placed.tlb[1].ways == 4 && placed.tlb[1].latency == 7);
}

TEST(placement__wrong_words_are_told)
{
	static const char *const places[] = { "", "x", "0-", "-1", "3-1", "0,1,", "0,,1", "0 1", "0,0", "0", "0,16", "0,99999999999999999999" };
	static const char *const pages[] = { "", "far", "4", "-1", "1x", "99999999999999999999" };
	struct placement out;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (!read(places[i], NULL, 2, &out) || !strstr(read(places[i], NULL, 2, &out), "--places"))
			test_fail(__FILE__, __LINE__, "--places '%s' is taken", places[i]);
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		if (!read(NULL, pages[i], 2, &out) || !strstr(read(NULL, pages[i], 2, &out), "--pages"))
			test_fail(__FILE__, __LINE__, "--pages '%s' is taken", pages[i]);
}
