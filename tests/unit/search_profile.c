/* SPDX-License-Identifier: Apache-2.0 */
/* Search profiles, computed by hand; and the comparison of the shipped strategies. */
#include "analysis/search/search_profile.h"

#include "analysis/cmds/search_compare.h"
#include "analysis/cmds/search_picture.h"
#include "analysis/cmds/searched.h"
#include "analysis/properties/property.h"
#include "analysis/report/text.h"
#include "analysis/search/strategies.h"
#include "memsearch/request.h"
#include "memsearch/strategy.h"
#include "tests/unit/json_value.h"
#include "tests/unit/searched_run.h"
#include "tests/unit/shipped_strategy.h"

#define POINT(property, region, executions) \
	{ { property, region, MS_REQUEST_ALL_THREADS, MS_NODE_NONE, 0 }, executions }

static const struct search_profile_point early[] = { POINT(0, 0, 2), POINT(1, 0, 4) },
					 late[] = { POINT(1, 0, 8), POINT(0, 0, 10),
						    POINT(0, 3, 12), POINT(2, 1, 30) };
static const struct search_profile profiles[] = { { early, 2 }, { late, 4 } };

/* Two are found by both, two only by the second. */
TEST(search_profile__known_is_the_union)
{
	struct arena *arena = arena_new();

	CHECK_INT(search_profile_known(arena, profiles, 2), 4);
	CHECK_INT(search_profile_known(arena, profiles, 1), 2);
	CHECK_INT(search_profile_known(arena, NULL, 0), 0);
}

TEST(search_profile__threads_and_regions_are_separate)
{
	const struct search_profile_point points[] = { { { 0, 0, 1, 0, 0 }, 1 },
						       { { 0, 0, 2, 0, 0 }, 1 },
						       { { 0, 1, 1, 0, 0 }, 1 } };
	const struct search_profile profile = { points, 3 };

	CHECK_INT(search_profile_known(arena_new(), &profile, 1), 3);
}

TEST(search_profile__half_all_and_utility)
{
	struct search_score first = search_profile_score(&profiles[0], 4),
			    second = search_profile_score(&profiles[1], 4);

	CHECK_NEAR(first.half, 4, 0);
	CHECK(isnan(first.all)); /* never */
	CHECK_NEAR(first.utility, -(2 + 4) / 4.0, 1e-12);
	CHECK_NEAR(second.half, 10, 0);
	CHECK_NEAR(second.all, 30, 0);
	CHECK_NEAR(second.utility, -(8 + 10 + 12 + 30) / 4.0, 1e-12);
	/* half of an odd number is the larger part */
	CHECK_NEAR(search_profile_score(&profiles[1], 5).half, 12, 0);
}

TEST(search_profile__nothing_known_has_no_score)
{
	const struct search_profile none = { NULL, 0 };
	struct search_score score = search_profile_score(&none, 0);

	CHECK(isnan(score.half) && isnan(score.all) && isnan(score.utility));
	score = search_profile_score(&none, 3);
	CHECK(isnan(score.half) && isnan(score.all));
	CHECK_NEAR(score.utility, 0, 0);
}

/* No search finds more than is known, and each of the known is found by some. */
TEST(search_profile__strategies_are_compared_over_a_run)
{
	struct arena *arena = arena_new();
	const struct strategy_list *list = shipped_strategies(arena);
	struct searched_how how = { .properties = property_set_load(arena, "properties", NULL),
				    .overhead_limit = 0.05,
				    .executions_most = 1000 };
	struct run run;
	struct compared_run compared = { .path = "test", .run = &run };
	struct text out;
	size_t sum = 0;

	searched_run(&run, arena);
	CHECK(compared_run_fill(&compared, arena, &how, list->strategies, list->nr));
	CHECK_INT(compared.nr, list->nr);
	CHECK_THAT(compared.known, >, 0);
	for (size_t i = 0; i < compared.nr; i++) {
		CHECK(compared.searches[i].ended);
		CHECK_THAT(compared.searches[i].profile.nr, <=, compared.known);
		sum += compared.searches[i].profile.nr;
	}
	CHECK_THAT(sum, >=, compared.known);
	text_init(&out, arena);
	compared_print(&out, &compared, 1, "json");
	json_must_keep("analysis/report/schema/memsearch-search-compare-1.schema.json", out.bytes);
}

static const char *printed(struct arena *arena, const struct compared_run *runs, size_t nr)
{
	struct text out;

	text_init(&out, arena);
	compared_print(&out, runs, nr, "text");
	return out.bytes;
}

/* The first is not found whole by the first strategy, and so has no mean. */
TEST(search_profile__means_over_runs)
{
	struct arena *arena = arena_new();
	const struct search_profile_point later[] = { POINT(0, 0, 6), POINT(1, 0, 20) };
	struct compared_search first[] = { { .strategy = "a", .profile = { early, 2 } },
					   { .strategy = "b", .profile = { late, 4 } } },
			       second[] = { { .strategy = "a", .profile = { later, 2 } },
					    { .strategy = "b", .profile = { later, 2 } } };
	struct run run;
	struct compared_run runs[] = { { "x", &run, 4, first, 2 }, { "y", &run, 2, second, 2 } };

	sample_run(&run, arena);
	/* to half: 4 and 6, 10 and 6; utility of b: -15 and -13 */
	CHECK(strstr(printed(arena, runs, 2), "5 (4-6)"));
	CHECK(strstr(printed(arena, runs, 2), "8 (6-10)"));
	CHECK(strstr(printed(arena, runs, 2), "25 (20-30)"));
	CHECK(strstr(printed(arena, runs, 2), "  -14 "));
	CHECK(!strstr(printed(arena, runs, 1), "All"));
}

/* "a" has no mean above half, as it did not find more of the first run. */
TEST(search_profile__picture_has_the_parts_that_every_run_reached)
{
	struct arena *arena = arena_new();
	const struct search_profile_point later[] = { POINT(0, 0, 6), POINT(1, 0, 20) };
	struct compared_search first[] = { { .strategy = "a", .profile = { early, 2 } },
					   { .strategy = "b", .profile = { late, 4 } } },
			       second[] = { { .strategy = "a", .profile = { later, 2 } },
					    { .strategy = "b", .profile = { later, 2 } } };
	struct run run;
	struct compared_run runs[] = { { "x", &run, 4, first, 2 }, { "y", &run, 2, second, 2 } };
	struct text out;
	size_t circles = 0;

	sample_run(&run, arena);
	text_init(&out, arena);
	search_picture(&out, runs, 2);
	for (const char *at = out.bytes; (at = strstr(at, "<circle")); at++)
		circles++;
	CHECK_INT(circles, 2 + 4 + 2); /* and the legend */
	CHECK_HAS(out.bytes, "2 records, 3 findings known");
	CHECK_HAS(out.bytes, "a: 50 % after 5 executions (4-6)");
	CHECK_HAS(out.bytes, "b: 100 % after 25 executions (20-30)");
	CHECK(!strstr(out.bytes, "a: 60 %"));
	runs[0].known = runs[1].known = 0;
	text_init(&out, arena);
	search_picture(&out, runs, 2);
	CHECK(!strstr(out.bytes, "<circle"));
}
