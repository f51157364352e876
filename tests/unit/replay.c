/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches over the recorded measurements of tests/experiments, with the shipped properties and
 * strategy.
 */
#include "tests/host/replay.h"

#include "analysis/report/finding.h"
#include "analysis/report/rank.h"
#include "analysis/search/database_reading.h"
#include "analysis/search/outcome.h"
#include "tests/host/scratch.h"
#include "tests/unit/search.h"
#include "tests/unit/shipped_strategy.h"

#define EXPERIMENTS "tests/experiments/" /* tests run in the top folder */

struct search {
	struct arena *arena;
	struct replay *replay;
	struct database *db;
	struct property_set *set;
	struct engine_config config;
	struct engine *engine;
	struct replay_result result;
};

static struct search search_of(const char *file)
{
	struct search search = { .arena = arena_new() };

	search.replay = replay_read(search.arena,
				    arena_printf(search.arena, EXPERIMENTS "%s", file));
	CHECK(search.replay != NULL);
	search.set = property_set_load(search.arena, "properties", NULL);
	CHECK_THAT(search.set->nr, >, 0);
	search.db = database_new(search.arena);
	engine_config_init(&search.config);
	replay_prepare(search.replay, search.db);
	return search;
}

static void run(struct search *search, const struct ms_strategy *strategy)
{
	search->engine = engine_new(search->arena, &search->config, search->set, search->db,
				    strategy);
	search->result = replay_run(search->replay, search->engine, search->db);
	CHECK_INT(search->result.executions, replay_executions(search->replay));
}

static struct search searched(const char *file)
{
	struct search search = search_of(file);

	run(&search, shipped_strategy(search.arena, "property_refine"));
	return search;
}

static const struct engine_node *node_of(const struct search *search, const char *property,
					 uint32_t region_id)
{
	for (uint32_t id = 0; id < engine_nodes(search->engine); id++) {
		const struct engine_node *node = engine_node(search->engine, id);

		if (node->candidate.region == region_id &&
		    !strcmp(property_name(search->set->properties[node->candidate.property]),
			    property))
			return node;
	}
	test_fail(__FILE__, __LINE__, "nobody asked for %s at region %u", property, region_id);
}

/* Regions with a proven property, as bits. */
/* Of findings: what costs nothing only led to others. */
static uint64_t proven_regions(const struct search *search)
{
	uint64_t regions = 0;

	for (uint32_t id = 0; id < engine_nodes(search->engine); id++)
		if (engine_node(search->engine, id)->state == MS_NODE_TRUE &&
		    engine_node(search->engine, id)->verdict.severity > 0)
			regions |= 1ull << engine_node(search->engine, id)->candidate.region;
	return regions;
}

TEST(replay__imbalance_is_found_down_to_the_thread)
{
	struct search search = searched("imbalance.txt");
	const struct engine_node *threads = node_of(&search, "SlowThreads", 2);

	CHECK_INT(node_of(&search, "LoadImbalance", 0)->state, MS_NODE_TRUE);
	CHECK_INT(node_of(&search, "ImbalanceInRegion", 1)->state, MS_NODE_TRUE);
	CHECK_INT(node_of(&search, "ImbalanceInLoop", 2)->state, MS_NODE_TRUE);
	CHECK_INT(threads->state, MS_NODE_TRUE);
	CHECK_INT(threads->nr_threads, 1);
	CHECK_INT(threads->threads[0], 3);
	/* phase, region, loop; not the others */
	CHECK_INT(proven_regions(&search), 7);
	CHECK_THAT(node_of(&search, "ImbalanceInLoop", 2)->verdict.confidence, >, 0.8);
	CHECK(search.result.done_after > 0 && search.result.done_after < 100);
	CHECK_THAT(search.result.tool_ns, <, 0.05 * search.result.program_ns);
}

TEST(replay__nothing_is_found_where_nothing_is)
{
	struct search search = searched("balanced.txt");

	CHECK_INT(node_of(&search, "LoadImbalance", 0)->state, MS_NODE_FALSE);
	CHECK_INT(proven_regions(&search), 0);
}

TEST(replay__a_region_that_is_met_late)
{
	struct search search = searched("late_region.txt");

	CHECK_INT(node_of(&search, "ImbalanceInLoop", 4)->state, MS_NODE_TRUE);
	CHECK_INT(proven_regions(&search), 1 + 8 + 16);
}

/*
 * 4.5 % of the thread-time of the whole run, which is not enough, but 22.5 % of that of its last
 * fifth.
 */
TEST(replay__an_imbalance_that_begins_late)
{
	struct search search = searched("late_imbalance.txt");
	const struct engine_node *loop = node_of(&search, "ImbalanceInLoop", 2);

	CHECK_INT(node_of(&search, "LoadImbalance", 0)->state, MS_NODE_TRUE);
	CHECK_INT(loop->state, MS_NODE_TRUE);
	CHECK_INT(proven_regions(&search), 7); /* phase, region, loop; not the others */
	CHECK(loop->since > 1100 && loop->since < 1400);
	/* a part of the window came before */
	CHECK(loop->verdict.severity > 0.15 && loop->verdict.severity < 0.23);
	CHECK_THAT(loop->verdict.severity_low, >, 0.1);
	CHECK_INT(node_of(&search, "SlowThreads", 2)->threads[0], 3);
	CHECK_THAT(database_executions_read(search.db), <, 750);
	CHECK_THAT(search.result.tool_ns, <, 0.05 * search.result.program_ns);
}

TEST(replay__one_execution_only)
{
	struct search search = search_of("whole_program.txt");
	const struct ms_request *requests;
	struct engine_cost cost;
	size_t nr;

	search.engine = engine_new(search.arena, &search.config, search.set, search.db,
				   shipped_strategy(search.arena, "property_refine"));
	nr = engine_requests_all(search.engine, &requests);
	database_requests(search.db, requests, nr);
	replay_execution(search.replay, search.db, requests, nr, &cost);
	engine_finish(search.engine);
	CHECK_INT(proven_regions(&search), 7);
	CHECK_NEAR(node_of(&search, "ImbalanceInLoop", 2)->verdict.confidence, 2.0 / 3, 1e-9);
}

TEST(replay__dear_measuring_stays_within_the_limit)
{
	struct search search = searched("dear.txt");

	CHECK_THAT(search.result.tool_ns, <, 0.05 * search.result.program_ns);
	CHECK_THAT(search.result.tool_ns, >, 0);
	CHECK_INT(proven_regions(&search), 7);
}

static void fill_regions(const struct search *search, struct run *run)
{
	struct ms_region_info info;

	run->regions = arena_alloc(search->arena,
				   (database_regions(search->db) + 1) * sizeof(*run->regions));
	for (uint32_t id = 0; database_region_info(search->db, id, &info); id++)
		run->regions[run->nr_regions++] = (struct run_region){ .id = id,
								       .kind = info.kind,
								       .parent = info.parent };
}

/*
 * The findings as `memsearch report` lists them, with the properties each refines: "MemoryBound 0 >
 * … > Name 2".
 */
static const char *report_chains(const struct search *search)
{
	struct run result = { .nr_nodes = 0 };
	const uint32_t *ids, *up;
	const char *text = "";
	size_t nr;

	fill_regions(search, &result);
	CHECK_INT(outcome_fill(&result, search->arena, search->engine, search->db, search->set),
		  MS_OK);
	nr = report_rank(search->arena, &result, REPORT_FINDING, false, &ids);
	for (size_t i = 0; i < nr; i++) {
		size_t depth = finding_chain(search->arena, &result, &result.nodes[ids[i]], &up);

		for (size_t j = 0; j <= depth; j++) {
			const struct run_node *node = &result.nodes[j < depth ? up[j] : ids[i]];

			text = arena_printf(search->arena, "%s%s%s %u", text,
					    j   ? " > "
					    : i ? "; "
						: "",
					    node->property, node->region);
		}
	}
	return text;
}

/*
 * One chain, whichever ways the search took to its nodes, over experiments of four counters each.
 */
TEST(replay__unbalanced_misses_are_one_finding)
{
	struct search search = searched("unbalanced_misses.txt");
	const struct engine_node *found = node_of(&search, "UnbalancedL3DataMissRate", 2);
	const char *chains = report_chains(&search);

	CHECK_INT(node_of(&search, "MemoryBound", 0)->state, MS_NODE_TRUE);
	CHECK_INT(node_of(&search, "L3DataMissRateInSomeThread", 2)->state, MS_NODE_TRUE);
	CHECK_INT(found->state, MS_NODE_TRUE);
	CHECK_INT(found->nr_threads, 1);
	CHECK_INT(found->threads[0], 3);
	/*
	 * 4 * 35.4 - (35.4 + 3 * 1.32) = 102.24 of 400 ms; the upper ends differ less: 4 * 36 - (36
	 * + 3 * 3.6) = 97.2
	 */
	CHECK_THAT(fabs(found->verdict.severity - 0.2556), <, 0.01);
	CHECK_INT(proven_regions(&search), 7); /* phase, region, first loop */
	if (strchr(chains, ';') || strncmp(chains, "MemoryBound 0 > ", 16) ||
	    !strstr(chains, "> UnbalancedL3DataMissRate 2") ||
	    !strstr(chains, "L3DataMissRateInSomeThread"))
		test_fail(__FILE__, __LINE__, "%s", chains);
}

/* From the phase down to the loop, to node 1 and its threads; the second loop computes. */
TEST(replay__unbalanced_nodes)
{
	struct search search = searched("unbalanced_nodes.txt");
	const struct engine_node *remote = node_of(&search, "RemoteDramAccesses", 2),
				 *found = node_of(&search, "UnbalancedNodeTraffic", 2);
	struct run result = { .nr_nodes = 0 };

	CHECK_INT(node_of(&search, "MemoryBound", 0)->state, MS_NODE_TRUE);
	CHECK_INT(remote->state, MS_NODE_TRUE);
	CHECK_INT(remote->nr_nodes, 1);
	CHECK_INT(remote->nodes[0], 1);
	CHECK_INT(found->state, MS_NODE_TRUE);
	CHECK_INT(found->nr_nodes, 1);
	CHECK_INT(found->nodes[0], 1);
	CHECK_INT(found->nr_threads, 2);
	CHECK_INT(found->threads[0], 2);
	CHECK_INT(found->threads[1], 3);
	/* 4 * (35.4 - 18.36) of 400 ms */
	CHECK_THAT(fabs(found->verdict.severity - 0.1704), <, 0.01);
	CHECK_INT(proven_regions(&search), 7); /* phase, region, first loop */
	CHECK_INT(outcome_fill(&result, search.arena, search.engine, search.db, search.set), MS_OK);
	CHECK_INT(result.nodes[found->id].nr_numa_nodes, 1);
	CHECK_INT(result.nodes[found->id].numa_nodes[0], 1);
}

/* Asks everything about everything. */
static size_t everything(void *state, const struct ms_host *host, struct ms_candidate *out,
			 size_t room)
{
	struct brick_output output = { out, 0, room };

	(void)state;
	for (uint32_t property = 0; property < host->property_count(host->ctx); property++)
		for (uint32_t id = 0; id < 5; id++)
			brick_ask(host, &output, property, id, MS_NODE_NONE);
	return output.nr;
}

static size_t nothing(void *state, const struct ms_host *host, const uint32_t *proven, size_t nr,
		      struct ms_candidate *out, size_t room)
{
	(void)state, (void)host, (void)proven, (void)nr, (void)out, (void)room;
	return 0;
}

static const struct ms_strategy exhaustive = {
	.abi = MS_STRATEGY_ABI,
	.size = sizeof(struct ms_strategy),
	.name = "exhaustive",
	.summary = "s",
	.describe = "d",
	.initial = everything,
	.refine = nothing,
};

TEST(replay__strategies_are_compared_on_the_same_data)
{
	struct search refined = searched("imbalance.txt"), full = search_of("imbalance.txt");
	struct database_volume few, many;

	run(&full, &exhaustive);
	CHECK_INT(proven_regions(&full), proven_regions(&refined));
	database_volume(refined.db, &few);
	database_volume(full.db, &many);
	CHECK_THAT(few.counters_used, <, many.counters_used);
	CHECK_THAT(few.samples_used, <, many.samples_used);
	CHECK_THAT(engine_nodes(refined.engine), <, engine_nodes(full.engine));
}

TEST(replay__the_same_values_whatever_is_requested)
{
	struct ms_request one = { .metric = MS_METRIC_TIME,
				  .region = 1,
				  .thread = MS_REQUEST_ALL_THREADS };
	struct ms_request all = { .metric = MS_METRIC_TIME,
				  .region = 0,
				  .thread = MS_REQUEST_ALL_THREADS,
				  .flags = MS_REQUEST_SUBREGIONS };
	double values[2];

	for (int i = 0; i < 2; i++) {
		struct search search = search_of("imbalance.txt");
		struct engine_cost cost;

		database_requests(search.db, i ? &all : &one, 1);
		replay_execution(search.replay, search.db, i ? &all : &one, 1, &cost);
		values[i] = database_reading(search.db, DATABASE_ALL_BATCHES, 1, 3, MS_METRIC_TIME)
				    .value;
		/*
		 * only what was requested is handed out, and costs something: 4 threads, or 4
		 * regions and the phase
		 */
		CHECK_INT(database_reading(search.db, DATABASE_ALL_BATCHES, 3, 0, MS_METRIC_TIME)
				  .missing,
			  i ? MS_PRESENT : MS_MISSING_NOT_REQUESTED);
		CHECK_NEAR(cost.tool_ns, 200 * (i ? 17 : 4), 1e-9);
	}
	CHECK_NEAR(values[0], values[1], 0);
	CHECK_THAT(fabs(values[0] - 6e6), <=, 0.02 * 6e6);
	CHECK(values[0] < 6e6 || values[0] > 6e6);
}

TEST(replay__bad_lines_are_refused)
{
	static const struct {
		int line;
		const char *text;
	} rows[] = {
		{ __LINE__, "" },
		{ __LINE__, "memsearch-experiment 2\n" },
		{ __LINE__, "memsearch-experiment 1\nnonsense\n" },
		{ __LINE__, "memsearch-experiment 1\nregion 1 - USER_REGION\n" },
		{ __LINE__, "memsearch-experiment 1\nregion 0 - NO_REGION\n" },
		{ __LINE__, "memsearch-experiment 1\nregion 0 - USER_REGION\nrow 0 0 time 1 1\n" },
		{ __LINE__,
		  "memsearch-experiment 1\nregion 0 - USER_REGION\nexecution 1\nrow 1 0 time 1 1\n" },
		{ __LINE__,
		  "memsearch-experiment 1\nregion 0 - USER_REGION\nexecution 1\nrow 0 3-1 time 1 1\n" },
		{ __LINE__,
		  "memsearch-experiment 1\nregion 0 - USER_REGION\nexecution 1\nrow 0 0 tiem 1 1\n" },
		{ __LINE__,
		  "memsearch-experiment 1\nregion 0 - USER_REGION\nexecution 1\nrow 0 0 time 1 nan\n" },
		{ __LINE__,
		  "memsearch-experiment 1\nregion 0 - USER_REGION\nexecution 1\nrow 0 0 time 1 1 1\n" },
		{ __LINE__, "memsearch-experiment 1\nexecution 0\n" },
		{ __LINE__, "memsearch-experiment 1\nexecution 1 0\n" },
		{ __LINE__, "memsearch-experiment 1\nnoise 1\n" },
		{ __LINE__, "memsearch-experiment 1\ncost clocks 1\n" },
		{ __LINE__, "memsearch-experiment 1\nmissing * time why\n" },
		{ __LINE__, "memsearch-experiment 1\ncounters\n" },
		{ __LINE__, "memsearch-experiment 1\ncounters few\n" },
		{ __LINE__, "memsearch-experiment 1\ncounters 4 time\n" },
		{ __LINE__, "memsearch-experiment 1\ncounters 4 laods\n" },
		{ __LINE__, "memsearch-experiment 1\nconstant cpus many\n" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *arena = arena_new();

		if (replay_parse(arena, "test", rows[i].text))
			test_fail(__FILE__, rows[i].line, "was accepted");
		arena_free(arena);
	}
}

TEST(replay__a_file_that_is_not_there)
{
	struct arena *arena = arena_new();

	scratch_enter();
	CHECK(replay_read(arena, "missing") == NULL);
	arena_free(arena);
}

/* The kind of bottleneck of a program changes with the number of threads: Water of the W3 paper. */
TEST(replay__another_configuration_has_another_verdict)
{
	struct search four = searched("water_4.txt"), sixteen = searched("water_16.txt");
	const struct engine_node *lock = node_of(&sixteen, "LockContention", 3);

	CHECK_INT(node_of(&four, "LockWaiting", 0)->state, MS_NODE_FALSE);
	CHECK_INT(node_of(&four, "ParallelTime", 0)->state, MS_NODE_TRUE);
	CHECK_INT(proven_regions(&four) & 1u << 3, 0);
	CHECK_INT(node_of(&sixteen, "LockWaiting", 0)->state, MS_NODE_TRUE);
	CHECK_INT(lock->state, MS_NODE_TRUE);
	CHECK_NEAR(lock->verdict.severity, 0.24, 0.01);
}
