/* SPDX-License-Identifier: Apache-2.0 */
/* Limits: what they say, and what exceeds them. */
#include "analysis/differential/gate.h"

#include "tests/unit/diff_profiles.h"

static const char *wrong(struct arena *arena, const char *text)
{
	struct limits limits = { 0 };

	return limit_parse(arena, &limits, text, LIMIT_FAIL, "--fail-on");
}

TEST(gate__notation)
{
	struct arena *arena = arena_new();
	struct limits limits = { 0 };

	CHECK(!limit_parse(arena, &limits, "l2_data_misses>+5%", LIMIT_FAIL, "here"));
	CHECK(!limit_parse(arena, &limits, "bytes:calc2/unew>+2.5%", LIMIT_WARN, "here"));
	CHECK(!limit_parse(arena, &limits, "l3_misses:swim.c:117>250000", LIMIT_FAIL, "here"));
	CHECK(!limit_parse(arena, &limits, "bytes:/u>+0%", LIMIT_FAIL, "here"));
	CHECK_INT(limits.nr, 4);
	CHECK(!limits.items[0].region && !limits.items[0].array && limits.items[0].relative);
	CHECK_NEAR(limits.items[0].most, 0.05, 1e-15);
	CHECK_STR(limits.items[1].region, "calc2");
	CHECK_STR(limits.items[1].array, "unew");
	CHECK_STR(limits.items[2].region, "swim.c:117");
	CHECK(!limits.items[2].relative);
	CHECK_STR(limits.items[3].region, "");
	arena_free(arena);
}

TEST(gate__what_is_no_limit)
{
	static const char *const texts[] = { "", ">", "l2_misses", "l2_misses>", "l2_misses>+5", "l2_misses>5%", "l2_misses>+x%", "l2_misses>-5%", "l2_misses>+5%x",
					     "none>+5%", ":calc>+5%", "l2_misses:>+5%", "l2_misses:calc/>+5%", "l2_misses>inf", "l2_misses>nan" };
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!wrong(arena, texts[i]))
			test_fail(__FILE__, __LINE__, "'%s' is taken", texts[i]);
	CHECK_STR(wrong(arena, "l2_misses>5%"), "'l2_misses>5%': a change is written +5%, a value without sign and %");
	arena_free(arena);
}

TEST(gate__files)
{
	static const char text[] = "# limits\n\n  fail l2_misses>+5%\r\nwarn\tbytes:*>+2%\n", bad[] = "fail l2_misses>+5%\nstop bytes>1\n", binary[] = "fail\0x";
	struct arena *arena = arena_new();
	struct limits limits = { 0 };

	CHECK(!limits_parse(arena, &limits, "limits", text, sizeof(text) - 1));
	CHECK_INT(limits.nr, 2);
	CHECK_INT(limits.items[1].effect, LIMIT_WARN);
	CHECK_STR(limits.items[1].where, "limits:4");
	CHECK_STR(limits_parse(arena, &limits, "limits", bad, sizeof(bad) - 1), "limits:2: a line begins with fail or warn, not 'stop'");
	CHECK(limits_parse(arena, &limits, "limits", binary, sizeof(binary) - 1) != NULL);
	CHECK(limits_read(arena, &limits, "/nowhere/limits") != NULL);
	arena_free(arena);
}

static enum limit_state state_of(struct arena *arena, const struct comparison *comparison, const char *text)
{
	struct limits limits = { 0 };

	CHECK(!limit_parse(arena, &limits, text, LIMIT_FAIL, "here"));
	return limits_check(arena, &limits, comparison)->state;
}

TEST(gate__states)
{
	struct arena *arena = arena_new();
	struct profile *profiles[2];
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED), time = diff_metric("time", MS_RUNG_TIMED);
	const enum match_side sides[] = { MATCH_BASE, MATCH_NEW };
	const struct compare_options options = { .work = { 1, 1 }, .function = COMBINE_WEIGHTED, .bound = NAN, .level = 0.05, .cut_off = 0.001 };
	struct comparison comparison;
	struct match match;

	for (int i = 0; i < 2; i++) {
		profiles[i] = diff_profile(arena, "a", 2);
		diff_place(arena, profiles[i], "calc", 10, "main", 0);
		diff_array(arena, profiles[i], "u", 1);
		diff_array(arena, profiles[i], "v", 2);
		diff_value(arena, profiles[i], 1, 0, l2, i ? 1060 : 1000, 0);
		diff_value(arena, profiles[i], 1, 1, l2, 500, 0);
		diff_value(arena, profiles[i], 0, PROFILE_NONE, l2, i ? 1560 : 1500, 0);
		diff_value(arena, profiles[i], 1, PROFILE_NONE, l2, i ? 1560 : 1500, 0);
		diff_value(arena, profiles[i], 1, PROFILE_NONE, time, i ? 2e6 : 1e6, i ? 2e6 : 1e6);
	}
	CHECK(match_profiles(arena, (const struct profile *const *)profiles, sides, 2, &match));
	CHECK(compare(arena, &match, &options, &comparison));
	CHECK_INT(state_of(arena, &comparison, "l2_misses>+5%"), LIMIT_KEPT);
	CHECK_INT(state_of(arena, &comparison, "l2_misses>+3%"), LIMIT_EXCEEDED);
	CHECK_INT(state_of(arena, &comparison, "l2_misses>1559"), LIMIT_EXCEEDED);
	CHECK_INT(state_of(arena, &comparison, "l2_misses>1560"), LIMIT_KEPT);
	CHECK_INT(state_of(arena, &comparison, "l2_misses:calc/u>+5%"), LIMIT_EXCEEDED);
	CHECK_INT(state_of(arena, &comparison, "l2_misses:swim.c:10/u>+5%"), LIMIT_EXCEEDED);
	CHECK_INT(state_of(arena, &comparison, "l2_misses:swim.c:11/u>+5%"), LIMIT_UNMEASURED);
	CHECK_INT(state_of(arena, &comparison, "l2_misses:/u>+5%"), LIMIT_EXCEEDED);
	CHECK_INT(state_of(arena, &comparison, "l2_misses:/v>+0%"), LIMIT_KEPT);
	CHECK_INT(state_of(arena, &comparison, "l2_misses:*>+3%"), LIMIT_EXCEEDED);
	CHECK_INT(state_of(arena, &comparison, "l2_misses:none>+3%"), LIMIT_UNMEASURED);
	CHECK_INT(state_of(arena, &comparison, "l3_misses>+3%"), LIMIT_UNMEASURED);
	CHECK_INT(state_of(arena, &comparison, "time:calc>+10%"), LIMIT_UNCERTAIN);
	arena_free(arena);
}
