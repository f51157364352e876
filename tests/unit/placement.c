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
	CHECK(!out.cores && !out.interleave && !out.on_node && !out.words);
}

TEST(placement__close_spread_and_lists)
{
	struct placement out;

	CHECK(!read("close", NULL, 3, &out));
	CHECK(out.cores[0] == 0 && out.cores[1] == 1 && out.cores[2] == 2);
	CHECK_STR(out.words, "its threads run on the cores 0-2");
	CHECK(!read("spread", NULL, 3, &out));
	CHECK(out.cores[0] == 0 && out.cores[1] == 5 && out.cores[2] == 10);
	CHECK(!read("14-15,3,0", NULL, 3, &out));
	CHECK(out.cores[0] == 14 && out.cores[1] == 15 && out.cores[2] == 3);
	CHECK_STR(out.words, "its threads run on the cores 14-15, 3");
	CHECK(!read("spread", NULL, 17, &out));          /* more threads than cores are told of elsewhere */
}

TEST(placement__pages)
{
	struct placement out;

	CHECK(!read(NULL, "first-touch", 2, &out) && !out.interleave && !out.on_node);
	CHECK(!read(NULL, "interleave", 2, &out) && out.interleave);
	CHECK_STR(out.words, "pages go round its nodes");
	CHECK(!read("0,4", "3", 2, &out) && out.on_node && out.node == 3);
	CHECK_STR(out.words, "its threads run on the cores 0, 4; all pages lie on node 3");
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
