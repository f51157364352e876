/* SPDX-License-Identifier: Apache-2.0 */
/* Limits: what they say, and what exceeds them. */
#include "analysis/differential/gate.h"

#include "tests/unit/diff_profiles.h"
#include "tests/unit/fuzz.h"

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
	static const char *const texts[] = { "",
					     ">",
					     "l2_misses",
					     "l2_misses>",
					     "l2_misses>+5",
					     "l2_misses>5%",
					     "l2_misses>+x%",
					     "l2_misses>-5%",
					     "l2_misses>+5%x",
					     "none>+5%",
					     ":calc>+5%",
					     "l2_misses:>+5%",
					     "l2_misses:calc/>+5%",
					     "l2_misses>inf",
					     "l2_misses>nan" };
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!wrong(arena, texts[i]))
			test_fail(__FILE__, __LINE__, "'%s' is taken", texts[i]);
	CHECK_STR(wrong(arena, "l2_misses>5%"),
		  "'l2_misses>5%': a change is written +5%, a value without sign and %");
	arena_free(arena);
}

TEST(gate__files)
{
	static const char text[] = "# limits\n\n  fail l2_misses>+5%\r\nwarn\tbytes:*>+2%\n",
			  bad[] = "fail l2_misses>+5%\nstop bytes>1\n", binary[] = "fail\0x";
	struct arena *arena = arena_new();
	struct limits limits = { 0 };

	CHECK(!limits_parse(arena, &limits, "limits", text, sizeof(text) - 1));
	CHECK_INT(limits.nr, 2);
	CHECK_INT(limits.items[1].effect, LIMIT_WARN);
	CHECK_STR(limits.items[1].where, "limits:4");
	CHECK_STR(limits_parse(arena, &limits, "limits", bad, sizeof(bad) - 1),
		  "limits:2: a line begins with fail or warn, not 'stop'");
	CHECK(limits_parse(arena, &limits, "limits", binary, sizeof(binary) - 1) != NULL);
	CHECK_STR(limits_parse(arena, &limits, "none", "# nothing\n", 10),
		  "'none' has no limit; lines are such as: fail l2_misses>+5%");
	arena_free(arena);
}

static const struct compare_options options = { .work = { 1, 1 },
						.function = COMBINE_WEIGHTED,
						.bound = NAN,
						.level = 0.05,
						.cut_off = 0.001 };

/* Of both sides: the loop in calc at line 10, data structures u and v, and a whole phase. */
struct two {
	struct arena *arena;
	struct profile *of[MATCH_SIDES];
	struct match match;
	struct comparison comparison;
};

static struct two two_sides(void)
{
	struct two two = { .arena = arena_new() };

	for (int i = 0; i < 2; i++) {
		two.of[i] = diff_profile(two.arena, "a", 2);
		diff_place(two.arena, two.of[i], "calc", 10, "main", 0);
		diff_array(two.arena, two.of[i], "u", 1);
		diff_array(two.arena, two.of[i], "v", 2);
	}
	return two;
}

static void two_values(struct two *two, uint32_t place, uint32_t array, uint32_t metric,
		       double base, double new, double uncertain)
{
	diff_value(two->arena, two->of[MATCH_BASE], place, array, metric, base, uncertain * base);
	diff_value(two->arena, two->of[MATCH_NEW], place, array, metric, new, uncertain * new);
}

static void compare_two(struct two *two)
{
	static const enum match_side sides[] = { MATCH_BASE, MATCH_NEW };

	CHECK(match_profiles(two->arena, (const struct profile *const *)two->of, sides, 2,
			     &two->match));
	CHECK(compare(two->arena, &two->match, &options, &two->comparison));
	comparison_rank(two->arena, &two->comparison, 0);
}

static struct limit_result result_of(const struct two *two, const char *text)
{
	struct limits limits = { 0 };

	CHECK(!limit_parse(two->arena, &limits, text, LIMIT_FAIL, "here"));
	return *limits_check(two->arena, &limits, &two->comparison);
}

static enum limit_state state_of(const struct two *two, const char *text)
{
	return result_of(two, text).state;
}

TEST(gate__states)
{
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED),
		 time = diff_metric("time", MS_RUNG_TIMED);
	struct two two = two_sides();

	two_values(&two, 1, 0, l2, 1000, 1060, 0);
	two_values(&two, 1, 1, l2, 500, 500, 0);
	two_values(&two, 0, PROFILE_NONE, l2, 1500, 1560, 0);
	two_values(&two, 1, PROFILE_NONE, l2, 1500, 1560, 0);
	two_values(&two, 1, PROFILE_NONE, time, 1e6, 2e6, 1);
	compare_two(&two);
	CHECK_INT(state_of(&two, "l2_misses>+5%"), LIMIT_KEPT);
	CHECK_INT(state_of(&two, "l2_misses>+3%"), LIMIT_EXCEEDED);
	CHECK_INT(state_of(&two, "l2_misses>1559"), LIMIT_EXCEEDED);
	CHECK_INT(state_of(&two, "l2_misses>1560"), LIMIT_KEPT);
	CHECK_INT(state_of(&two, "l2_misses:calc/u>+5%"), LIMIT_EXCEEDED);
	CHECK_INT(state_of(&two, "l2_misses:swim.c:10/u>+5%"), LIMIT_EXCEEDED);
	CHECK_INT(state_of(&two, "l2_misses:swim.c:11/u>+5%"), LIMIT_UNMEASURED);
	CHECK_INT(state_of(&two, "l2_misses:/u>+5%"), LIMIT_EXCEEDED);
	CHECK_INT(state_of(&two, "l2_misses:/v>+0%"), LIMIT_KEPT);
	CHECK_INT(state_of(&two, "l2_misses:*>+3%"), LIMIT_EXCEEDED);
	CHECK_INT(state_of(&two, "l2_misses:none>+3%"), LIMIT_UNMEASURED);
	CHECK_INT(state_of(&two, "l3_misses>+3%"), LIMIT_UNMEASURED);
	CHECK_INT(state_of(&two, "time:calc>+10%"), LIMIT_UNCERTAIN);
	arena_free(two.arena);
}

/* A limit of a region is one of all that it accesses, and names what is most of the difference. */
TEST(gate__regions_are_not_their_data_structures)
{
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED);
	struct two two = two_sides();
	struct limit_result result;

	two_values(&two, 1, 0, l2, 1000, 1200, 0);
	two_values(&two, 1, 1, l2, 500, 310, 0);
	two_values(&two, 0, PROFILE_NONE, l2, 1500, 1510, 0);
	two_values(&two, 1, PROFILE_NONE, l2, 1500, 1510, 0);
	compare_two(&two);
	CHECK_INT(state_of(&two, "l2_misses:calc>+5%"), LIMIT_KEPT);
	CHECK_INT(state_of(&two, "l2_misses:*>+5%"), LIMIT_KEPT);
	CHECK_INT(state_of(&two, "l2_misses:calc>1600"), LIMIT_KEPT);
	result = result_of(&two, "l2_misses:calc>1509");
	CHECK_INT(result.state, LIMIT_EXCEEDED);
	CHECK_INT(result.worst->array, PROFILE_NONE);
	CHECK_INT(result.part->array, 0);
	result = result_of(&two, "l2_misses>+0%");
	CHECK_INT(result.state, LIMIT_EXCEEDED);
	CHECK_INT(result.part->array, 0);
	CHECK(!result_of(&two, "l2_misses:calc/u>+0%").part);
	arena_free(two.arena);
}

/* Lines, instructions and threads of a data structure come beside it, and count once. */
TEST(gate__parts_do_not_count_twice)
{
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED);
	struct two two = two_sides();

	for (int i = 0; i < 2; i++)
		two_values(&two, 1, 0, l2, 1000, 1000, 0);
	/* thread 0 */
	two.of[MATCH_BASE]->values[1].part = two.of[MATCH_NEW]->values[1].part = 0;
	compare_two(&two);
	CHECK_INT(state_of(&two, "l2_misses:/u>1000"), LIMIT_KEPT);
	CHECK_NEAR(result_of(&two, "l2_misses:/u>1000").worst->mean[MATCH_NEW], 1000, 0);
	arena_free(two.arena);
}

/*
 * A data structure that a new region accesses, too, is compared with what the base has of it
 * elsewhere.
 */
TEST(gate__a_data_structure_in_a_new_region)
{
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED);
	struct two two = two_sides();
	uint32_t fresh = diff_place(two.arena, two.of[MATCH_NEW], "fresh", 5, "main", 7);

	diff_value(two.arena, two.of[MATCH_NEW], fresh, 0, l2, 100, 0);
	two_values(&two, 1, 0, l2, 1000, 1000, 0);
	compare_two(&two);
	CHECK_INT(state_of(&two, "l2_misses:/u>+20%"), LIMIT_KEPT);
	CHECK_INT(state_of(&two, "l2_misses:/u>+9%"), LIMIT_EXCEEDED);
	CHECK_NEAR(result_of(&two, "l2_misses:/u>+9%").change, 0.1, 1e-12);
	arena_free(two.arena);
}

/* Counted by the CPU and simulated: the latter needs no repetitions. */
TEST(gate__simulated_before_counted)
{
	uint32_t simulated = diff_metric("l2_misses", MS_RUNG_SIMULATED),
		 counted = diff_metric("l2_misses", MS_RUNG_COUNTED);
	struct two two = two_sides();

	two_values(&two, 0, PROFILE_NONE, counted, 900, 2000, 1);
	two_values(&two, 0, PROFILE_NONE, simulated, 1000, 1000, 0);
	two_values(&two, 1, PROFILE_NONE, counted, 900, 2000, 1);
	two_values(&two, 1, PROFILE_NONE, simulated, 1000, 1000, 0);
	compare_two(&two);
	CHECK_INT(state_of(&two, "l2_misses>+0%"), LIMIT_KEPT);
	CHECK_INT(state_of(&two, "l2_misses:calc>+0%"), LIMIT_KEPT);
	CHECK_INT(result_of(&two, "l2_misses:calc>+0%").worst->metric, simulated);
	arena_free(two.arena);
}

/* A renamed function has the limits of both names. */
TEST(gate__either_name)
{
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED);
	struct two two = two_sides();

	two.of[MATCH_NEW]->places[1].function = "apply";
	two.of[MATCH_BASE]->places[1].arrays = two.of[MATCH_NEW]->places[1].arrays = 9;
	two_values(&two, 1, PROFILE_NONE, l2, 1000, 2000, 0);
	compare_two(&two);
	CHECK_INT(two.match.nr_places, 2);
	CHECK_INT(state_of(&two, "l2_misses:calc>+0%"), LIMIT_EXCEEDED);
	CHECK_INT(state_of(&two, "l2_misses:apply>+0%"), LIMIT_EXCEEDED);
	arena_free(two.arena);
}

/* What one run on a side would prove, but not these runs. */
TEST(gate__what_cannot_be_seen_does_not_pass)
{
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED),
		 time = diff_metric("time", MS_RUNG_TIMED);
	struct two two = two_sides();

	two.of[MATCH_NEW]->basis = RUN_BASIS_ONE;
	two_values(&two, 0, PROFILE_NONE, l2, 1000, 1000, 0);
	two_values(&two, 1, PROFILE_NONE, l2, 1000, 1000, 0);
	diff_value(two.arena, two.of[MATCH_BASE], 1, PROFILE_NONE, time, 1e6, 1e6);
	compare_two(&two);
	CHECK_INT(state_of(&two, "l2_misses>+5%"), LIMIT_UNMEASURED);
	CHECK_HAS(result_of(&two, "l2_misses>+5%").why, "--overhead 100%");
	CHECK_INT(state_of(&two, "l2_misses:calc>+5%"), LIMIT_UNMEASURED);
	CHECK_INT(state_of(&two, "l2_misses>999"), LIMIT_EXCEEDED);
	CHECK_INT(state_of(&two, "time:calc>+5%"), LIMIT_UNMEASURED);
	CHECK_HAS(result_of(&two, "l2_misses:calk>+5%").why, "no region 'calk'");
	CHECK_HAS(result_of(&two, "l2_misses:calc/w>+5%").why, "no data structure 'w'");
	CHECK_HAS(result_of(&two, "page_walks>+5%").why, "no run has it");
	arena_free(two.arena);
}

/*
 * Random bytes, and limits of which some were changed: taken or refused in words, whatever they
 * are.
 */
TEST(gate__fuzz)
{
	static const char *const seeds[] = {
		"l2_misses>+5%", "bytes:calc2/unew>+2.5%", "l3_misses:swim.c:117>250000",
		"bytes:/u>+0%",  "remote_lines:*>+1e1%",   ""
	};
	struct two two = two_sides();
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED);

	two_values(&two, 1, 0, l2, 1000, 1060, 0);
	two_values(&two, 0, PROFILE_NONE, l2, 1500, 1560, 0);
	compare_two(&two);
	FUZZ_EACH(3000)
	{
		struct arena *arena = arena_new();
		struct limits limits = { 0 };
		char text[200], *file;
		size_t nr = (size_t)snprintf(text, sizeof(text), "%s",
					     seeds[pick(sizeof(seeds) / sizeof(seeds[0]))]);
		const char *wrong;

		for (uint64_t changes = pick(12); changes; changes--) {
			size_t at = (size_t)pick(sizeof(text) - 1);

			if (at >= nr)
				at = nr < sizeof(text) - 1 ? nr++ : nr - 1;
			text[at] = (char)(pick(2) ? "0123456789+-%>:/*. \n\r#eEx"[pick(24)]
						  : (char)pick(256));
		}
		text[nr] = '\0';
		wrong = limit_parse(arena, &limits, text, LIMIT_FAIL, "--fail-on");
		CHECK(wrong ? *wrong : limits.nr == 1);
		if (!wrong)
			CHECK(limits_check(two.arena, &limits, &two.comparison) != NULL);
		file = arena_printf(arena, "fail %s\nwarn %s\n", text, text);
		wrong = limits_parse(arena, &limits, "limits", file,
				     pick(2) ? strlen(file) : (size_t)pick(strlen(file)));
		CHECK(!wrong || !strncmp(wrong, "limits:", 7) ||
		      !strncmp(wrong, "'limits' has no limit", 21));
		CHECK(limits_check(two.arena, &limits, &two.comparison) != NULL);
		arena_free(arena);
	}
	fuzz_tell("limits");
	arena_free(two.arena);
}
