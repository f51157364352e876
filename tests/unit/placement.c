/* SPDX-License-Identifier: Apache-2.0 */
/* The words of --places and --pages. */
#include "analysis/simulation/placement.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/machine/model.h"
#include "analysis/record/run.h"
#include "tests/unit/test.h"

static const struct machine_model model = { .name = "m", .cores = 16, .nodes = 4 };

static const char *read(const char *places, const char *pages, uint32_t threads,
			struct placement *out)
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
	CHECK_STR(
		out.words,
		"its threads run on the cores 0-2 of node 0 (close; --places spread uses more nodes)");
	CHECK(!read(NULL, NULL, 6, &out));
	CHECK_STR(out.words, "its threads run on the cores 0-5 of nodes 0-1 (close)");
	CHECK(!placement_read(arena_new(), NULL, NULL,
			      &(struct machine_model){ .name = "m", .cores = 16, .nodes = 1 }, 3,
			      &out) &&
	      !out.words);
}

TEST(placement__close_spread_and_lists)
{
	struct placement out;

	CHECK(!read("close", NULL, 3, &out));
	CHECK(out.cores[0] == 0 && out.cores[1] == 1 && out.cores[2] == 2);
	CHECK_STR(out.words,
		  "as was asked for, its threads run on the cores 0-2 of node 0 (close)");
	CHECK(!read("spread", NULL, 3, &out));
	CHECK_STR(out.words,
		  "as was asked for, its threads run on the cores 0, 5, 10 of nodes 0-2 (spread)");
	CHECK(out.cores[0] == 0 && out.cores[1] == 5 && out.cores[2] == 10);
	CHECK(!read("14-15,3,0", NULL, 3, &out));
	CHECK(out.cores[0] == 14 && out.cores[1] == 15 && out.cores[2] == 3);
	CHECK_STR(out.words,
		  "as was asked for, its threads run on the cores 14-15, 3 of nodes 0, 3");
	/* simulate() reports more threads than cores */
	CHECK(!read("spread", NULL, 17, &out));
}

TEST(placement__pages)
{
	struct placement out;

	CHECK(!read(NULL, "first-touch", 2, &out) && !out.interleave && !out.on_node);
	CHECK(!read(NULL, "interleave", 2, &out) && out.interleave);
	CHECK_STR(
		out.words,
		"its threads run on the cores 0-1 of node 0 (close; --places spread uses more nodes); as was asked for, pages go round its nodes");
	CHECK(!read("0,4", "3", 2, &out) && out.on_node && out.node == 3);
	CHECK_STR(
		out.words,
		"as was asked for, its threads run on the cores 0, 4 of nodes 0-1; as was asked for, all pages lie on node 3");
}

TEST(placement__huge_pages)
{
	struct arena *arena = arena_new();
	struct machine_model small = { .name = "m",
				       .cores = 2,
				       .nodes = 1,
				       .page = 4096,
				       .tlb = { { .entries = 64, .ways = 4 },
						{ .entries = 1024, .ways = 8, .latency = 7 } } },
			     placed;
	struct placement out;

	CHECK(!placement_read(arena, NULL, NULL, &small, 2, &out));
	CHECK_STR(placement_use_huge_pages(arena, &small, &out),
		  "--huge-pages: machine 'm' has no huge pages: its file gives no huge_page");
	CHECK(!out.huge_pages && placement_model(&out, &small).page == 4096);
	small.huge_page = 2 << 20;
	CHECK(!placement_use_huge_pages(arena, &small, &out));
	CHECK_STR(
		out.words,
		"as was asked for, pages are of 2 MiB, of which the TLBs hold 64 and 1024 (assumed: as of small ones)");
	small.huge_tlb[0] = (struct model_tlb){ .entries = 32, .ways = 32 };
	small.huge_tlb[1] = (struct model_tlb){ .entries = 512, .ways = 4 };
	CHECK(!placement_read(arena, NULL, "first-touch", &small, 2, &out) &&
	      !placement_use_huge_pages(arena, &small, &out));
	CHECK_STR(
		out.words,
		"as was asked for, pages lie where they are touched first; pages are of 2 MiB, of which the TLBs hold 32 and 512");
	placed = placement_model(&out, &small);
	CHECK(!placed.huge_page && !placed.huge_tlb[0].entries && placed.page == 2 << 20 &&
	      placed.prefetch_page == 4096 && placed.tlb[0].entries == 32 &&
	      placed.tlb[1].ways == 4 && placed.tlb[1].latency == 7);
}

TEST(placement__wrong_words_are_told)
{
	static const char *const places[] = { "",    "x",    "0-",   "-1",
					      "3-1", "0,1,", "0,,1", "0 1",
					      "0,0", "0",    "0,16", "0,99999999999999999999" };
	static const char *const pages[] = { "", "far", "4", "-1", "1x", "99999999999999999999" };
	struct placement out;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (!read(places[i], NULL, 2, &out) ||
		    !strstr(read(places[i], NULL, 2, &out), "--places"))
			test_fail(__FILE__, __LINE__, "--places '%s' is taken", places[i]);
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		if (!read(NULL, pages[i], 2, &out) ||
		    !strstr(read(NULL, pages[i], 2, &out), "--pages"))
			test_fail(__FILE__, __LINE__, "--pages '%s' is taken", pages[i]);
}

/*
 * What OMP_PLACES and OMP_PROC_BIND say of four threads on 16 cores, 4 of each node; the cores of
 * an L3 are 8.
 */
TEST(placement__as_the_run_had_it)
{
	static const struct {
		int line;
		const char *places, *bind, *cores;
	} cases[] = {
		{ __LINE__, NULL, NULL, NULL },
		{ __LINE__, NULL, "false", NULL },
		{ __LINE__, "cores", "FALSE", NULL },
		{ __LINE__, "cores", NULL, "0-3" },
		{ __LINE__, NULL, "close", "0-3" },
		{ __LINE__, NULL, " True ", "0-3" },
		{ __LINE__, NULL, "spread", "0, 4, 8, 12" },
		{ __LINE__, NULL, "Spread,close", "0, 4, 8, 12" },
		{ __LINE__, "threads(8)", "spread", "0, 2, 4, 6" },
		{ __LINE__, "sockets", "close", "0, 4, 8, 12" },
		{ __LINE__, "SOCKETS(2)", "close", "0-1, 4-5" },
		{ __LINE__, "numa_domains ( 1 )", "close", "0-3" },
		{ __LINE__, "ll_caches", "spread", "0-1, 8-9" },
		{ __LINE__, "sockets", "primary", "0-3" },
		{ __LINE__, "sockets", "master", "0-3" },
		/* one thread runs on a core */
		{ __LINE__, "cores", "primary", NULL },
		{ __LINE__, "{12},{3},{9},{0}", "true", "12, 3, 9, 0" },
		{ __LINE__, "{8:4},{0:4}", "close", "8-9, 0-1" },
		{ __LINE__, "{0:4}:4:4", "spread", "0, 4, 8, 12" },
		{ __LINE__, " { 0:2:8 , 1 } : 2 : 4 ", "close", "0, 8, 4, 12" },
		{ __LINE__, "{15}:16:-1", "close", "15, 14, 13, 12" },
		/* two places of one core */
		{ __LINE__, "{0},{0},{1},{2}", "close", NULL },
		{ __LINE__, "{0:4},{16}", "close", NULL },
		{ __LINE__, "{0:99999999999}", "close", NULL },
		{ __LINE__, "{0}:300:0", "close", NULL },
		{ __LINE__, "{0", "close", NULL },
		{ __LINE__, "{}", "close", NULL },
		{ __LINE__, "{0:-1}", "close", NULL },
		{ __LINE__, "{0},", "close", NULL },
		{ __LINE__, "cores(0)", "close", NULL },
		{ __LINE__, "cores(2", "close", NULL },
		{ __LINE__, "chairs", "close", NULL },
		{ __LINE__, "0-3", "close", NULL },
	};
	struct machine_model machine = model;
	struct arena *arena = arena_new();

	machine.cache[2] = (struct model_cache){
		.bytes = 1 << 20, .ways = 16, .line = 64, .cores = 8
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run run = { .omp_places = cases[i].places, .omp_proc_bind = cases[i].bind };
		struct placement out;
		const char *words;

		CHECK(!placement_read(arena, NULL, NULL, &machine, 4, &out));
		placement_as_run(arena, &run, &machine, &out);
		CHECK_INT(out.cores == NULL, cases[i].cores == NULL);
		words = arena_printf(arena,
				     " of the run %s it, its threads run on the cores %s of node",
				     cases[i].places && cases[i].bind ? "have" : "has",
				     cases[i].cores ? cases[i].cores : "");
		if ((strstr(out.words, words) != NULL) != (cases[i].cores != NULL))
			test_fail(__FILE__, cases[i].line, "'%s', not '%s'", out.words, words);
	}
}

TEST(placement__words_of_the_run)
{
	struct arena *arena = arena_new();
	struct run run = { .omp_places = "sockets", .omp_proc_bind = "spread" };
	struct placement out;

	CHECK(!placement_read(arena, NULL, "interleave", &model, 2, &out));
	placement_as_run(arena, &run, &model, &out);
	CHECK_STR(
		out.words,
		"as OMP_PROC_BIND=spread and OMP_PLACES=sockets of the run have it, its threads run on the cores 0, 8 of nodes 0, 2; as was asked for, pages go round its nodes");
}
