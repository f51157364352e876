/* SPDX-License-Identifier: Apache-2.0 */
/* The strategy deep_start over replayed measurements: what samples make it test, and when. */
#include "tests/unit/strategy_program.h"

#define SLOW WAITS("Slow", "KINDS USER_REGION, PARALLEL_REGION, DO_REGION;", "share > 10 %")

/*
 * Figure 2 of the paper: A is true, B, C and D are false, E is frequent and true. Parallel regions,
 * as in each other; F is true and not frequent.
 *
 *     0 A ─┬─ 1 B ── 2 C ── 3 D ── 4 E
 *          └─ 5 F
 */
#define REGIONS_OF_HIDDEN \
	"memsearch-experiment 1\n" \
	"region 0 - USER_REGION\nregion 1 0 PARALLEL_REGION 1\nregion 2 1 DO_REGION 2\n" \
	"region 3 2 PARALLEL_REGION 3\nregion 4 3 DO_REGION 4\nregion 5 0 PARALLEL_REGION 5\n"

/* Percent of the time that is waiting, and samples in the region itself, of each of two threads. */
struct measured {
	unsigned int waits, samples[2];
};

static const struct measured hidden[] = {
	{ 60, { 0, 0 } }, { 2, { 5, 0 } },   { 3, { 5, 0 } },
	{ 4, { 5, 5 } },  { 40, { 60, 5 } }, { 20, { 5, 0 } },
};

static const char *text_of(struct arena *arena, const struct measured *measured, size_t nr,
			   bool sampled)
{
	const char *text = arena_printf(arena, "%s%sexecution 100000000 100\n", REGIONS_OF_HIDDEN,
					sampled ? ""
						: "missing * samples MS_MISSING_NOT_PERMITTED\n");
	unsigned int all[2] = { 0 };

	for (size_t id = 0; id < nr; id++)
		for (unsigned int thread = 0; thread < 2; thread++)
			all[thread] += measured[id].samples[thread];
	for (size_t id = 0; id < nr; id++)
		for (unsigned int thread = 0; thread < 2; thread++)
			text = arena_printf(arena,
					    "%srow %zu %u time 1 100000000\n"
					    "row %zu %u barrier_wait 1 %u000000\n"
					    "row %zu %u samples 1 %u\n",
					    text, id, thread, id, thread, measured[id].waits, id,
					    thread,
					    id ? measured[id].samples[thread] : all[thread]);
	return text;
}

static struct search searched(const struct measured *measured, size_t nr, bool sampled,
			      const char *properties, const char *strategy)
{
	struct arena *arena = arena_new();

	return replayed(arena, replay_parse(arena, "test", text_of(arena, measured, nr, sampled)),
			properties_of(arena, properties), strategy);
}
#define SEARCHED(measured, sampled, properties, strategy) \
	searched(measured, sizeof(measured) / sizeof((measured)[0]), sampled, properties, strategy)

static const char *asked(const struct measured *measured, size_t nr, bool sampled,
			 const char *strategy)
{
	struct search search = searched(measured, nr, sampled, SLOW, strategy);

	return history(&search, "Slow");
}

/* E is not reached by the levels, and found by its samples. */
TEST(deep_start__finds_what_is_hidden)
{
	CHECK_STR(asked(hidden, 6, true, "call_graph"), "Slow@0+ Slow@1- Slow@5+");
	CHECK_STR(asked(hidden, 6, true, "deep_start"),
		  "Slow@0+ Slow@4+ Slow@1- Slow@2- Slow@3- Slow@5+");
}

/* Deep starters first, then what connects them, then the background. */
TEST(deep_start__priorities)
{
	static const int32_t priorities[] = { 0, 1, 1, 1, 2, -1 };
	struct search search = SEARCHED(hidden, true, SLOW, "deep_start");

	CHECK_INT(engine_nodes(search.engine), 6);
	for (uint32_t id = 0; id < engine_nodes(search.engine); id++) {
		const struct ms_candidate *candidate = &engine_node(search.engine, id)->candidate;

		CHECK_INT(candidate->priority, priorities[candidate->region]);
		CHECK_INT(candidate->parent, candidate->region ? 0 : MS_NODE_NONE);
		CHECK_INT(candidate->thread, MS_REQUEST_ALL_THREADS);
	}
}

/* Without samples it is the search in the background. */
TEST(deep_start__without_samples)
{
	CHECK_STR(asked(hidden, 6, false, "deep_start"), asked(hidden, 6, false, "call_graph"));
}

/* Nothing has a fifth of the samples but the phase. */
TEST(deep_start__nothing_is_frequent)
{
	static const struct measured even[] = {
		{ 60, { 0, 0 } }, { 2, { 3, 3 } },  { 3, { 3, 3 } },
		{ 4, { 3, 3 } },  { 40, { 3, 3 } }, { 20, { 90, 90 } },
	};

	CHECK_STR(asked(even, 6, true, "deep_start"), "Slow@0+ Slow@5+ Slow@1-");
}

/* Of 90 samples 65 are in E, region 4, and 5 in F: 72 and 6 %. */
TEST(deep_start__threshold)
{
	static const struct {
		int line;
		double threshold;
		const char *asked;
	} rows[] = {
		{ __LINE__, 0.01, "Slow@0+ Slow@4+ Slow@5+ Slow@1- Slow@2- Slow@3-" },
		{ __LINE__, 0.4, "Slow@0+ Slow@4+ Slow@1- Slow@2- Slow@3- Slow@5+" },
		{ __LINE__, 1, "Slow@0+ Slow@1- Slow@5+" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *arena = arena_new();
		struct search search = replayed_at(
			arena, replay_parse(arena, "test", text_of(arena, hidden, 6, true)),
			properties_of(arena, SLOW), "deep_start", rows[i].threshold);

		if (strcmp(history(&search, "Slow"), rows[i].asked))
			test_fail(__FILE__, rows[i].line, "%s", history(&search, "Slow"));
	}
}

/* What is frequent may be no bottleneck: samples prove nothing. The levels are searched, too. */
TEST(deep_start__a_false_starter_ends_there)
{
	static const struct measured frequent[] = {
		{ 60, { 0, 0 } }, { 30, { 5, 5 } },  { 1, { 5, 5 } },
		{ 1, { 5, 5 } },  { 1, { 60, 60 } }, { 20, { 5, 5 } },
	};

	CHECK_STR(asked(frequent, 6, true, "deep_start"),
		  "Slow@0+ Slow@4- Slow@1+ Slow@2- Slow@3- Slow@5+");
}

/* A property that does not apply deep inside is replaced by the nearest more specific one. */
TEST(deep_start__the_property_that_applies)
{
	struct search search = SEARCHED(
		hidden, true,
		WAITS("Waiting", "KINDS USER_REGION;", "share > 10 %") WAITS(
			"InRegion", "KINDS PARALLEL_REGION; REFINES Waiting;", "share > 10 %")
			WAITS("InLoop", "KINDS DO_REGION; REFINES InRegion;", "share > 10 %")
				WAITS("Why", "KINDS DO_REGION; REFINES InLoop;", "share > 90 %"),
		"deep_start");

	CHECK_STR(history(&search, NULL),
		  "Waiting@0+ InLoop@4+ InRegion@1- InLoop@2- InRegion@3- InRegion@5+");
}

/* ------------------------------------------------------------------ threads */

/* Of both threads most samples are in 4; of thread 1 a third are in 3, the others in 5. */
static const struct measured uneven[] = {
	{ 60, { 0, 0 } }, { 30, { 5, 0 } },  { 30, { 5, 0 } },
	{ 30, { 5, 5 } }, { 30, { 60, 0 } }, { 30, { 0, 10 } },
};

static const struct ms_strategy *deep_start;

static size_t ask_thread(void *state, const struct ms_host *host, struct ms_candidate *out,
			 size_t room)
{
	(void)state, (void)host;
	if (room)
		*out = (struct ms_candidate){ .thread = 1, .parent = MS_NODE_NONE };
	return 1;
}

static size_t refine_deep(void *state, const struct ms_host *host, const uint32_t *proven,
			  size_t nr, struct ms_candidate *out, size_t room)
{
	return deep_start->refine(state, host, proven, nr, out, room);
}

/* A focus on one thread stays on it, and its own samples count. */
TEST(deep_start__of_one_thread)
{
	struct arena *arena = arena_new();
	struct search search = { .arena = arena,
				 .db = database_new(arena),
				 .set = properties_of(arena, SLOW) };
	struct replay *replay = replay_parse(arena, "test", text_of(arena, uneven, 6, true));
	struct ms_strategy strategy = *(deep_start = shipped_strategy(arena, "deep_start"));
	struct engine_config config;
	size_t of_thread = 0;

	strategy.initial = ask_thread;
	strategy.refine = refine_deep;
	engine_config_init(&config);
	replay_prepare(replay, search.db);
	search.engine = engine_new(arena, &config, search.set, search.db, &strategy);
	replay_run(replay, search.engine, search.db);
	for (uint32_t id = 0; id < engine_nodes(search.engine); id++) {
		const struct ms_candidate *candidate = &engine_node(search.engine, id)->candidate;

		if (candidate->thread != 1)
			continue;
		of_thread++;
		CHECK_INT(candidate->priority, candidate->region == 5   ? 2
					       : candidate->region == 3 ? 2
					       : candidate->region      ? 1
									: 0);
	}
	CHECK_INT(of_thread, 5); /* 0, the starters 3 and 5, 1 and 2 between */
}

TEST(deep_start__finds_what_a_run_has)
{
	struct arena *arena = arena_new();
	struct search search = replayed(arena,
					replay_read(arena, "tests/experiments/imbalance.txt"),
					property_set_load(arena, "properties", NULL), "deep_start");

	CHECK_STR(history(&search, "LoadImbalance"), "LoadImbalance@0+");
	CHECK_STR(history(&search, "ImbalanceInRegion"),
		  "ImbalanceInRegion@1+ ImbalanceInRegion@3-");
}

/*
 * In loop 4 a function is called, region 6, in which most of the loop's samples are: these are
 * counted there alone.
 */
TEST(deep_start__functions)
{
	struct arena *arena = arena_new();
	const char *text = text_of(arena, hidden, 6, true);
	struct search search;

	text = arena_printf(arena,
			    "%.*sregion 6 4 SUB_REGION 6\n%s"
			    "row 6 0 samples 1 55\nrow 6 1 samples 1 5\nrow 6 0 reads 1 9\n",
			    (int)sizeof(REGIONS_OF_HIDDEN) - 1, text,
			    text + sizeof(REGIONS_OF_HIDDEN) - 1);
	search = replayed(
		arena, replay_parse(arena, "test", text),
		properties_of(arena, SLOW USED("Called", "KINDS SUB_REGION; REFINES Slow;")),
		"deep_start");
	CHECK_HAS(history(&search, NULL), "Slow@0+ Called@6");
}
