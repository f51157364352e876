/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The strategy data_structure_refine over replayed measurements: what it asks, and in which order.
 */
#include "tests/unit/strategy_program.h"

/*
 * Slow is what is refined. Data and Page are about data structures; Lock about what Slow does not
 * apply to; More is a more specific property of loops, which this strategy leaves alone; Other has
 * nothing to do with data.
 */
#define PROPERTIES \
	WAITS("Slow", "KINDS USER_REGION, PARALLEL_REGION, DO_REGION, SUB_REGION;", \
	      "share > 10 %") \
	USED("Data", "KINDS DATA_STRUCTURE; REFINES Slow;") \
	USED("Page", "KINDS DATA_STRUCTURE; REFINES Data;") \
	WAITS("Lock", "KINDS LOCK_REGION; REFINES Slow;", "share > 1 %") \
	WAITS("More", "KINDS DO_REGION; REFINES Slow;", "share > 1 %") \
	WAITS("Other", "KINDS USER_REGION, DO_REGION;", "share > 10 %")

/*
 * Slow at the phase has no data structures of its own on the way to where Slow applies again, so 1,
 * 8 and 11 follow. 1 and 11 have none either: 1 goes on with 2; in 11 there is nothing but calls. 2
 * has data structures: 3 and 4; once they have their answers the regions inside, 6 and the lock.
 * Functions 13 and 16 come from the calls of 11.
 */
TEST(data_structure_refine__the_order_computed_by_hand)
{
	struct arena *arena = arena_new();
	struct search search = replayed(arena, replay_parse(arena, "test", program(arena)),
					properties_of(arena, PROPERTIES), "data_structure_refine");

	CHECK_STR(history(&search, "Slow"),
		  "Slow@0+ Slow@1+ Slow@8- Slow@11+ Slow@2+ Slow@13+ Slow@16- Slow@6+");
	CHECK_STR(history(&search, "Data"), "Data@3+ Data@4- Data@14+ Data@7+");
	CHECK_STR(history(&search, "Lock"), "Lock@5+");
	/* what is proven of a data structure is final */
	CHECK_STR(history(&search, "Page"), "");
	CHECK_STR(history(&search, "More"), ""); /* why is property_refine's */
	CHECK_STR(history(&search, "Other"), "Other@0+ Other@2+ Other@9- Other@6+");
}

/* ------------------------------------------------------------------ what it costs to ask again */

static const struct ms_strategy *counted;
static const struct ms_host *engine_host;
static void *counted_state;
static size_t steps; /* from region to region */

static void *init_counted(const struct ms_host *host)
{
	engine_host = host;
	counted_state = counted->init ? counted->init(host) : NULL;
	return counted_state;
}

static uint32_t first_child(void *ctx, uint32_t region)
{
	steps++;
	return engine_host->region_first_child(ctx, region);
}

static size_t refine_nothing(const struct ms_host *host)
{
	struct ms_candidate items[16];

	steps = 0;
	return counted->refine(counted_state, host, NULL, 0, items, 16);
}

/* Where nothing is left to ask nobody looks through the regions again, until there are more. */
TEST(data_structure_refine__what_is_settled_is_not_looked_at_again)
{
	struct arena *arena = arena_new();
	struct search search = { .arena = arena,
				 .db = database_new(arena),
				 .set = properties_of(arena, PROPERTIES) };
	struct replay *replay = replay_parse(arena, "test", program(arena));
	struct ms_strategy strategy;
	struct engine_config config;
	struct ms_host host;

	counted = shipped_strategy(arena, "data_structure_refine");
	strategy = *counted;
	strategy.init = init_counted;
	engine_config_init(&config);
	config.overhead_limit = 1;
	replay_prepare(replay, search.db);
	search.engine = engine_new(arena, &config, search.set, search.db, &strategy);
	CHECK(engine_host != NULL);
	replay_run(replay, search.engine, search.db);
	CHECK_STR(history(&search, "Data"), "Data@3+ Data@4- Data@14+ Data@7+");
	host = *engine_host;
	host.region_first_child = first_child;
	CHECK_INT(refine_nothing(&host), 0);
	CHECK_THAT(steps, >, 0); /* another host: all begins anew */
	CHECK_INT(refine_nothing(&host), 0);
	CHECK_INT(steps, 0);
}

/*
 * Between the data structures of 2 and what is inside lies a step: first the former are answered.
 */
TEST(data_structure_refine__data_before_regions_inside)
{
	struct arena *arena = arena_new();
	struct search search = replayed(arena, replay_parse(arena, "test", program(arena)),
					properties_of(arena, PROPERTIES), "data_structure_refine");
	uint32_t at[NR_REGIONS] = { 0 };

	for (uint32_t id = 0; id < engine_nodes(search.engine); id++)
		if (strcmp(property_name(search.set->properties[engine_node(search.engine, id)
									->candidate.property]),
			   "Other"))
			at[engine_node(search.engine, id)->candidate.region] = id;
	CHECK(at[3] && at[3] < at[6] && at[4] < at[6] && at[4] < at[5] && at[14] > at[13]);
	CHECK_THAT(at[7], >, at[6]);
}

/*
 * The same arrays as property_refine finds, with fewer questions; what it finds is what the file's
 * first lines say.
 */
TEST(data_structure_refine__the_same_arrays)
{
	struct arena *arena = arena_new();
	struct property_set *set = property_set_load(arena, "properties", NULL);
	struct search by_data = replayed(arena, replay_read(arena, "tests/experiments/arrays.txt"),
					 set, "data_structure_refine");
	struct search by_property = replayed(
		arena, replay_read(arena, "tests/experiments/arrays.txt"), set, "property_refine");

	CHECK_STR(
		history(&by_data, "RecordedAccesses"),
		"RecordedAccesses@1+ RecordedAccesses@3+ RecordedAccesses@4+ RecordedAccesses@2+");
	CHECK_STR(history(&by_data, "StridedAccess"),
		  "StridedAccess@7- StridedAccess@8- StridedAccess@5+ StridedAccess@6-");
	CHECK_STR(
		history(&by_data, "ArrayAccessImbalance"),
		"ArrayAccessImbalance@7+ ArrayAccessImbalance@8- ArrayAccessImbalance@5- ArrayAccessImbalance@6-");
	CHECK_STR(history(&by_data, "StridedAccess"), history(&by_property, "StridedAccess"));
	CHECK_STR(history(&by_data, "ArrayAccessImbalance"),
		  history(&by_property, "ArrayAccessImbalance"));
	CHECK_THAT(engine_nodes(by_data.engine), <=, engine_nodes(by_property.engine));
}

/*
 * Samples are asked of a construct, and tell of the data structures in it: either strategy gets to
 * the array that waits.
 */
TEST(data_structure_refine__samples_lead_to_the_array)
{
	static const char *const strategies[] = { "property_refine", "data_structure_refine" };
	struct arena *arena = arena_new();
	struct property_set *set = property_set_load(arena, "properties", NULL);

	for (size_t i = 0; i < 2; i++) {
		struct search search = replayed(arena,
						replay_read(arena, "tests/experiments/sampled.txt"),
						set, strategies[i]);

		CHECK_STR(history(&search, "SampledWaits"), "SampledWaits@0+");
		CHECK_STR(history(&search, "SampledWaitsHere"),
			  "SampledWaitsHere@1+ SampledWaitsHere@2-");
		CHECK_STR(history(&search, "SampledDataMisses"),
			  "SampledDataMisses@3+ SampledDataMisses@4-");
		/* what is proven of data is final */
		CHECK_STR(history(&search, "SampledRemoteData"), i ? "" : "SampledRemoteData@3+");
	}
}
