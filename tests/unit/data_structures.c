/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data structures as regions below the code that uses them: measured, searched and found like any
 * region.
 */
#include "analysis/record/run.h"
#include "analysis/report/finding.h"
#include "analysis/search/database_reading.h"
#include "tests/unit/search.h"

#define LOOP 2
#define PHASE_NS 1e8

static const char properties[] =
	"PROPERTY BusyLoop(Region r, Phase p) { TITLE \"t\"; KINDS DO_REGION; LET share = sum(r.time) / sum(p.time); IN\n"
	"CONDITION: share > 0.1 AND sum(r.reads) > 0; CONFIDENCE: 1; SEVERITY: share; EXPLANATION \"e\"; ADVICE \"a\"; }\n"
	"PROPERTY Strides(Region r, Phase p) { TITLE \"t\"; KINDS DATA_STRUCTURE; REFINES BusyLoop;\n"
	"LET part = sum(r.strided) / max(1, sum(r.reads) + sum(r.writes)); share = sum(parent.time) / sum(p.time); IN\n"
	"CONDITION: part > 0.5; CONFIDENCE: 1; SEVERITY: share * part; EXPLANATION \"e\"; ADVICE \"a\"; }\n";

/*
 * A program of one loop on two threads that walks through array 0 line by line and through array 1
 * with a stride.
 */
struct program {
	struct database *db;
	struct engine *engine;
	/* executions in which accesses, or times, were asked for */
	uint64_t recorded, timed;
};

static bool asks(const struct ms_request *requests, size_t nr, enum ms_sensor_id sensor)
{
	for (size_t i = 0; i < nr; i++)
		if (ms_metric_info(requests[i].metric)->sensor == sensor)
			return true;
	return false;
}

static void use(struct database *db, uint32_t data, uint32_t thread, double reads, double strided)
{
	row(db, data, thread, MS_METRIC_READS, reads);
	row(db, data, thread, MS_METRIC_WRITES, 0);
	row(db, data, thread, MS_METRIC_STRIDED, strided);
}

/* Recording makes the loop ten times slower: a time from such an execution would be wrong. */
static void execution(struct program *program)
{
	const struct ms_request *requests;
	size_t nr = engine_requests(program->engine, &requests);
	bool recorded = asks(requests, nr, MS_SENSOR_ACCESSES),
	     timed = asks(requests, nr, MS_SENSOR_CLOCK);
	struct engine_cost cost = { .executions = 1,
				    .program_ns = PHASE_NS,
				    .tool_ns = recorded ? PHASE_NS : 0 };

	CHECK(!(recorded && timed));
	program->recorded += recorded;
	program->timed += timed;
	for (size_t i = 0; i < MS_SENSORS; i++)
		cost.per_sensor_ns[i] = NAN;
	database_requests(program->db, requests, nr);
	database_execution_begin(program->db);
	if (recorded && database_regions(program->db) == LOOP + 1) {
		region(program->db, 3, LOOP, MS_DATA_STRUCTURE);
		region(program->db, 4, LOOP, MS_DATA_STRUCTURE);
	}
	row(program->db, 0, 0, MS_METRIC_WALL_TIME, PHASE_NS);
	for (uint32_t thread = 0; thread < 2; thread++) {
		row(program->db, 0, thread, MS_METRIC_TIME, PHASE_NS);
		row(program->db, 1, thread, MS_METRIC_TIME, PHASE_NS);
		row(program->db, LOOP, thread, MS_METRIC_TIME,
		    recorded ? 10 * PHASE_NS : 0.5 * PHASE_NS);
		if (!recorded)
			continue;
		row(program->db, LOOP, thread, MS_METRIC_READS, 2000);
		use(program->db, 3, thread, 1000, 0);
		use(program->db, 4, thread, 1000, 1000);
	}
	database_execution_end(program->db, PHASE_NS, 1);
	engine_execution_done(program->engine, &cost);
}

static void refine_all(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven,
		       struct brick_output *out)
{
	refine_both(host, node, proven, out);
	brick_specific_subregion_set(host, node, proven, out);
}

static size_t refine(void *state, const struct ms_host *host, const uint32_t *proven, size_t nr,
		     struct ms_candidate *out, size_t room)
{
	struct brick_output output = { out, 0, room };

	(void)state;
	brick_proven_set(host, proven, nr, refine_all, &output);
	return output.nr;
}

static const struct engine_node *node_of(const struct program *program, uint32_t at)
{
	for (uint32_t id = 0; id < engine_nodes(program->engine); id++)
		if (engine_node(program->engine, id)->candidate.region == at)
			return engine_node(program->engine, id);
	return NULL;
}

TEST(data_structures__are_found_by_the_search)
{
	struct arena *arena = arena_new();
	struct program program = { .db = database_new(arena) };
	struct ms_strategy strategy = strategy_of_bricks;
	struct engine_config config;

	strategy.refine = refine;
	engine_config_init(&config);
	config.overhead_limit = 1; /* of which a fifth is for recording */
	region(program.db, 0, MS_REGION_NONE, MS_USER_REGION);
	region(program.db, 1, 0, MS_PARALLEL_REGION);
	region(program.db, LOOP, 1, MS_DO_REGION);
	program.engine = engine_new(arena, &config, properties_of(arena, properties), program.db,
				    &strategy);
	for (int i = 0; i < 400; i++)
		execution(&program);
	CHECK(program.recorded > 0 && program.timed > 0);
	CHECK_THAT(program.recorded, <=, 4); /* exact: two tell it for good */
	CHECK_INT(node_of(&program, LOOP)->state, MS_NODE_TRUE);
	CHECK_NEAR(node_of(&program, LOOP)->verdict.severity, 0.5, 0.01);
	CHECK_INT(node_of(&program, 3)->state, MS_NODE_FALSE);
	CHECK_INT(node_of(&program, 4)->state, MS_NODE_TRUE);
	CHECK_NEAR(node_of(&program, 4)->verdict.severity, 0.5, 0.01);
	CHECK_INT(node_of(&program, 4)->candidate.parent, node_of(&program, LOOP)->id);
}

/* What waits for its turn to be recorded does not keep the rest from being tested again. */
TEST(data_structures__that_wait_hold_nobody_up)
{
	struct arena *arena = arena_new();
	struct program program = { .db = database_new(arena) };
	const char *busy =
		"PROPERTY Busy(Region r, Phase p) { TITLE \"t\"; KINDS PARALLEL_REGION; LET share = sum(r.time) / sum(p.time); IN\n"
		"CONDITION: share > 0.1; CONFIDENCE: 1; SEVERITY: share; EXPLANATION \"e\"; ADVICE \"a\"; }\n";
	struct engine_config config;
	uint64_t early;

	engine_config_init(&config);
	/* recording a quarter of the loop would cost more than can be earned */
	config.overhead_limit = 0.0005;
	region(program.db, 0, MS_REGION_NONE, MS_USER_REGION);
	region(program.db, 1, 0, MS_PARALLEL_REGION);
	region(program.db, LOOP, 1, MS_DO_REGION);
	program.engine = engine_new(
		arena, &config, properties_of(arena, arena_printf(arena, "%s%s", properties, busy)),
		program.db, &strategy_of_bricks);
	for (int i = 0; i < 200; i++)
		execution(&program);
	early = program.timed;
	for (int i = 0; i < 200; i++)
		execution(&program);
	CHECK_INT(program.recorded, 0);
	CHECK_INT(node_of(&program, LOOP)->state, MS_NODE_PENDING);
	CHECK_THAT(program.timed, >=, early + 10);
}

/* ------------------------------------------------------------------ natural loops */

enum { OUTER_LOOP = LOOP + 1, HEAVY, LIGHT, IN_CONSTRUCT, IN_HEAVY, IN_LIGHT, REGIONS };

/* A construct with a loop that holds two, of which one makes 96 % of all accesses. */
static void loops_execution(struct program *program)
{
	const struct {
		uint32_t region, parent;
		enum ms_region_kind kind;
		double reads;
	} rows[] = {
		{ OUTER_LOOP, LOOP, MS_LOOP_REGION, 1000 },
		{ HEAVY, OUTER_LOOP, MS_LOOP_REGION, 960 },
		{ LIGHT, OUTER_LOOP, MS_LOOP_REGION, 40 },
		{ IN_CONSTRUCT, LOOP, MS_DATA_STRUCTURE, 960 },
		{ IN_HEAVY, HEAVY, MS_DATA_STRUCTURE, 960 },
		{ IN_LIGHT, LIGHT, MS_DATA_STRUCTURE, 40 },
	};
	const struct ms_request *requests;
	size_t nr = engine_requests(program->engine, &requests);
	bool recorded = asks(requests, nr, MS_SENSOR_ACCESSES);
	struct engine_cost cost = { .executions = 1,
				    .program_ns = PHASE_NS,
				    .tool_ns = recorded ? PHASE_NS : 0 };

	program->recorded += recorded;
	for (size_t i = 0; i < nr; i++)
		/* a part of a construct cannot be asked, the construct can */
		CHECK_THAT(requests[i].region, <=, LOOP);
	for (size_t i = 0; i < MS_SENSORS; i++)
		cost.per_sensor_ns[i] = NAN;
	database_requests(program->db, requests, nr);
	database_execution_begin(program->db);
	for (size_t i = 0; recorded && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (database_regions(program->db) == rows[i].region)
			region(program->db, rows[i].region, rows[i].parent, rows[i].kind);
	row(program->db, 0, 0, MS_METRIC_WALL_TIME, PHASE_NS);
	for (uint32_t thread = 0; thread < 2; thread++) {
		for (uint32_t at = 0; at <= LOOP; at++)
			row(program->db, at, thread, MS_METRIC_TIME, PHASE_NS);
		if (!recorded)
			continue;
		use(program->db, LOOP, thread, 1000, 0);
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			use(program->db, rows[i].region, thread, rows[i].reads, rows[i].reads);
	}
	database_execution_end(program->db, PHASE_NS, 1);
	engine_execution_done(program->engine, &cost);
}

static const char loop_properties[] =
	"PROPERTY Recorded(Region r, Phase p) { TITLE \"t\"; KINDS DO_REGION, LOOP_REGION;\n"
	"LET share = sum(construct.time) / sum(p.time) * sum(r.reads) / max(1, sum(construct.reads)); IN\n"
	"CONDITION: share > 0.05; CONFIDENCE: 1; SEVERITY: 0; EXPLANATION \"e\"; ADVICE \"a\"; }\n"
	"PROPERTY Strides(Region r, Phase p) { TITLE \"t\"; KINDS DATA_STRUCTURE; REFINES Recorded;\n"
	"LET part = sum(r.strided) / max(1, sum(r.reads)); share = sum(construct.time) / sum(p.time); IN\n"
	"CONDITION: part > 0.5; CONFIDENCE: 1; SEVERITY: share * part; EXPLANATION \"e\"; ADVICE \"a\"; }\n";

typedef size_t refining(void *state, const struct ms_host *host, const uint32_t *proven, size_t nr,
			struct ms_candidate *out, size_t room);

/*
 * Searched for 400 executions of that construct, some of them recorded, by a strategy that refines
 * so.
 */
static struct program run_loops(const char *text, refining *refine_by)
{
	struct arena *arena = arena_new();
	struct program program = { .db = database_new(arena) };
	struct ms_strategy strategy = strategy_of_bricks;
	struct engine_config config;

	strategy.refine = refine_by;
	engine_config_init(&config);
	config.overhead_limit = 1;
	region(program.db, 0, MS_REGION_NONE, MS_USER_REGION);
	region(program.db, 1, 0, MS_PARALLEL_REGION);
	region(program.db, LOOP, 1, MS_DO_REGION);
	program.engine = engine_new(arena, &config, properties_of(arena, text), program.db,
				    &strategy);
	for (int i = 0; i < 400; i++)
		loops_execution(&program);
	CHECK_THAT(program.recorded, >, 0);
	return program;
}

/* Construct, loop, the loop that does the work, array; not below the loop that does little. */
TEST(data_structures__are_found_loop_by_loop)
{
	struct program program = run_loops(loop_properties, refine);

	CHECK_INT(database_regions(program.db), REGIONS);
	CHECK_INT(node_of(&program, OUTER_LOOP)->state, MS_NODE_TRUE);
	CHECK_INT(node_of(&program, OUTER_LOOP)->candidate.parent, node_of(&program, LOOP)->id);
	CHECK_INT(node_of(&program, HEAVY)->state, MS_NODE_TRUE);
	CHECK_INT(node_of(&program, HEAVY)->candidate.parent, node_of(&program, OUTER_LOOP)->id);
	CHECK_INT(node_of(&program, LIGHT)->state, MS_NODE_FALSE);
	CHECK(!node_of(&program, IN_LIGHT));
	CHECK_INT(node_of(&program, IN_HEAVY)->state, MS_NODE_TRUE);
	CHECK_INT(node_of(&program, IN_HEAVY)->candidate.parent, node_of(&program, HEAVY)->id);
	CHECK_INT(node_of(&program, IN_CONSTRUCT)->state, MS_NODE_TRUE);
}

static const char gated_properties[] =
	"PROPERTY Timed(Region r, Phase p) { TITLE \"t\"; KINDS DO_REGION, LOOP_REGION; LET share = sum(r.time) / sum(p.time); IN\n"
	"CONDITION: share > 0.1; CONFIDENCE: 1; SEVERITY: share; EXPLANATION \"e\"; ADVICE \"a\"; }\n"
	"PROPERTY Recorded(Region r, Phase p) { TITLE \"t\"; KINDS DO_REGION, LOOP_REGION;\n"
	"CONDITION: sum(r.reads) > 100; CONFIDENCE: 1; SEVERITY: 0; EXPLANATION \"e\"; ADVICE \"a\"; }\n"
	"PROPERTY Strides(Region r, Phase p) { TITLE \"t\"; KINDS DATA_STRUCTURE; REFINES Recorded; REQUIRES Timed;\n"
	"LET part = sum(r.strided) / max(1, sum(r.reads)); IN\n"
	"CONDITION: part > 0.5; CONFIDENCE: 1; SEVERITY: part; EXPLANATION \"e\"; ADVICE \"a\"; }\n";

static size_t proposed; /* loops to property 0 */

static size_t refine_counted(void *state, const struct ms_host *host, const uint32_t *proven,
			     size_t nr, struct ms_candidate *out, size_t room)
{
	size_t candidates = refine(state, host, proven, nr, out, room);
	struct ms_region_info region;

	for (size_t i = 0; i < candidates && i < room; i++)
		proposed += !out[i].property &&
			    host->region_info(host->ctx, out[i].region, &region) &&
			    region.kind == MS_LOOP_REGION;
	return candidates;
}

/*
 * What loops have no values for is asked of their construct: it is neither proposed of loops nor
 * waited for there.
 */
TEST(data_structures__times_are_asked_of_the_construct)
{
	struct program program = run_loops(gated_properties, refine_counted);

	CHECK_INT(node_of(&program, HEAVY)->state, MS_NODE_TRUE);
	CHECK(node_of(&program, IN_HEAVY));
	CHECK_INT(node_of(&program, IN_HEAVY)->state, MS_NODE_TRUE);
	CHECK_INT(proposed, 0);
}

/* No clock runs in a loop: not 0, and not unasked either. */
TEST(data_structures__loops_have_no_time)
{
	struct arena *arena = arena_new();
	struct database *db = database_new(arena);
	struct ms_request request = { .metric = MS_METRIC_TIME,
				      .region = 0,
				      .thread = MS_REQUEST_ALL_THREADS,
				      .flags = MS_REQUEST_SUBREGIONS };

	region(db, 0, MS_REGION_NONE, MS_USER_REGION);
	region(db, 1, 0, MS_PARALLEL_REGION);
	region(db, 2, 1, MS_LOOP_REGION);
	database_requests(db, &request, 1);
	database_execution_begin(db);
	row(db, 1, 0, MS_METRIC_TIME, PHASE_NS);
	row(db, 2, 0, MS_METRIC_READS, 1);
	database_execution_end(db, PHASE_NS, 1);
	CHECK_INT(database_reading(db, DATABASE_ALL_BATCHES, 1, 0, MS_METRIC_TIME).missing,
		  MS_PRESENT);
	CHECK_INT(database_reading(db, DATABASE_ALL_BATCHES, 2, 0, MS_METRIC_TIME).missing,
		  MS_MISSING_IN_LOOP);
	CHECK_INT(database_missing_why(db, 2, MS_METRIC_SAMPLES), MS_MISSING_IN_LOOP);
	CHECK_INT(database_missing_why(db, 2, MS_METRIC_READS), MS_PRESENT);
}

TEST(data_structures__have_a_name_and_the_place_of_their_region)
{
	struct run_array arrays[] = { { .id = 0, .kind = "static", .name = "unew" },
				      { .id = 1,
					.kind = "heap",
					.name = "",
					.site_source = { .file = "k.c", .line = 12 } } };
	struct run_region regions[] = {
		{ .id = 0, .parent = MS_REGION_NONE, .kind = MS_USER_REGION },
		{ .id = 1,
		  .parent = 0,
		  .kind = MS_DO_REGION,
		  .source = { .function = "calc2", .file = "swim.c", .line = 354 } },
		{ .id = 2, .parent = 1, .kind = MS_DATA_STRUCTURE, .construct = { UINT32_MAX, 1 } },
		{ .id = 3, .parent = 1, .kind = MS_DATA_STRUCTURE, .construct = { UINT32_MAX, 2 } },
		{ .id = 4, .parent = 1, .kind = MS_DATA_STRUCTURE, .construct = { UINT32_MAX, 9 } },
		{ .id = 5,
		  .parent = 1,
		  .kind = MS_LOOP_REGION,
		  .source = { .function = "calc2", .file = "swim.c", .line = 356 } },
		{ .id = 6,
		  .parent = 5,
		  .kind = MS_LOOP_REGION,
		  .source = { .function = "sum",
			      .file = "sum.h",
			      .line = 8,
			      .approximate = true } },
		{ .id = 7, .parent = 6, .kind = MS_DATA_STRUCTURE, .construct = { UINT32_MAX, 1 } },
		{ .id = 8,
		  .parent = 1,
		  .kind = MS_LOOP_REGION,
		  .source = { .function = "calc2", .file = "", .offset = 0x12, .module = "swim" } },
	};
	struct run run = { .regions = regions,
			   .nr_regions = sizeof(regions) / sizeof(regions[0]),
			   .arrays = arrays,
			   .nr_arrays = 2 };
	struct run_node node = { .region = 2 };
	struct arena *arena = arena_new();

	CHECK_THAT(finding_region(&run, &node), ==, &regions[1]);
	CHECK_THAT(finding_array(&run, 2), ==, &arrays[0]);
	CHECK(!finding_array(&run, 1) && !finding_array(&run, 4) && !finding_array(&run, 99));
	CHECK_STR(finding_place(arena, &run, 2), "unew in the loop in calc2 (swim.c:354)");
	CHECK_STR(finding_place(arena, &run, 3), "k.c:12 in the loop in calc2 (swim.c:354)");
	CHECK_STR(finding_place(arena, &run, 4),
		  "a data structure without a name in the loop in calc2 (swim.c:354)");
	CHECK_STR(finding_place(arena, &run, 5),
		  "loop at swim.c:356 in calc2, in the loop in calc2 (swim.c:354)");
	CHECK_STR(finding_place(arena, &run, 7),
		  "unew in the loop near sum.h:8 in sum, in the loop in calc2 (swim.c:354)");
	CHECK_STR(finding_place(arena, &run, 8),
		  "loop in calc2 (0x12 of swim), in the loop in calc2 (swim.c:354)");
	CHECK(finding_construct(&run, &regions[7]) == &regions[1] &&
	      finding_construct(&run, &regions[1]) == &regions[1]);
}
