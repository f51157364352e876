/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Causes: which remedy strides, kinds of misses and line use choose, what becomes one cause, and
 * the order.
 */
#include "analysis/report/cause.h"

#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/report/report.h"
#include "analysis/report/text.h"
#include "memsearch/host.h"
#include "tests/unit/json_value.h"
#include "tests/unit/test.h"

/*
 * A parallel region with a loop over j at k.c:10 and one over i at k.c:12, which accesses two
 * arrays; a second loop at k.c:30.
 */
enum { PHASE, TEAM, OUTER, INNER, OTHER, DATA_A, DATA_B, DATA_OTHER, REGIONS };

struct made {
	struct run run;
	struct run_region regions[REGIONS + 1]; /* one more for a test's own */
	struct run_array arrays[2];
	struct run_access accesses[4];
	struct run_node nodes[16];
	struct run_measurement measurements[64];
};

static void add_region(struct made *made, uint32_t id, enum ms_region_kind kind, uint32_t parent,
		       int line)
{
	made->regions[id] = (struct run_region){
		.id = id,
		.kind = kind,
		.parent = parent,
		.resolved = true,
		.executions = 1,
		.construct = { UINT32_MAX, 0 },
		.source = { .function = line < 30 ? "sum" : "other", .file = "k.c", .line = line }
	};
}

static void add_data(struct made *made, uint32_t id, uint32_t parent, uint32_t array)
{
	add_region(made, id, MS_DATA_STRUCTURE, parent, 0);
	made->regions[id].construct.offset = array + 1;
}

static void measure(struct made *made, uint32_t region, enum ms_metric metric, double value)
{
	struct run_measurement *row = &made->measurements[made->run.nr_measurements++];

	*row = (struct run_measurement){ .row = { .region = region, .metric = metric },
					 .phases = 1,
					 .observed_ns = 1e6 };
	ms_stat_estimate(&row->row.stat, value, 0);
}

static void find(struct made *made, const char *property, uint32_t region, double low, double high,
		 enum ms_rung rung)
{
	uint32_t id = (uint32_t)made->run.nr_nodes++;

	made->nodes[id] = (struct run_node){ .id = id,
					     .parent = MS_NODE_NONE,
					     .state = MS_NODE_TRUE,
					     .property = property,
					     .region = region,
					     .thread = MS_REQUEST_ALL_THREADS,
					     .confidence = 1,
					     .severity = low,
					     .severity_low = low,
					     .severity_high = high,
					     .rung = rung,
					     .experiments = 1,
					     .severity_of_model = high > low,
					     .interval_known = true,
					     .title = property,
					     .advice = "Change it.",
					     .explanation = "So it is." };
}

static void access_array(struct made *made, uint32_t array, uint32_t region, uint32_t loop,
			 double stride, double with_stride)
{
	made->accesses[made->run.nr_accesses++] = (struct run_access){
		.array = array,
		.region = region,
		.loop = loop,
		.bytes = 8,
		.reads = 1000,
		.executions = 1,
		.threads = 1,
		.stride = stride,
		.with_stride = with_stride,
		.source = { .function = "sum", .file = "k.c", .line = 13 }
	};
}

static struct made *make(void)
{
	struct made *made = calloc(1, sizeof(*made));
	struct run *run = &made->run;

	CHECK(made != NULL);
	test_at_end(free, made);
	add_region(made, PHASE, MS_USER_REGION, MS_REGION_NONE, 0);
	add_region(made, TEAM, MS_PARALLEL_REGION, PHASE, 10);
	add_region(made, OUTER, MS_DO_REGION, TEAM, 10);
	add_region(made, INNER, MS_LOOP_REGION, OUTER, 12);
	add_region(made, OTHER, MS_DO_REGION, TEAM, 30);
	add_data(made, DATA_A, INNER, 0);
	add_data(made, DATA_B, INNER, 1);
	add_data(made, DATA_OTHER, OTHER, 1);
	made->arrays[0] = (struct run_array){ .id = 0,
					      .kind = "heap",
					      .name = "a",
					      .type = "double",
					      .shape = "",
					      .file = "k.c",
					      .line = 3,
					      .bytes = 8000,
					      .module = "" };
	made->arrays[1] = (struct run_array){ .id = 1,
					      .kind = "heap",
					      .name = "b",
					      .type = "double",
					      .shape = "",
					      .file = "k.c",
					      .line = 4,
					      .bytes = 8000,
					      .module = "" };
	*run = (struct run){ .program = "k",
			     .threads = 1,
			     .complete = true,
			     .regions = made->regions,
			     .nr_regions = REGIONS,
			     .arrays = made->arrays,
			     .nr_arrays = 2,
			     .accesses = made->accesses,
			     .nodes = made->nodes,
			     .measurements = made->measurements };
	run->modelled.name = "host";
	run->modelled.here = true;
	measure(made, OUTER, MS_METRIC_TIME, 0.8e6);
	measure(made, OTHER, MS_METRIC_TIME, 0.1e6);
	return made;
}

static const struct cause *only(struct arena *arena, struct made *made)
{
	const struct cause *causes;

	CHECK_INT(causes_of(arena, &made->run, false, &causes), 1);
	return causes;
}

/* Words that the construct's own threads share, or that came from other constructs. */
TEST(cause__shared_here_or_exchanged)
{
	static const struct {
		double bytes;
		int same; /* lines; -1: not compared */
		enum cause_kind kind;
	} rows[] = {
		{ 8000, -1, CAUSE_TRUE_SHARING },    /* each line is taken seven times */
		{ 640000, -1, CAUSE_COMMUNICATION }, /* each at most once */
		{ 8000, 0, CAUSE_COMMUNICATION },    /* none is shared within the construct */
		{ 8000, 5, CAUSE_TRUE_SHARING },     /* few are, which are taken often */
		{ 640000, 5, CAUSE_COMMUNICATION },  /* a border */
		{ 640000, 500, CAUSE_TRUE_SHARING },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		struct run_sharing sharing = { .region = run_construct(&made->run, DATA_A),
					       .executions = 2,
					       .same_lines = 2 * (uint64_t)rows[i].same };

		made->arrays[0].bytes = (uint64_t)rows[i].bytes;
		made->run.sharings = &sharing;
		made->run.nr_sharings = rows[i].same >= 0;
		access_array(made, 0, OUTER, INNER, 8, 1);
		measure(made, DATA_A, MS_METRIC_READS, 1000);
		measure(made, DATA_A, MS_METRIC_WRITES, 1000);
		measure(made, DATA_A, MS_METRIC_SIM_LOADS, 1000);
		measure(made, DATA_A, MS_METRIC_SIM_CAPACITY, 100);
		measure(made, DATA_A, MS_METRIC_SIM_TRUE_SHARING, 900);
		find(made, "TrueSharing", DATA_A, 0.2, 0.6, MS_RUNG_SIMULATED);
		if (only(arena, made)->kind != rows[i].kind)
			test_fail(__FILE__, __LINE__, "row %zu", i);
		arena_free(arena);
	}
}

/*
 * Bytes in one word of the simulator: threads that write their own race for nothing. Those that are
 * written in another loop, of which each line is taken once, are exchanged.
 */
TEST(cause__values_smaller_than_words)
{
	for (uint32_t i = 0; i < 8; i++) {
		uint32_t bytes = i % 4 + 1;
		bool once = i / 4;
		struct arena *arena = arena_new();
		struct made *made = make();
		const struct cause *cause;
		bool small = bytes < 4;
		enum cause_kind kind = once    ? CAUSE_COMMUNICATION
				       : small ? CAUSE_FALSE_SHARING
					       : CAUSE_TRUE_SHARING;

		made->arrays[0].bytes = once ? 640000 : 8000;
		access_array(made, 0, OUTER, INNER, bytes, 1);
		made->accesses[0].bytes = bytes;
		measure(made, DATA_A, MS_METRIC_READS, 1000);
		measure(made, DATA_A, MS_METRIC_WRITES, 1000);
		measure(made, DATA_A, MS_METRIC_SIM_LOADS, 1000);
		measure(made, DATA_A, MS_METRIC_SIM_CAPACITY, 100);
		measure(made, DATA_A, MS_METRIC_SIM_TRUE_SHARING, 900);
		find(made, "TrueSharing", DATA_A, 0.2, 0.6, MS_RUNG_SIMULATED);
		cause = only(arena, made);
		CHECK_INT(cause->kind, kind);
		CHECK_INT(strstr(cause_remedy(arena, &made->run, cause), "race") != NULL,
			  kind == CAUSE_TRUE_SHARING);
		arena_free(arena);
	}
}

/* Whether the schema has the action of a remedy. */
static bool is_documented(struct arena *arena, const char *action)
{
	const char *schema = json_read_file(
		"analysis/report/schema/memsearch-report-1.schema.json");

	return strstr(schema, arena_printf(arena, "\"%s\"", action)) != NULL;
}

/* What the facts of one array decide. */
TEST(cause__kinds)
{
	static const struct {
		int line;
		const char *property;
		double stride, with_stride, bytes;
		double conflict, truly, falsely, used;
		bool beside;
		enum cause_kind kind;
	} rows[] = {
		{ __LINE__, "StridedAccess", 8000, 1, 8000, 0, 0, 0, 1, false, CAUSE_LOOP_ORDER },
		{ __LINE__, "StridedAccess", 8000, 1, 8000, 0, 0, 0, 1, true, CAUSE_TRANSPOSITION },
		{ __LINE__, "StridedAccess", 64, 1, 64000, 0, 0, 0, 0.125, false, CAUSE_LAYOUT },
		{ __LINE__, "ConflictMisses", 8192, 1, 8000, 0.9, 0, 0, 1, false, CAUSE_CONFLICTS },
		{ __LINE__, "FalseSharing", 0, 1, 8000, 0, 0, 0.9, 1, false, CAUSE_FALSE_SHARING },
		{ __LINE__, "FalseSharing", 0, 1, 8000, 0, 0.3, 0.6, 1, false, CAUSE_TRUE_SHARING },
		{ __LINE__, "TrueSharing", 0, 1, 8000, 0, 0.9, 0, 1, false, CAUSE_TRUE_SHARING },
		/* the loop only reads it */
		{ __LINE__, "TrueSharing", 8, 0, 8000, 0, 0.9, 0, 1, false, CAUSE_COMMUNICATION },
		{ __LINE__, "CapacityMisses", 8, 1, 8000, 0, 0, 0, 1, false, CAUSE_BANDWIDTH },
		{ __LINE__, "DataMisses", 0, 0, 8000, 0, 0, 0, 0.2, false, CAUSE_IRREGULAR },
		{ __LINE__, "RemoteStallShare", 8, 1, 8000, 0, 0, 0, 1, false,
		  CAUSE_REMOTE_MEMORY },
		{ __LINE__, "SharedReadOnlyHot", 8, 1, 8000, 0, 0, 0, 1, false,
		  CAUSE_SHARED_READ_ONLY },
		{ __LINE__, "HugePageFalseSharing", 8, 1, 8000, 0, 0, 0, 1, false,
		  CAUSE_HUGE_PAGES },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		const struct cause *cause;

		made->arrays[0].bytes = (uint64_t)rows[i].bytes;
		access_array(made, 0, OUTER, INNER, rows[i].stride, rows[i].with_stride);
		if (rows[i].beside)
			access_array(made, 1, OUTER, INNER, 8, 1);
		measure(made, DATA_A, MS_METRIC_READS, 1000);
		measure(made, DATA_A, MS_METRIC_WRITES,
			rows[i].kind == CAUSE_COMMUNICATION ? 0 : 10);
		measure(made, DATA_A, MS_METRIC_STRIDED, rows[i].stride >= 64 ? 1000 : 0);
		measure(made, DATA_A, MS_METRIC_SIM_LOADS, 1000);
		measure(made, DATA_A, MS_METRIC_SIM_L1D_MISSES, 1000);
		measure(made, DATA_A, MS_METRIC_SIM_CAPACITY,
			1000 * (1 - rows[i].conflict - rows[i].truly - rows[i].falsely));
		measure(made, DATA_A, MS_METRIC_SIM_CONFLICT, 1000 * rows[i].conflict);
		measure(made, DATA_A, MS_METRIC_SIM_TRUE_SHARING, 1000 * rows[i].truly);
		measure(made, DATA_A, MS_METRIC_SIM_FALSE_SHARING, 1000 * rows[i].falsely);
		measure(made, DATA_A, MS_METRIC_SIM_FETCHED_BYTES, 64000);
		measure(made, DATA_A, MS_METRIC_SIM_USED_BYTES, 64000 * rows[i].used);
		measure(made, DATA_A, MS_METRIC_SIM_DRAM_LOCAL, 1000);
		find(made, rows[i].property, DATA_A, 0.2, 0.6, MS_RUNG_SIMULATED);
		cause = only(arena, made);
		if (cause->kind != rows[i].kind)
			test_fail(__FILE__, rows[i].line, "%s for %s", cause_name(cause->kind),
				  cause_name(rows[i].kind));
		CHECK(cause_remedy(arena, &made->run, cause) &&
		      *cause_remedy(arena, &made->run, cause));
		CHECK(is_documented(arena, cause_remedy_of(arena, &made->run, cause).action));
		CHECK(cause_why(arena, &made->run, cause) && *cause_why(arena, &made->run, cause));
		CHECK_INT(cause_line(&made->run, cause)->line, 13);
	}
}

/* A table that is only read, whose lines others write in the same loop, or once in another one. */
TEST(cause__beside_what_others_write)
{
	for (int is_small = 0; is_small < 2; is_small++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		const struct cause *cause;

		made->arrays[0].bytes = is_small ? 16 : 80000;
		access_array(made, 0, OUTER, INNER, 0, 1);
		measure(made, DATA_A, MS_METRIC_READS, 1000);
		measure(made, DATA_A, MS_METRIC_WRITES, 0);
		measure(made, DATA_A, MS_METRIC_SIM_LOADS, 1000);
		measure(made, DATA_A, MS_METRIC_SIM_L1D_MISSES, 200);
		measure(made, DATA_A, MS_METRIC_SIM_TRUE_SHARING, 0);
		measure(made, DATA_A, MS_METRIC_SIM_FALSE_SHARING, 200);
		find(made, "FalseSharing", DATA_A, 0.2, 0.6, MS_RUNG_SIMULATED);
		cause = only(arena, made);
		CHECK_INT(cause->kind, is_small ? CAUSE_FALSE_SHARING : CAUSE_COMMUNICATION);
		CHECK(!is_small || strstr(cause_remedy(arena, &made->run, cause), "beside it"));
		CHECK(!is_small || strstr(cause_why(arena, &made->run, cause), "other data"));
		arena_free(arena);
	}
}

/* Rows of which all bytes are used, and the few distances of a hash that leave out most of them. */
TEST(cause__rows_are_not_irregular)
{
	static const struct {
		double regular, used;
		bool irregular;
	} rows[] = { { 1, 0.99, false }, { 1, 0.12, true }, { 0, 0.99, true } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct made *made = make();
		struct array_facts facts = { .reads = 1000,
					     .fetched = 100,
					     .used = 100 * rows[i].used };
		struct array_pattern pattern;

		access_array(made, 0, OUTER, INNER, 256, 0.4);
		made->accesses[0].regular = rows[i].regular;
		pattern = array_pattern_of(&made->run, 0, OUTER, &facts);
		CHECK_NEAR(pattern.irregular, rows[i].irregular ? 0.6 : 0, 1e-9);
	}
}

/* Misses of all kinds may cost more: the remedy is still the one for several nodes. */
TEST(cause__remedies_for_nodes_are_those_of_the_property)
{
	static const char *const properties[] = { "SharedReadOnlyHot", "HugePageFalseSharing",
						  "RemoteStallShare", "MisplacedBlocks" };

	for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		const struct cause *cause;

		access_array(made, 0, OUTER, INNER, 8, 1);
		find(made, "DataMisses", DATA_A, 0.5, 0.6, MS_RUNG_SIMULATED);
		find(made, properties[i], DATA_A, 0.1, 0.3, MS_RUNG_SIMULATED);
		made->nodes[1].advice = "Keep copies.";
		made->nodes[1].explanation = "Nodes share it.";
		/* and about the region as a whole: evidence of the same cause */
		find(made, "ControllerImbalance", OUTER, 0.1, 0.2, MS_RUNG_SIMULATED);
		cause = only(arena, made);
		CHECK_INT(cause->nr_nodes, 3);
		CHECK_STR(cause->worst->property, "DataMisses");
		CHECK_STR(cause_remedy(arena, &made->run, cause), "Keep copies.");
		CHECK_STR(cause_why(arena, &made->run, cause), "Nodes share it.");
		arena_free(arena);
	}
}

/* A third of the accesses is along the wrong index; it matters where it has the stalls. */
TEST(cause__strided_where_the_stalls_are)
{
	for (int has_stalls = 0; has_stalls < 2; has_stalls++) {
		struct arena *arena = arena_new();
		struct made *made = make();

		access_array(made, 0, OUTER, INNER, 8000, 1);
		access_array(made, 0, OUTER, INNER, 8, 1);
		access_array(made, 0, OUTER, INNER, 0, 1);
		made->accesses[has_stalls ? 0 : 1].misses.cycles = 9000;
		made->accesses[2].misses.cycles = 1000;
		measure(made, DATA_A, MS_METRIC_READS, 3000);
		measure(made, DATA_A, MS_METRIC_STRIDED, 1000);
		find(made, "CapacityMisses", DATA_A, 0.2, 0.6, MS_RUNG_SIMULATED);
		CHECK_INT(only(arena, made)->kind, has_stalls ? CAUSE_LOOP_ORDER : CAUSE_BANDWIDTH);
		arena_free(arena);
	}
}

/* A thousand loads, the number of strided ones, and of misses of the first level. */
static void measure_strided(struct made *made, double strided, double misses)
{
	measure(made, DATA_A, MS_METRIC_READS, 1000);
	measure(made, DATA_A, MS_METRIC_WRITES, 0);
	measure(made, DATA_A, MS_METRIC_STRIDED, strided);
	measure(made, DATA_A, MS_METRIC_SIM_LOADS, 1000);
	measure(made, DATA_A, MS_METRIC_SIM_STORES, 0);
	measure(made, DATA_A, MS_METRIC_SIM_L1D_MISSES, misses);
}

static size_t times_in(const char *text, const char *words)
{
	size_t nr = 0;

	while ((text = strstr(text, words))) {
		text += strlen(words);
		nr++;
	}
	return nr;
}

/* A cause has one remedy; its properties' own advice, for any program, is not printed. */
TEST(cause__evidence_does_not_advise)
{
	struct report_options options = { .width = 100, .brief = true, .verbose = true };
	struct arena *arena = arena_new();
	struct made *made = make();
	const struct run *run = &made->run;
	struct text all, one;

	access_array(made, 0, OUTER, INNER, 4096, 1);
	measure_strided(made, 1000, 500);
	find(made, "StridedAccess", DATA_A, 0.2, 0.6, MS_RUNG_SIMULATED);
	find(made, "CapacityMisses", DATA_A, 0.1, 0.6, MS_RUNG_SIMULATED);
	text_init(&all, arena);
	text_init(&one, arena);
	report_text(&all, &run, 1, &options);
	report_cause(&one, run, only(arena, made), 1, &options);
	CHECK_INT(times_in(all.bytes, "\n     cause    1, strided access of a\n"), 2);
	CHECK_INT(times_in(all.bytes, "\n     try      interchange the loops"), 1);
	CHECK_HAS_NOT(all.bytes, "Change it.");
	CHECK_INT(times_in(one.bytes, "\n     try  interchange the loops"), 1);
	CHECK_HAS_NOT(one.bytes, "Change it.");
	CHECK_INT(times_in(one.bytes, "\n     cause    "), 0);
	arena_free(arena);
}

/* Rows that fall into few sets evict each other in tiles, too. */
TEST(cause__transposition_of_rows_that_conflict)
{
	for (int conflicts = 0; conflicts < 2; conflicts++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		const struct cause *cause;
		const char *also, *remedy;

		made->arrays[0].bytes = 8000;
		access_array(made, 0, OUTER, INNER, 16384, 1);
		access_array(made, 1, OUTER, INNER, 8, 1);
		measure_strided(made, 1000, 1000);
		measure(made, DATA_A, MS_METRIC_SIM_CAPACITY, conflicts ? 100 : 600);
		measure(made, DATA_A, MS_METRIC_SIM_CONFLICT, conflicts ? 900 : 400);
		find(made, "StridedAccess", DATA_A, 0.2, 0.6, MS_RUNG_SIMULATED);
		cause = only(arena, made);
		CHECK_INT(cause->kind, CAUSE_TRANSPOSITION);
		remedy = cause_remedy(arena, &made->run, cause);
		also = cause_also(arena, &made->run, cause);
		CHECK_INT(strstr(remedy, "else pad the rows of a (k.c:3) by one cache line") !=
				  NULL,
			  conflicts);
		CHECK_HAS(remedy, "if that makes all arrays contiguous");
		CHECK_HAS(remedy, "process tiles of 32 x 32");
		CHECK_INT(also && strstr(also, "are conflicts: pad the rows") != NULL, !conflicts);
		arena_free(arena);
	}
}

/* Of accesses along the wrong index, the same ones in tiles, and others: is it the order of loops? */
TEST(cause__strided_by_lines)
{
	static const struct {
		double stride, with_stride, strided, misses, walks, used;
		enum cause_kind kind;
		double conflicts, further;
	} rows[] = {
		/*
		 * structs: the parts of a line that a struct's fields use are no row while they are
		 * brought in anew; blocks that are found in a cache are
		 */
		{ 156800, 1, 0, 300, 0, 0, CAUSE_LOOP_ORDER, 0, 0 },
		{ 156800, 1, 0, 10, 0, 0, CAUSE_BANDWIDTH, 0, 0 },
		{ 512, 1, 0, 300, 0, 0, CAUSE_BANDWIDTH, 0, 0 },
		/* rows of a cache line, in loops over few rows */
		{ 4096, 0.94, 0, 500, 0, 1000, CAUSE_NARROW_BLOCKS, 0, 0 },
		{ 4096, 0.999, 0, 500, 0, 1000, CAUSE_LOOP_ORDER, 0, 0 },
		{ 4096, 0.94, 0, 500, 0, 600, CAUSE_LOOP_ORDER, 0, 0 },
		/* in tiles: each line is brought in once, and used whole until it leaves */
		{ 19200, 1, 1000, 125, 10, 0, CAUSE_BANDWIDTH, 0, 0 },
		{ 19200, 1, 1000, 187, 10, 0, CAUSE_BANDWIDTH, 0, 0 },
		{ 19200, 1, 1000, 190, 10, 0, CAUSE_LOOP_ORDER, 0, 0 },
		{ 19200, 1, 1000, 1000, 10, 0, CAUSE_LOOP_ORDER, 0, 0 },
		{ 19200, 1, 1000, 20, 500, 0, CAUSE_LOOP_ORDER, 0, 0 },
		/* four components, along memory in the loop around */
		{ 19200, 0.75, 1000, 370, 10, 0, CAUSE_BANDWIDTH, 0, 0 },
		{ 19200, 0.75, 1000, 380, 10, 0, CAUSE_LOOP_ORDER, 0, 0 },
		/* conflicts in the first level; few of them; lines that the second level has not */
		{ 8192, 0.98, 1000, 1000, 0, 0, CAUSE_CONFLICTS, 710, 0 },
		{ 8192, 0.98, 1000, 1000, 0, 0, CAUSE_LOOP_ORDER, 690, 0 },
		{ 8192, 0.98, 1000, 1000, 0, 0, CAUSE_LOOP_ORDER, 710, 110 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		const struct cause *cause;
		const char *remedy;

		access_array(made, 0, OUTER, INNER, rows[i].stride, rows[i].with_stride);
		made->accesses[0].misses.cycles = 9000;
		measure_strided(made, rows[i].strided, rows[i].misses);
		measure(made, DATA_A, MS_METRIC_SIM_L1_CONFLICT, rows[i].conflicts);
		measure(made, DATA_A, MS_METRIC_SIM_L2D_MISSES, rows[i].further);
		if (rows[i].walks > 0)
			measure(made, DATA_A, MS_METRIC_SIM_TLB_WALKS, rows[i].walks);
		if (rows[i].used > 0) {
			measure(made, DATA_A, MS_METRIC_SIM_FETCHED_BYTES, 1000);
			measure(made, DATA_A, MS_METRIC_SIM_USED_BYTES, rows[i].used);
		}
		find(made, "CapacityMisses", DATA_A, 0.2, 0.6, MS_RUNG_SIMULATED);
		cause = only(arena, made);
		CHECK_INT(cause->kind, rows[i].kind);
		remedy = cause_remedy(arena, &made->run, cause);
		CHECK_INT(strstr(remedy, "interchange") != NULL,
			  rows[i].kind == CAUSE_LOOP_ORDER || rows[i].kind == CAUSE_CONFLICTS);
		if (rows[i].kind == CAUSE_CONFLICTS)
			CHECK_HAS(cause_why(arena, &made->run, cause),
				  "71 % of the L1 misses of a are conflicts");
		arena_free(arena);
	}
}

/* collapse(2) makes one loop of two: along a column, and then along the next one. */
TEST(cause__collapsed_loops)
{
	static const struct {
		const char *shape;
		double stride, used;
		uint64_t executions;
		enum cause_kind kind;
	} rows[] = {
		{ "[1500][1500]", 12000, 60000, 1, CAUSE_LOOP_ORDER },
		{ "", 12000, 60000, 1, CAUSE_LOOP_ORDER },
		/* a part of each row */
		{ "[1500][1500]", 12000, 6000, 1, CAUSE_LAYOUT },
		/* the loop around is outside of the construct */
		{ "[1500][1500]", 12000, 60000, 16, CAUSE_LAYOUT },
		/* fields of structs that other accesses of the loop use */
		{ "[1500]", 256, 60000, 1, CAUSE_LAYOUT },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		const struct cause *cause;

		made->arrays[1].shape = rows[i].shape;
		made->arrays[1].element_bytes = 8;
		made->arrays[1].bytes = 18000000;
		access_array(made, 1, OTHER, OTHER, rows[i].stride, 1);
		measure(made, OTHER, MS_METRIC_TIME, 1000);
		made->measurements[made->run.nr_measurements - 1].row.stat.count =
			rows[i].executions;
		measure(made, DATA_OTHER, MS_METRIC_READS, 1000);
		measure(made, DATA_OTHER, MS_METRIC_STRIDED, 1000);
		measure(made, DATA_OTHER, MS_METRIC_SIM_L1D_MISSES, 1000);
		measure(made, DATA_OTHER, MS_METRIC_SIM_FETCHED_BYTES, 64000);
		measure(made, DATA_OTHER, MS_METRIC_SIM_USED_BYTES, rows[i].used);
		find(made, "CapacityMisses", DATA_OTHER, 0.2, 0.6, MS_RUNG_SIMULATED);
		cause = only(arena, made);
		CHECK_INT(cause->kind, rows[i].kind);
		if (rows[i].kind == CAUSE_LOOP_ORDER)
			CHECK_HAS(
				cause_remedy(arena, &made->run, cause),
				"interchange the collapsed loops at k.c:30 so that the innermost");
		arena_free(arena);
	}
}

/* Four vectors of 16 bytes a row: an unrolled loop along the rows of a block, 78 KiB apart. */
TEST(cause__rows_of_vectors_in_blocks)
{
	for (uint32_t copies = 2; copies <= 4; copies += 2) {
		struct arena *arena = arena_new();
		struct made *made = make();
		const struct cause *cause;

		for (uint32_t i = 0; i < copies; i++) {
			access_array(made, 0, OUTER, INNER, 80004, 0.94);
			made->accesses[i].bytes = 16;
			made->accesses[i].misses.cycles = 9000;
		}
		measure_strided(made, 0, 400);
		measure(made, DATA_A, MS_METRIC_SIM_FETCHED_BYTES, 1000);
		measure(made, DATA_A, MS_METRIC_SIM_USED_BYTES, 520);
		find(made, "CapacityMisses", DATA_A, 0.2, 0.6, MS_RUNG_SIMULATED);
		cause = only(arena, made);
		/* two vectors are less than a line: structs along the wrong index */
		CHECK_INT(cause->kind, copies == 4 ? CAUSE_NARROW_BLOCKS : CAUSE_LOOP_ORDER);
		if (copies == 4)
			CHECK_NEAR(cause->arrays[0].pattern.stride, 80004, 0);
		arena_free(arena);
	}
}

/* Large pages help where page walks are known to cost something, and may where they are unknown. */
TEST(cause__irregular_access_and_pages)
{
	static const struct {
		double walks;
		const char *pages;
	} rows[] = { { NAN, "large pages help if the TLB misses" },
		     { 0, NULL },
		     { 500, "large pages help, as the TLB misses" } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		const char *remedy;

		access_array(made, 0, OUTER, INNER, 0, 0);
		measure_strided(made, 0, 500);
		if (!isnan(rows[i].walks))
			measure(made, DATA_A, MS_METRIC_SIM_TLB_WALKS, rows[i].walks);
		find(made, "DataMisses", DATA_A, 0.2, 0.2, MS_RUNG_SIMULATED);
		CHECK_INT(only(arena, made)->kind, CAUSE_IRREGULAR);
		remedy = cause_remedy(arena, &made->run, only(arena, made));
		CHECK(rows[i].pages ? strstr(remedy, rows[i].pages) != NULL
				    : !strstr(remedy, "large pages"));
		arena_free(arena);
	}
}

/* Nodes and rows that were allocated one by one are allocated together. */
TEST(cause__irregular_access_to_small_blocks)
{
	static const struct {
		const char *name;
		uint64_t blocks;
		bool together;
	} rows[] = { { RUN_SMALL_BLOCKS, 0, true },
		     { "nodes", 2000, true },
		     { "table", 1, false } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		const char *remedy;

		made->arrays[0].name = rows[i].name;
		made->arrays[0].live_blocks = rows[i].blocks;
		access_array(made, 0, OUTER, INNER, 0, 0);
		measure_strided(made, 0, 500);
		find(made, "DataMisses", DATA_A, 0.2, 0.2, MS_RUNG_SIMULATED);
		remedy = cause_remedy(arena, &made->run, only(arena, made));
		CHECK_HAS(remedy, rows[i].name);
		CHECK_HAS(remedy, rows[i].together ? "together, as one array" : "reorder the work");
		arena_free(arena);
	}
}

/* Misses of an irregular access that cost more than its being atomic are the cause. */
TEST(cause__atomic_updates)
{
	static const struct {
		double misses;
		uint64_t bytes;
		double same; /* part of the updates that are of the element before */
		enum cause_kind kind;
		const char *remedy;
		int shared; /* words of how many lines; -1: not compared */
	} rows[] = {
		{ 0, 8, 0, CAUSE_ATOMICS, "reduction(+:x)", -1 },
		{ 0, 8, 0, CAUSE_ATOMICS, "reduction(+:x)", 0 },
		{ 0, 8000, 0, CAUSE_ATOMICS, "copy of a", -1 },
		{ 0, 8000, 0, CAUSE_ATOMICS, "copy of a", 1 },
		{ 0, 8000, 0, CAUSE_ATOMICS, "no two threads updated the same element", 0 },
		{ 0, 8000, 1, CAUSE_ATOMICS, "sum into a local variable", 1 },
		{ 0.1, 1u << 30, 0, CAUSE_ATOMICS, "leave out atomic: sort", -1 },
		{ 0.5, 1u << 30, 0, CAUSE_IRREGULAR, "reorder the work", -1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		const struct cause *cause;
		struct run_sharing sharing = { .region = OUTER,
					       .executions = 1,
					       .same_lines = (uint64_t)rows[i].shared };

		made->arrays[0].bytes = rows[i].bytes;
		made->run.sharings = &sharing;
		made->run.nr_sharings = rows[i].shared >= 0;
		access_array(made, 0, OUTER, INNER, 0, rows[i].same);
		measure_strided(made, 0, 500);
		find(made, "AtomicUpdates", DATA_A, 0.2, 0.4, MS_RUNG_COUNTED);
		if (rows[i].misses > 0)
			find(made, "DataMisses", DATA_A, rows[i].misses, rows[i].misses,
			     MS_RUNG_SIMULATED);
		cause = only(arena, made);
		CHECK_INT(cause->kind, rows[i].kind);
		CHECK_HAS(cause_remedy(arena, &made->run, cause), rows[i].remedy);
		arena_free(arena);
	}
}

/* Two places keep the other threads idle at the same time: no longer than is found of the whole phase. */
TEST(cause__places_are_no_more_than_the_whole)
{
	struct arena *arena = arena_new();

	for (int refined = 0; refined < 2; refined++) {
		struct made *made = make();
		const struct cause *causes;

		find(made, "TaskImbalance", PHASE, 0.3, 0.3, MS_RUNG_TIMED);
		find(made, "TooFewTasks", OUTER, 0.36, 0.36, MS_RUNG_TIMED);
		find(made, "TooFewTasks", OTHER, 0.12, 0.12, MS_RUNG_TIMED);
		for (size_t i = 1; i < 3; i++)
			made->nodes[i].parent = refined ? 0 : MS_NODE_NONE;
		CHECK_THAT(causes_of(arena, &made->run, false, &causes), >, 0);
		CHECK_STR(causes->worst->property, "TooFewTasks");
		CHECK_NEAR(causes->high, refined ? 0.36 : 0.48, 1e-9);
	}
	arena_free(arena);
}

/* Other programs have a CPU: waits for the thread that has none are no time of the accesses. */
TEST(cause__shares_without_waits_for_cpus)
{
	struct arena *arena = arena_new();

	for (int taken = 0; taken < 3; taken++) {
		struct made *made = make();
		const struct cause *causes;

		made->measurements[0].row.stat.sum = 0.4e6; /* OUTER */
		measure(made, TEAM, MS_METRIC_BARRIER_WAIT, 0.5e6);
		access_array(made, 0, OUTER, INNER, 800, 1);
		find(made, "ModelledWaits", DATA_A, 0.2, 0.3, MS_RUNG_SIMULATED);
		if (taken)
			find(made, "CpusTaken", PHASE, 0.25, 0.25, MS_RUNG_TIMED);
		if (taken == 2) /* the loop is imbalanced, too: the waits cannot be attributed */
			find(made, "LoadImbalance", TEAM, 0.01, 0.01, MS_RUNG_TIMED);
		CHECK_THAT(causes_of(arena, &made->run, false, &causes), >, 0);
		CHECK_INT(causes->nr_arrays, 1);
		CHECK_NEAR(causes->low, taken == 1 ? 0.4 : 0.2, 1e-9);
		CHECK_NEAR(causes->high, taken == 1 ? 0.6 : 0.3, 1e-9);
		CHECK_NEAR(causes->share, taken == 1 ? 0.8 : 0.4, 1e-9);
		CHECK_NEAR(causes->arrays[0].high, causes->high, 1e-9);
	}
	arena_free(arena);
}

/* Fortran copies a section that is not contiguous for a call: blocks without a name at its line. */
TEST(cause__temporaries_of_calls)
{
	static const struct {
		const char *file;
		uint64_t blocks, live;
		bool copied;
	} rows[] = { { "k.f90", 256000, 0, true },
		     { "k.f90", 10, 0, false },
		     { "k.f90", 256000, 9000, false },
		     { "k.c", 256000, 0, false } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		const char *remedy;

		made->arrays[1].name = "";
		made->arrays[1].blocks = rows[i].blocks;
		made->arrays[1].live_blocks = rows[i].live;
		made->arrays[1].site_source = (struct source){ .file = rows[i].file, .line = 13 };
		access_array(made, 0, OUTER, INNER, 0, 0);
		made->accesses[0].source.file = rows[i].file;
		measure_strided(made, 0, 500);
		find(made, "DataMisses", DATA_A, 0.2, 0.2, MS_RUNG_SIMULATED);
		remedy = cause_remedy(arena, &made->run, only(arena, made));
		CHECK_INT(strstr(remedy, "at k.f90:13 a temporary is allocated and "
					 "freed 256 k times: the compiler copies a "
					 "section of a") != NULL,
			  rows[i].copied);
		arena_free(arena);
	}
}

/* Without the copy of a row, the procedure accesses its elements that far apart. */
TEST(cause__sections_of_assumed_shape)
{
	for (int strided = 0; strided < 2; strided++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		const char *remedy;

		made->arrays[1].name = "";
		made->arrays[1].blocks = 256000;
		made->arrays[1].site_source = (struct source){ .file = "k.f90", .line = 13 };
		access_array(made, 0, OUTER, INNER, strided ? 16000 : 8, 1);
		made->accesses[0].source.file = "k.f90";
		measure_strided(made, strided ? 1000 : 0, 500);
		find(made, "DataMisses", DATA_A, 0.2, 0.2, MS_RUNG_SIMULATED);
		remedy = cause_remedy(arena, &made->run, only(arena, made));
		CHECK_INT(strstr(remedy, "or declare the dummy argument with assumed shape (:)") !=
				  NULL,
			  !strided);
		CHECK_INT(strstr(remedy, "assumed shape (:) alone avoids the copy, not the strided "
					 "access") != NULL,
			  strided);
		arena_free(arena);
	}
}

/* Three contiguous accesses after each jump, as in a hash table, are irregular if the jumps are what misses. */
TEST(cause__short_runs_after_jumps)
{
	for (int far = 0; far < 2; far++) {
		struct arena *arena = arena_new();
		struct made *made = make();

		access_array(made, 0, OUTER, INNER, 16, 0.67);
		measure_strided(made, 0, far ? 400 : 140);
		find(made, "DataMisses", DATA_A, 0.2, 0.2, MS_RUNG_SIMULATED);
		CHECK_INT(only(arena, made)->kind, far ? CAUSE_IRREGULAR : CAUSE_BANDWIDTH);
		arena_free(arena);
	}
}

/* Caches are empty where recording begins: arrays that fit into them do not come from memory again. */
TEST(cause__arrays_that_the_caches_hold)
{
	for (int fit = 0; fit < 2; fit++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		uint64_t bytes = 0;

		for (size_t i = 0; i < made->run.nr_arrays; i++)
			bytes += made->run.arrays[i].bytes;
		made->run.machine.cache_bytes = 2 * bytes + (fit ? 1 : 0);
		access_array(made, 0, OUTER, INNER, 8, 1);
		measure_strided(made, 0, 120);
		measure(made, DATA_A, MS_METRIC_SIM_FETCHED_BYTES, 64 * 120);
		measure(made, DATA_A, MS_METRIC_SIM_DRAM_LOCAL, 120);
		measure(made, DATA_A, MS_METRIC_SIM_DRAM_PREFETCHES, 0);
		find(made, "DataMisses", DATA_A, 0.2, 0.2, MS_RUNG_SIMULATED);
		CHECK_INT(only(arena, made)->kind, fit ? CAUSE_REUSE : CAUSE_BANDWIDTH);
		arena_free(arena);
	}
}

/* A stride within few lines costs nothing while the first level has them. */
TEST(cause__strides_that_stay_in_the_first_level)
{
	for (int misses = 0; misses < 2; misses++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		const struct cause *causes;

		access_array(made, 0, OUTER, INNER, 8000, 1);
		measure_strided(made, 1000, misses ? 21 : 19);
		find(made, "StridedAccess", DATA_A, 0, 0.6, MS_RUNG_COUNTED);
		CHECK_INT(causes_of(arena, &made->run, false, &causes), misses);
		arena_free(arena);
	}
}

/*
 * The first tenth of a step takes the lines that serial code wrote, and stands for all of it, unless
 * threads write beside what is read: 125 lines are taken 400 times.
 */
TEST(cause__lines_that_are_taken_once)
{
	static const struct {
		double begins, writes, truly, falsely;
		enum cause_kind kind;
	} rows[] = { { 0, 0, 400, 0, CAUSE_COMMUNICATION },
		     { 0.1, 0, 400, 0, CAUSE_IRREGULAR },
		     { 0.1, 0, 0, 100, CAUSE_IRREGULAR },
		     { 0.1, 0, 0, 400, CAUSE_FALSE_SHARING },
		     { 0.1, 10, 400, 0, CAUSE_TRUE_SHARING } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *arena = arena_new();
		struct made *made = make();

		made->run.modelled.begins = rows[i].begins;
		access_array(made, 0, OUTER, INNER, 0, 0);
		measure_strided(made, 0, 500);
		for (size_t k = 0; k < made->run.nr_measurements; k++)
			if (made->measurements[k].row.metric == MS_METRIC_WRITES ||
			    made->measurements[k].row.metric == MS_METRIC_SIM_STORES)
				made->measurements[k].row.stat.sum = rows[i].writes;
		measure(made, DATA_A, MS_METRIC_SIM_CAPACITY, 100);
		measure(made, DATA_A, MS_METRIC_SIM_TRUE_SHARING, rows[i].truly);
		measure(made, DATA_A, MS_METRIC_SIM_FALSE_SHARING, rows[i].falsely);
		find(made, rows[i].truly > 0 ? "TrueSharing" : "FalseSharing", DATA_A, 0.2, 0.6,
		     MS_RUNG_SIMULATED);
		CHECK_INT(only(arena, made)->kind, rows[i].kind);
		arena_free(arena);
	}
}

/*
 * What is in tiles already, and comes from an outer cache, is not to be blocked. Copies of an unrolled
 * loop that leave out nothing together are no tiles.
 */
TEST(cause__tiles_that_are_too_large)
{
	for (int tiles = 0; tiles < 2; tiles++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		const struct cause *cause;

		access_array(made, 0, OUTER, INNER, tiles ? 19200 : 512, 1);
		made->accesses[0].misses.cycles = 9000;
		measure_strided(made, tiles ? 1000 : 0, 125);
		measure(made, DATA_A, MS_METRIC_SIM_FETCHED_BYTES, 8000);
		measure(made, DATA_A, MS_METRIC_SIM_USED_BYTES, 8000);
		measure(made, DATA_A, MS_METRIC_SIM_DRAM_LOCAL, 0);
		measure(made, DATA_A, MS_METRIC_SIM_DRAM_PREFETCHES, 5);
		find(made, "CapacityMisses", DATA_A, 0.2, 0.6, MS_RUNG_SIMULATED);
		cause = only(arena, made);
		CHECK_INT(cause->arrays[0].pattern.in_tiles, tiles);
		CHECK(!tiles || cause->kind == CAUSE_REUSE);
		CHECK(strstr(cause_remedy(arena, &made->run, cause),
			     "use smaller tiles in the loops at k.c:10")
			      ? tiles
			      : !tiles);
		arena_free(arena);
	}
}

/* A filter of a few values in the innermost loop decides no order, and the outer loops count, too. */
TEST(cause__nest_around_a_small_table)
{
	for (int is_small = 0; is_small < 2; is_small++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		const struct cause *cause;

		made->regions[OTHER].kind = MS_LOOP_REGION;
		made->regions[OTHER].parent = INNER;
		made->regions[TEAM].source.line = 9;
		made->arrays[1].bytes = is_small ? 28 : 8000;
		access_array(made, 0, OUTER, OTHER, 8000, 1);
		access_array(made, 1, OUTER, OTHER, 8, 1);
		find(made, "StridedAccess", DATA_A, 0.2, 0.6, MS_RUNG_SIMULATED);
		cause = only(arena, made);
		CHECK_INT(cause->kind, is_small ? CAUSE_LOOP_ORDER : CAUSE_TRANSPOSITION);
		CHECK(strstr(cause_remedy(arena, &made->run, cause), "k.c:10, 12 and 30"));
		arena_free(arena);
	}
}

/* Compilers give loops lines of other statements: a loop around another one begins before it. */
TEST(cause__lines_that_are_not_the_loops)
{
	static const struct {
		int team, outer, inner, innermost;
		bool in_doubt; /* where the team's construct is */
		const char *loops;
	} rows[] = {
		{ 10, 11, 12, 13, false, "interchange the loops at k.c:11, 12 and 13 " },
		{ 10, 21, 12, 13, false, "interchange the loops at k.c:12 and 13 " },
		{ 10, 10, 12, 13, false, "interchange the loops at k.c:10, 12 and 13 " },
		{ 10, 13, 10, 13, false, "interchange the loop at k.c:13 with the one around it " },
		{ 10, 10, 12, 13, true, "interchange the loops at k.c:12 and 13 " },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *arena = arena_new();
		struct made *made = make();

		made->regions[OUTER].kind = rows[i].in_doubt ? MS_DO_REGION : MS_LOOP_REGION;
		made->regions[OUTER].source.approximate = rows[i].in_doubt;
		made->regions[OTHER].kind = MS_LOOP_REGION;
		made->regions[OTHER].parent = INNER;
		made->regions[OTHER].source.function = "sum";
		made->regions[TEAM].source.line = rows[i].team;
		made->regions[OUTER].source.line = rows[i].outer;
		made->regions[INNER].source.line = rows[i].inner;
		made->regions[OTHER].source.line = rows[i].innermost;
		access_array(made, 0, OUTER, OTHER, 8000, 1);
		find(made, "StridedAccess", DATA_A, 0.2, 0.6, MS_RUNG_SIMULATED);
		CHECK_HAS(cause_remedy(arena, &made->run, only(arena, made)), rows[i].loops);
		arena_free(arena);
	}
}

/* A vector beside, a value for each row, shows how often the loop is unrolled. */
TEST(cause__unrolled_as_the_vector_beside)
{
	struct array_facts facts = { .reads = 4000, .strided = 2000 };
	struct made *made = make();
	struct run_access accesses[8];

	for (int i = 0; i < 8; i++) {
		made->run.nr_accesses = 0;
		access_array(made, i < 4 ? 0 : 1, OUTER, INNER, i < 4 ? 80000 : 32, 1);
		accesses[i] = made->accesses[0];
	}
	made->run.accesses = accesses;
	made->run.nr_accesses = 8;
	CHECK_NEAR(array_pattern_of(&made->run, 0, OUTER, &facts).stride, 20000, 1e-9);
	accesses[7].stride = 8; /* three copies do not fill 32 bytes */
	CHECK_NEAR(array_pattern_of(&made->run, 0, OUTER, &facts).stride, 80000, 1e-9);
}

/* As the source has it already, though the array's size would allow for two copies. */
TEST(cause__strides_of_the_source)
{
	struct array_facts facts = { .reads = 4000, .strided = 2000 };

	for (uint32_t copies = 0; copies < 3; copies++) {
		struct made *made = make();

		made->arrays[0].bytes = 52000;
		for (int i = 0; i < 2; i++) {
			access_array(made, 0, OUTER, INNER, 104, 1);
			made->accesses[i].unrolled = copies;
		}
		CHECK_NEAR(array_pattern_of(&made->run, 0, OUTER, &facts).stride, copies ? 104 : 52,
			   1e-9);
	}
}

/* Five findings about two arrays of one loop, and one about the loop as a whole. */
TEST(cause__one_loop_is_one_cause)
{
	struct arena *arena = arena_new();
	struct made *made = make();
	const struct cause *cause;

	access_array(made, 0, OUTER, INNER, 8000, 1);
	access_array(made, 1, OUTER, INNER, 8000, 1);
	find(made, "StridedAccess", DATA_A, 0, 0.8, MS_RUNG_COUNTED);
	find(made, "ArrayTLBMisses", DATA_A, 0.3, 0.5, MS_RUNG_SIMULATED);
	find(made, "StridedAccess", DATA_B, 0, 0.8, MS_RUNG_COUNTED);
	find(made, "ArrayTLBMisses", DATA_B, 0.3, 0.5, MS_RUNG_SIMULATED);
	find(made, "WorkingSetBeyondCaches", OUTER, 0.1, 0.8, MS_RUNG_TIMED);
	cause = only(arena, made);
	CHECK_INT(cause->kind, CAUSE_LOOP_ORDER);
	CHECK_INT(cause->nr_arrays, 2);
	CHECK_INT(cause->nr_nodes, 5);
	CHECK_NEAR(cause->low, 0.6, 1e-9);
	CHECK_NEAR(cause->high, 0.8, 1e-9); /* not 1.6: the loop takes no more */
	CHECK_STR(cause_arrays(arena, &made->run, cause), "a, b");
	CHECK(strstr(cause_remedy(arena, &made->run, cause), "k.c:10 and 12"));
}

/*
 * A loop that streams from memory as a whole: the arrays whose lines come from there, though nothing
 * is found of them alone; beside an array with few of the lines, of which something is found.
 */
TEST(cause__streaming_of_a_loop_names_its_arrays)
{
	for (int i = 0; i < 4; i++) {
		bool beside = i % 2, traffic = i / 2;
		struct arena *arena = arena_new();
		struct made *made = make();
		const struct cause *cause;

		add_data(made, REGIONS, OTHER, 0);
		made->run.nr_regions = REGIONS + 1;
		made->arrays[0].bytes = made->arrays[1].bytes = 64000; /* read once */
		access_array(made, 1, OTHER, OTHER, 8, 1);
		measure(made, DATA_OTHER, MS_METRIC_SIM_DRAM_PREFETCHES, 950);
		measure(made, DATA_OTHER, MS_METRIC_SIM_DRAM_LOCAL, 0);
		measure(made, REGIONS, MS_METRIC_SIM_DRAM_PREFETCHES, 0);
		measure(made, REGIONS, MS_METRIC_SIM_DRAM_LOCAL, 50);
		if (beside)
			find(made, "CapacityMisses", REGIONS, 0, 0.04, MS_RUNG_SIMULATED);
		find(made, traffic ? "ModelledTraffic" : "ReachBeyondCaches", OTHER, 0, 0.09,
		     MS_RUNG_TIMED);
		cause = only(arena, made);
		CHECK_INT(cause->kind, CAUSE_BANDWIDTH);
		CHECK_STR(cause_arrays(arena, &made->run, cause), beside ? "b, a" : "b");
		CHECK_NEAR(cause->high, beside ? 0.1 : 0.09, 1e-6); /* of the loop's time */
		CHECK_NEAR(cause->low, 0, 1e-9);
		arena_free(arena);
	}
}

/* Uneven accesses to an array, in a loop and in the construct around it, are one matter. */
TEST(cause__imbalance_of_an_array_and_its_loop)
{
	struct arena *arena = arena_new();
	struct made *made = make();

	add_data(made, REGIONS, OUTER, 0);
	made->run.nr_regions = REGIONS + 1;
	access_array(made, 0, OUTER, INNER, 8, 1);
	find(made, "ArrayAccessImbalance", DATA_A, 0, 0.2, MS_RUNG_COUNTED);
	find(made, "ArrayAccessImbalance", REGIONS, 0, 0.2, MS_RUNG_COUNTED);
	CHECK_INT(only(arena, made)->kind, CAUSE_PROPERTY);
	/* no array that is divided: each thread has its own */
	made->arrays[0].kind = "stack";
	CHECK_INT(causes_of(arena, &made->run, false, &(const struct cause *){ NULL }), 0);
	arena_free(arena);
}

/*
 * Transfers between cores of a region as a whole are evidence of the array that is shared, and of
 * no other.
 */
TEST(cause__transfers_of_a_region_belong_to_the_shared_array)
{
	static const char *const properties[] = { "FalseSharing", "CapacityMisses" };
	struct arena *arena = arena_new();

	for (size_t i = 0; i < 2; i++) {
		struct made *made = make();
		const struct cause *causes;

		access_array(made, 0, OUTER, INNER, 8, 1);
		measure(made, DATA_A, i ? MS_METRIC_SIM_CAPACITY : MS_METRIC_SIM_FALSE_SHARING,
			900);
		find(made, properties[i], DATA_A, 0.1, 0.6, MS_RUNG_SIMULATED);
		find(made, "CacheLineSharing", OUTER, 0.4, 0.8, MS_RUNG_SIMULATED);
		CHECK_INT(causes_of(arena, &made->run, false, &causes), i ? 2 : 1);
		CHECK_INT(causes[0].kind, i ? CAUSE_PROPERTY : CAUSE_FALSE_SHARING);
		CHECK_NEAR(causes[0].low, 0.4, 1e-9);
	}
}

/*
 * What may cost nearly all stands above what certainly costs little; what casts doubt on measuring
 * is no cause.
 */
TEST(cause__order)
{
	struct arena *arena = arena_new();
	struct made *made = make();
	const struct cause *causes;

	access_array(made, 0, OUTER, INNER, 8000, 1);
	find(made, "LoadImbalance", PHASE, 0.07, 0.07, MS_RUNG_TIMED);
	find(made, "StridedAccess", DATA_A, 0, 0.78, MS_RUNG_COUNTED);
	find(made, "CpusTaken", PHASE, 0.5, 0.5, MS_RUNG_TIMED);
	CHECK_INT(causes_of(arena, &made->run, false, &causes), 2);
	CHECK_INT(causes[0].kind, CAUSE_LOOP_ORDER);
	CHECK_INT(causes[1].kind, CAUSE_PROPERTY);
	CHECK_STR(cause_title(arena, &causes[1]), "LoadImbalance");
}

/* What the search refined is one cause with the refinement, at the region of that one. */
TEST(cause__refinement_of_the_same)
{
	for (int refined = 0; refined < 2; refined++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		const struct cause *causes;

		find(made, "LoadImbalance", PHASE, 0.08, 0.08, MS_RUNG_TIMED);
		find(made, "SlowThreads", OUTER, 0.025, 0.025, MS_RUNG_TIMED);
		made->nodes[1].parent = refined ? 0 : MS_NODE_NONE;
		CHECK_INT(causes_of(arena, &made->run, false, &causes), refined ? 1 : 2);
		CHECK_INT(causes[0].region, refined ? OUTER : PHASE);
		CHECK_STR(causes[0].worst->property, "LoadImbalance");
		CHECK_NEAR(causes[0].low, 0.08, 1e-9);
		arena_free(arena);
	}
}

/* A lock stands before what its holders write in turn, but not before what another loop shares. */
TEST(cause__lock_before_the_sharing_that_it_brings)
{
	struct arena *arena = arena_new();

	for (int i = 0; i < 6; i++) {
		struct made *made = make();
		/* false sharing that costs more at least than the lock may is another matter */
		bool elsewhere = i % 2, false_sharing = i / 2, more = i / 2 == 2;
		bool lock_first = !elsewhere && !more;
		enum cause_kind kind = false_sharing ? CAUSE_FALSE_SHARING : CAUSE_TRUE_SHARING;
		uint32_t data = elsewhere ? DATA_OTHER : DATA_A;
		const struct cause *causes;

		made->regions[DATA_B].kind = MS_CRITICAL_REGION;
		made->regions[DATA_B].construct.offset = 0;
		made->regions[DATA_B].parent = OUTER;
		access_array(made, elsewhere, elsewhere ? OTHER : OUTER, elsewhere ? OTHER : INNER,
			     8, 1);
		measure(made, data,
			false_sharing ? MS_METRIC_SIM_FALSE_SHARING : MS_METRIC_SIM_TRUE_SHARING,
			900);
		find(made, false_sharing ? "FalseSharing" : "TrueSharing", data,
		     false_sharing && !more ? 0.04 : 0.09, 0.09, MS_RUNG_SIMULATED);
		find(made, "CriticalContention", DATA_B, 0.05, 0.05, MS_RUNG_TIMED);
		CHECK_INT(causes_of(arena, &made->run, false, &causes), 2);
		CHECK_INT(causes[0].kind, lock_first ? CAUSE_PROPERTY : kind);
		CHECK_INT(causes[1].kind, lock_first ? kind : CAUSE_PROPERTY);
		if (lock_first) /* without the lock there is no such sharing either */
			CHECK_NEAR(causes[0].high, 0.09, 1e-9);
	}
}

/* Threads that wait for it sleep in the kernel, as far as it costs that much. */
TEST(cause__lock_before_the_system_time_that_it_brings)
{
	struct arena *arena = arena_new();

	for (int more = 0; more < 2; more++) {
		struct made *made = make();
		const struct cause *causes;

		made->regions[DATA_B].kind = MS_CRITICAL_REGION;
		made->regions[DATA_B].construct.offset = 0;
		made->regions[DATA_B].parent = OUTER;
		find(made, "SystemTime", PHASE, more ? 0.6 : 0.3, more ? 0.6 : 0.3, MS_RUNG_TIMED);
		find(made, "CriticalContention", DATA_B, 0.13, 0.5, MS_RUNG_TIMED);
		CHECK_INT(causes_of(arena, &made->run, false, &causes), 2);
		CHECK_STR(causes[!more].worst->property, "SystemTime");
		CHECK_STR(causes[more].worst->property, "CriticalContention");
	}
	arena_free(arena);
}

/* Loops that stream are one cause, a loop of another kind is one of its own. */
TEST(cause__loops_that_stream_are_one)
{
	struct arena *arena = arena_new();
	struct made *made = make();
	const struct cause *cause;

	access_array(made, 0, OUTER, INNER, 8, 1);
	access_array(made, 1, OTHER, OTHER, 8, 1);
	find(made, "CapacityMisses", DATA_A, 0.1, 0.4, MS_RUNG_SIMULATED);
	find(made, "CapacityMisses", DATA_OTHER, 0.02, 0.1, MS_RUNG_SIMULATED);
	cause = only(arena, made);
	CHECK_INT(cause->nr_constructs, 2);
	CHECK_NEAR(cause->share, 0.9, 1e-9);
	CHECK_NEAR(cause->low, 0.12, 1e-9);
}

/* What takes most of the time decides between two kinds that are one cause. */
TEST(cause__kind_of_loops_that_stream)
{
	struct arena *arena = arena_new();
	struct made *made = make();

	access_array(made, 0, OUTER, INNER, 8, 1);
	access_array(made, 1, OTHER, OTHER, 8, 1);
	measure(made, DATA_A, MS_METRIC_SIM_FETCHED_BYTES, 64000);
	measure(made, DATA_A, MS_METRIC_SIM_DRAM_LOCAL, 0);
	measure(made, DATA_A, MS_METRIC_SIM_DRAM_PREFETCHES, 0);
	find(made, "CapacityMisses", DATA_A, 0, 0.03, MS_RUNG_SIMULATED);
	CHECK_INT(only(arena, made)->kind, CAUSE_REUSE);
	find(made, "CapacityMisses", DATA_OTHER, 0.02, 0.1, MS_RUNG_SIMULATED);
	CHECK_INT(only(arena, made)->kind, CAUSE_BANDWIDTH);
}

/* Of a whole loop, a simulated level or memory does not say what another order of accesses leaves. */
TEST(cause__levels_of_a_loop_beside_its_arrays)
{
	static const char *const levels[] = { "L2DataReadMissRate", "LocalDramAccesses" };

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		for (int counted = 0; counted <= 1; counted++) {
			struct arena *arena = arena_new();
			struct made *made = make();
			const struct cause *cause;

			access_array(made, 0, OUTER, INNER, 4096, 1);
			find(made, "DataMisses", DATA_A, 0.1, 0.6, MS_RUNG_SIMULATED);
			find(made, levels[i], OUTER, 0.5, 0.7,
			     counted ? MS_RUNG_COUNTED : MS_RUNG_SIMULATED);
			cause = only(arena, made);
			CHECK_INT(cause->nr_nodes, 2);
			CHECK_NEAR(cause->low, counted ? 0.5 : 0.1, 1e-9);
			CHECK_NEAR(cause->high, 0.7, 1e-9);
			arena_free(arena);
		}
}

/* What a loop moves bounds the gain of fewer bytes, not that of another order. */
TEST(cause__traffic_of_a_loop_beside_its_arrays)
{
	static const double strides[] = { 8, 4096 }, least[] = { 0.5, 0.1 };

	for (size_t i = 0; i < sizeof(strides) / sizeof(strides[0]); i++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		const struct cause *cause;

		access_array(made, 0, OUTER, INNER, strides[i], 1);
		find(made, "DataMisses", DATA_A, 0.1, 0.6, MS_RUNG_SIMULATED);
		find(made, "ModelledTraffic", OUTER, 0.5, 0.7, MS_RUNG_SIMULATED);
		cause = only(arena, made);
		CHECK_INT(cause->nr_nodes, 2);
		CHECK_NEAR(cause->low, least[i], 1e-9);
		arena_free(arena);
	}
}

/* The lower bound counts the reads of an array from memory after the first of each step. */
TEST(cause__what_must_come_from_memory)
{
	for (int passes = 1; passes <= 4; passes++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		const struct cause *cause;

		made->arrays[1].bytes = 64000;
		access_array(made, 1, OTHER, OTHER, 8, 1);
		measure(made, DATA_OTHER, MS_METRIC_SIM_DRAM_LOCAL, 0);
		measure(made, DATA_OTHER, MS_METRIC_SIM_DRAM_PREFETCHES, 1000 * passes);
		find(made, "CapacityMisses", DATA_OTHER, 0.02, 0.08, MS_RUNG_SIMULATED);
		cause = only(arena, made);
		CHECK_INT(cause->kind, CAUSE_BANDWIDTH);
		CHECK_NEAR(cause->again, 1 - 1.0 / passes, 1e-9);
		CHECK_NEAR(cause->low, 0.02 * (1 - 1.0 / passes), 1e-9);
		CHECK_NEAR(cause->high, passes == 1 ? 0.08 : 0.08 * (1 - 0.5 / passes), 1e-9);
		if (passes == 1)
			CHECK_HAS(cause_remedy(arena, &made->run, cause),
				  "once a step, as it must");
		else
			CHECK_HAS_NOT(cause_remedy(arena, &made->run, cause), "once a step");
		arena_free(arena);
	}
}

/* Two loops over an array: fused they read it once, and write back as often as before. */
TEST(cause__what_must_go_back_to_memory)
{
	static const struct {
		double stores[2], again;
	} rows[] = { { { 0, 0 }, 1 / 2.0 }, { { 1, 0 }, 1 / 3.0 }, { { 1, 1 }, 1 / 2.0 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		const struct cause *cause;

		made->arrays[0].bytes = 64000;
		add_data(made, DATA_A, OUTER, 0);
		add_data(made, DATA_OTHER, OTHER, 0);
		access_array(made, 0, OUTER, OUTER, 8, 1);
		access_array(made, 0, OTHER, OTHER, 8, 1);
		for (int k = 0; k < 2; k++) {
			uint32_t data = k ? DATA_OTHER : DATA_A;

			measure(made, data, MS_METRIC_SIM_DRAM_LOCAL, 1000);
			measure(made, data, MS_METRIC_SIM_DRAM_PREFETCHES, 0);
			measure(made, data, MS_METRIC_SIM_STORES, 8000 * rows[i].stores[k]);
			find(made, "CapacityMisses", data, 0.02, 0.08, MS_RUNG_SIMULATED);
		}
		cause = only(arena, made);
		CHECK_INT(cause->kind, CAUSE_BANDWIDTH);
		CHECK_NEAR(cause->again, rows[i].again, 1e-9);
		CHECK_NEAR(cause->low, 0.04 * rows[i].again, 1e-9);
		arena_free(arena);
	}
}

/* Where the beginnings of several constructs were simulated, lines may come again. */
TEST(cause__what_may_come_from_memory_again)
{
	for (int constructs = 1; constructs <= 2; constructs++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		const struct cause *cause;

		made->run.modelled.begins = 0.2;
		made->arrays[0].bytes = made->arrays[1].bytes = 64000;
		access_array(made, 1, OTHER, OTHER, 8, 1);
		measure(made, DATA_OTHER, MS_METRIC_SIM_DRAM_LOCAL, 0);
		measure(made, DATA_OTHER, MS_METRIC_SIM_DRAM_PREFETCHES, 1000);
		find(made, "CapacityMisses", DATA_OTHER, 0.02, 0.08, MS_RUNG_SIMULATED);
		if (constructs > 1) {
			access_array(made, 0, OUTER, INNER, 8, 1);
			measure(made, DATA_A, MS_METRIC_SIM_DRAM_LOCAL, 0);
			measure(made, DATA_A, MS_METRIC_SIM_DRAM_PREFETCHES, 1000);
			find(made, "CapacityMisses", DATA_A, 0.02, 0.08, MS_RUNG_SIMULATED);
		}
		cause = only(arena, made);
		CHECK_INT(cause->nr_constructs, constructs);
		CHECK_INT(isnan(cause->again), constructs > 1);
		CHECK_NEAR(cause->low, 0, 1e-9);
		arena_free(arena);
	}
}

/* Of another machine than the one it ran on it is no cause here. */
TEST(cause__of_a_modelled_machine)
{
	struct arena *arena = arena_new();
	struct made *made = make();
	const struct cause *causes;

	made->run.modelled.here = false;
	access_array(made, 0, OUTER, INNER, 8, 1);
	find(made, "CapacityMisses", DATA_A, 0.1, 0.4, MS_RUNG_SIMULATED);
	CHECK_INT(causes_of(arena, &made->run, false, &causes), 0);
	CHECK_INT(causes_of(arena, &made->run, true, &causes), 1);
}

/* No `parallel for` where earlier iterations wrote what is read. */
TEST(cause__serial_code_that_carries_a_dependence)
{
	static const struct {
		const char *property;
		uint64_t carried;
		const char *advice;
	} rows[] = {
		{ "SerialStretch", 0, "Change it." },
		{ "SerialStretch", 8000, "elements of a that its earlier" },
		{ "IOInSerialStretch", 8000, "Change it." },
	};
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct made *made = make();

		made->regions[OUTER].kind = MS_SERIAL_REGION;
		access_array(made, 0, OUTER, INNER, 8, 1);
		made->accesses[0].carried = rows[i].carried;
		find(made, rows[i].property, OUTER, 0.4, 0.4, MS_RUNG_TIMED);
		CHECK_HAS(cause_remedy(arena, &made->run, only(arena, made)), rows[i].advice);
	}
}

/* Of the time of a line most is in what it calls, as malloc: nothing there is a loop to parallelise. */
TEST(cause__serial_code_that_calls_a_library)
{
	static const struct {
		uint64_t in_library;
		const char *library, *advice;
	} rows[] = {
		{ 0, "/lib/libc.so.6", "Change it." },
		{ 40, "/lib/libc.so.6", "Change it." },
		{ 60, "/lib/libc.so.6",
		  "libc.so.6 takes most of the time of k.c:14, which calls it: call it less often" },
		{ 60, "/lib/libm.so.6",
		  "libm.so.6 takes most of the time of k.c:14, which calls it: divide the loop" },
		{ 60, "/lib/libgfortran.so.5", "if it reads or writes a file, do that once" },
	};
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct module modules[] = { { .path = "/bin/k" }, { .path = rows[i].library } };
		struct source line = {
			.function = "sum", .file = "k.c", .line = 14, .module = "k"
		};
		struct run_hotspot spot = { .region = OUTER,
					    .metric = MS_METRIC_SAMPLES,
					    .leaf = { .module = 1 },
					    .count = 100,
					    .in_library = rows[i].in_library,
					    .share = 0.9,
					    .source = line,
					    .leaf_source = { .module = "libc.so.6" } };
		struct made *made = make();

		made->regions[OUTER].kind = MS_SERIAL_REGION;
		made->run.modules = modules;
		made->run.nr_modules = 2;
		made->run.hotspots = &spot;
		made->run.nr_hotspots = 1;
		find(made, "SerialStretch", OUTER, 0.4, 0.4, MS_RUNG_TIMED);
		CHECK_HAS(cause_remedy(arena, &made->run, only(arena, made)), rows[i].advice);
	}
}

/* Of samples deep in a library few are known to come from a line; it stands for all if no other one does. */
TEST(cause__serial_code_deep_in_a_library)
{
	static const struct {
		uint64_t here, there; /* samples of calls at two lines */
		double deep;          /* part of the samples in the library */
		const char *advice;
	} rows[] = {
		{ 20, 0, 0.6, "libgfortran.so.5 takes most of the time of k.c:14" },
		{ 20, 19, 0.6, "libgfortran.so.5 takes most of the time of k.c:14" },
		{ 20, 0, 0.3, "Change it." },
	};
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct module modules[] = { { .path = "/bin/k" },
					    { .path = "/lib/libgfortran.so.5" } };
		struct run_hotspot spots[] = {
			{ .leaf = { .module = 1 },
			  .count = rows[i].here,
			  .in_library = rows[i].here,
			  .share = 0.04,
			  .source = { .file = "k.c", .line = 14, .module = "k" } },
			{ .leaf = { .module = 1 },
			  .count = rows[i].there,
			  .in_library = rows[i].there,
			  .share = 0.03,
			  .source = { .file = "k.c", .line = 16, .module = "k" } },
			{ .leaf = { .module = 1 }, .count = 18, .share = rows[i].deep },
		};
		struct made *made = make();

		for (size_t k = 0; k < 3; k++) {
			spots[k].region = OUTER;
			spots[k].metric = MS_METRIC_SAMPLES;
		}
		made->regions[OUTER].kind = MS_SERIAL_REGION;
		made->run.modules = modules;
		made->run.nr_modules = 2;
		made->run.hotspots = spots;
		made->run.nr_hotspots = 3;
		find(made, "SerialStretch", OUTER, 0.4, 0.4, MS_RUNG_TIMED);
		CHECK_HAS(cause_remedy(arena, &made->run, only(arena, made)), rows[i].advice);
	}
}

/* An upper bound that adds up latencies says little of accesses that prefetchers follow. */
TEST(cause__contiguous_in_other_caches_counts_with_the_least)
{
	static const struct {
		double stride, second, third, worth;
	} rows[] = { { 8, 10, 10, 0.01 },
		     { 8, 500, 400, 0.03 },
		     { 8, 500, 10, 0.01 },
		     { 8000, 10, 10, 0.03 } };
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct made *made = make();

		access_array(made, 0, OUTER, INNER, rows[i].stride, 1);
		measure(made, DATA_A, MS_METRIC_READS, 8000);
		measure(made, DATA_A, MS_METRIC_WRITES, 0);
		measure(made, DATA_A, MS_METRIC_STRIDED, rows[i].stride > 64 ? 8000 : 0);
		measure(made, DATA_A, MS_METRIC_SIM_LOADS, 8000);
		measure(made, DATA_A, MS_METRIC_SIM_L1D_MISSES, 1000);
		measure(made, DATA_A, MS_METRIC_SIM_L2D_MISSES, rows[i].second);
		measure(made, DATA_A, MS_METRIC_SIM_L3D_MISSES, rows[i].third);
		measure(made, DATA_A, MS_METRIC_SIM_FETCHED_BYTES, 64000);
		measure(made, DATA_A, MS_METRIC_SIM_USED_BYTES, 64000);
		measure(made, DATA_A, MS_METRIC_SIM_DRAM_LOCAL, 0);
		measure(made, DATA_A, MS_METRIC_SIM_DRAM_PREFETCHES, 0);
		find(made, "DataMisses", DATA_A, 0.01, 0.07, MS_RUNG_SIMULATED);
		CHECK_NEAR(cause_worth(only(arena, made)), rows[i].worth, 1e-9);
	}
}

/*
 * A line more in each of 256 rows leaves planes a multiple of 4096 bytes apart; not in each of 9. A loop
 * along a row accesses several planes, where they are in conflict.
 */
TEST(cause__padding_of_planes)
{
	static const struct {
		const char *shape;
		double stride;
		const char *remedy;
	} rows[] = {
		{ "[20][256][512]", 256 * 4096, "and the dimension behind them by one: the loop" },
		{ "[20][9][512]", 9 * 4096, "(64 bytes), so that their length" },
		{ "[256][512]", 4096, "(64 bytes), so that their length" },
		{ "(0:511,256,20)", 256 * 4096, "steps over 256" },
		{ "", 256 * 4096, "(64 bytes), so that their length" },
		{ "(512,512,0:8)", 8, "planes of 512 " },
		{ "(512,9,0:8)", 8, "(64 bytes), so that their length" },
		{ "(100,64,0:8)", 8, "(64 bytes) or more" }, /* planes of 12.5 * 4096 bytes */
		{ "(512,512)", 8, "(64 bytes), so that their length" },
		{ "", 8, "(64 bytes) to each part (plane, row, field) of a" },
		{ "[1020][1020]", 8160, "(64 bytes) or more (`memsearch try` simulates" },
		{ "[512][512]", 4096, "so that their length is no power of two" },
		{ "[768][768]", 6144, "so that their length is no multiple of 512 bytes" },
	};
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct made *made = make();

		made->arrays[0].shape = rows[i].shape;
		made->arrays[0].element_bytes = 8;
		made->arrays[0].bytes = 20 << 20;
		access_array(made, 0, OUTER, INNER, rows[i].stride, 1);
		measure(made, DATA_A, MS_METRIC_READS, 1000);
		measure(made, DATA_A,
			rows[i].stride >= 64 ? MS_METRIC_STRIDED : MS_METRIC_CONTIGUOUS, 1000);
		measure(made, DATA_A, MS_METRIC_SIM_L1D_MISSES, 1000);
		measure(made, DATA_A, MS_METRIC_SIM_CAPACITY, 100);
		measure(made, DATA_A, MS_METRIC_SIM_CONFLICT, 900);
		measure(made, DATA_A, MS_METRIC_SIM_FETCHED_BYTES, 64000);
		measure(made, DATA_A, MS_METRIC_SIM_USED_BYTES, 64000);
		find(made, "ConflictMisses", DATA_A, 0.2, 0.6, MS_RUNG_SIMULATED);
		CHECK_INT(only(arena, made)->kind, CAUSE_CONFLICTS);
		CHECK_HAS(cause_remedy(arena, &made->run, only(arena, made)), rows[i].remedy);
	}
}

/* Rows of 12.5 KiB fall into 8 of 64 sets. */
TEST(cause__rows_that_conflict)
{
	static const struct {
		double stride;
		const char *why;
	} rows[] = {
		{ 8192, "its rows are 8 KiB apart, a power of two, and fall into few cache sets" },
		{ 12800,
		  "its rows are 12.5 KiB apart, a multiple of 512 bytes, and fall into few cache sets" },
		{ 8160, "its rows, 7.97 KiB apart, fall into few cache sets" },
	};
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct made *made = make();

		access_array(made, 0, OUTER, INNER, rows[i].stride, 1);
		measure(made, DATA_A, MS_METRIC_READS, 1000);
		measure(made, DATA_A, MS_METRIC_STRIDED, 1000);
		measure(made, DATA_A, MS_METRIC_SIM_L1D_MISSES, 1000);
		measure(made, DATA_A, MS_METRIC_SIM_CAPACITY, 100);
		measure(made, DATA_A, MS_METRIC_SIM_CONFLICT, 900);
		find(made, "ConflictMisses", DATA_A, 0.2, 0.6, MS_RUNG_SIMULATED);
		CHECK_HAS(cause_why(arena, &made->run, only(arena, made)), rows[i].why);
	}
}

/* Unknown shapes are not alike. */
TEST(cause__padding_of_several_arrays)
{
	static const char *const shapes[] = { "[512][512]", "" };
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct made *made = make();
		const char *remedy;

		for (uint32_t array = 0; array < 2; array++) {
			uint32_t region = array ? DATA_B : DATA_A;

			made->arrays[array].shape = shapes[i];
			made->arrays[array].element_bytes = 8;
			access_array(made, array, OUTER, INNER, 4096, 1);
			measure(made, region, MS_METRIC_READS, 1000);
			measure(made, region, MS_METRIC_STRIDED, 1000);
			measure(made, region, MS_METRIC_SIM_L1D_MISSES, 1000);
			measure(made, region, MS_METRIC_SIM_CAPACITY, 100);
			measure(made, region, MS_METRIC_SIM_CONFLICT, 900);
			find(made, "ConflictMisses", region, 0.2, 0.6, MS_RUNG_SIMULATED);
		}
		remedy = cause_remedy(arena, &made->run, only(arena, made));
		CHECK_HAS(remedy, "by one cache line");
		CHECK_INT(strstr(remedy, "of the other arrays of its shape") != NULL, !i);
	}
}

/* Loops of one line have one number. */
TEST(cause__two_loops_in_a_line)
{
	struct arena *arena = arena_new();
	struct made *made = make();

	access_array(made, 0, OUTER, INNER, 8000, 1);
	find(made, "StridedAccess", DATA_A, 0.2, 0.6, MS_RUNG_SIMULATED);
	CHECK_HAS_NOT(cause_remedy(arena, &made->run, only(arena, made)), "two are in line");
	add_region(made, REGIONS, MS_LOOP_REGION, INNER, 12);
	made->run.nr_regions = REGIONS + 1;
	made->accesses[0].loop = REGIONS;
	CHECK_HAS(cause_remedy(arena, &made->run, only(arena, made)), "(two are in line 12)");
}

/*
 * Dividing serial code gains the time of the threads that wait, avoiding it all of it; a temporary
 * of the compiler is avoided.
 */
TEST(cause__serial_code_at_most)
{
	struct arena *arena = arena_new();

	for (int kind = 0; kind < 3; kind++) {
		struct made *made = make();
		const struct cause *cause;
		bool fortran = kind > 0, back = kind > 1; /* the copy after the call */

		made->run.threads = 2;
		made->run.phase.executions = 100;
		made->arrays[1].name = "";
		made->arrays[1].blocks = 100;
		made->arrays[1].bytes = 11 << 20;
		made->arrays[1].site_source = (struct source){ .function = "main",
							       .file = fortran ? "k.f90" : "k.c",
							       .line = 25 };
		measure(made, DATA_A, back ? MS_METRIC_WRITES : MS_METRIC_READS, 1000);
		measure(made, DATA_B, MS_METRIC_READS, 900);
		find(made, "SerialStretch", OUTER, 0.4, 0.4, MS_RUNG_TIMED);
		cause = only(arena, made);
		CHECK_NEAR(cause->low, 0.4, 1e-9);
		CHECK_NEAR(cause->high, 0.8, 1e-9);
		CHECK_NEAR(cause_worth(cause), 0.4, 1e-9);
		if (fortran)
			CHECK_HAS(cause_remedy(arena, &made->run, cause),
				  "at k.f90:25 the compiler makes a temporary of 11 MiB, and frees "
				  "it after the call: it copies a section of a that");
		else
			CHECK_STR(cause_remedy(arena, &made->run, cause), "Change it.");
	}
	arena_free(arena);
}

/* Allocated by an assignment (`d = laplacian(u)`), and used in other statements of its procedure. */
TEST(cause__a_variable_is_no_temporary)
{
	static const struct {
		const char *function;
		int line;
		bool temporary;
	} rows[] = { { "main", 25, true }, { "relax", 7, true }, { "main", 26, false } };
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct made *made = make();

		made->run.phase.executions = 100;
		made->arrays[1].name = "";
		made->arrays[1].blocks = 100;
		made->arrays[1].site_source = (struct source){ .function = "main",
							       .file = "k.f90",
							       .line = 25 };
		measure(made, DATA_A, MS_METRIC_READS, 1000);
		measure(made, DATA_B, MS_METRIC_READS, 900);
		access_array(made, 1, OUTER, INNER, 8, 1);
		made->accesses[0].source = (struct source){ .function = rows[i].function,
							    .file = "k.f90",
							    .line = rows[i].line };
		find(made, "AllocationChurn", OUTER, 0.4, 0.4, MS_RUNG_TIMED);
		CHECK_INT(strstr(cause_remedy(arena, &made->run, only(arena, made)),
				 "the compiler makes a temporary") != NULL,
			  rows[i].temporary);
	}
	arena_free(arena);
}

/* Copies for a reduction: the compiler's code has the line of the construct. */
TEST(cause__copies_of_a_reduction)
{
	struct arena *arena = arena_new();

	for (int clause = 0; clause < 2; clause++) {
		struct made *made = make();

		made->arrays[0].kind = "stack";
		made->arrays[0].name = "stacks of threads";
		made->arrays[1].bytes = 11 << 20;
		access_array(made, 0, OUTER, INNER, 8, 1);
		access_array(made, 1, TEAM, TEAM, 8, 1);
		for (size_t i = 0; i < 2; i++)
			made->accesses[i].source.line = clause ? 10 : 13;
		find(made, "CapacityMisses", DATA_A, 0.2, 0.6, MS_RUNG_SIMULATED);
		CHECK_INT(clause,
			  strstr(cause_remedy(arena, &made->run, only(arena, made)),
				 "each thread has a copy of b (11 MiB) on its stack, which the"
				 " construct sets up and adds up") != NULL);
	}
	arena_free(arena);
}

/* Numbers have no fields, and no struct is as large as a page. */
TEST(cause__fields_are_of_structs)
{
	static const struct {
		const char *type;
		double stride;
		const char *remedy;
	} rows[] = {
		{ "struct particle", 80, "arrays of fields" },
		{ "", 80, "another order of indices, arrays of fields" },
		{ NULL, 80, "another order of indices, arrays of fields" },
		{ "intensity", 80, "arrays of fields" },
		{ "double", 80, "another order of indices" },
		{ "real(8)", 80, "another order of indices" },
		{ "", 65536, "another order of indices" },
	};
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct made *made = make();

		made->arrays[0].type = rows[i].type;
		made->arrays[0].bytes = 1 << 20;
		access_array(made, 0, OUTER, INNER, rows[i].stride, 1);
		find(made, "StridedAccess", DATA_A, 0.2, 0.6, MS_RUNG_SIMULATED);
		CHECK_INT(only(arena, made)->kind, CAUSE_LAYOUT);
		CHECK_HAS(cause_remedy(arena, &made->run, only(arena, made)), rows[i].remedy);
	}
}

/* From row to row, a field of each of the structs; a field of structs one after the other; of a tenth of them. */
TEST(cause__rows_of_structs)
{
	static const struct {
		double stride;
		uint64_t bytes;
		enum cause_kind kind;
	} rows[] = { { 8000, 40000, CAUSE_LOOP_ORDER },
		     { 400, 40000, CAUSE_LAYOUT },
		     { 8000, 400000, CAUSE_LAYOUT } };
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct made *made = make();

		made->arrays[0].type = "struct cell";
		made->arrays[0].element_bytes = 40;
		made->arrays[0].bytes = rows[i].bytes;
		access_array(made, 0, OUTER, INNER, rows[i].stride, 1);
		measure(made, DATA_A, MS_METRIC_SIM_FETCHED_BYTES, 64000);
		measure(made, DATA_A, MS_METRIC_SIM_USED_BYTES, 8000);
		find(made, "StridedAccess", DATA_A, 0.2, 0.6, MS_RUNG_SIMULATED);
		CHECK_INT(only(arena, made)->kind, rows[i].kind);
	}
}

TEST(cause__rows_that_are_blocks_cannot_be_padded)
{
	struct arena *arena = arena_new();

	for (uint64_t blocks = 1; blocks <= 2; blocks++) {
		struct made *made = make();

		made->arrays[0].blocks = blocks;
		access_array(made, 0, OUTER, INNER, 8192, 1);
		measure(made, DATA_A, MS_METRIC_SIM_CONFLICT, 950);
		measure(made, DATA_A, MS_METRIC_SIM_CAPACITY, 50);
		measure(made, DATA_A, MS_METRIC_SIM_FALSE_SHARING, 0);
		measure(made, DATA_A, MS_METRIC_SIM_TRUE_SHARING, 0);
		measure(made, DATA_A, MS_METRIC_SIM_COLD, 0);
		find(made, "ConflictMisses", DATA_A, 0.2, 0.6, MS_RUNG_SIMULATED);
		CHECK_INT(only(arena, made)->kind, blocks > 1 ? CAUSE_LOOP_ORDER : CAUSE_CONFLICTS);
	}
}

/* A team inside of a team: OMP_NUM_THREADS is not what makes them too many. */
TEST(cause__nested_teams_are_named)
{
	for (int is_nested = 0; is_nested < 2; is_nested++) {
		struct arena *arena = arena_new();
		struct made *made = make();
		const char *remedy;

		made->regions[OTHER].kind = is_nested ? MS_PARALLEL_REGION : MS_DO_REGION;
		made->regions[OTHER].parent = INNER;
		find(made, "Oversubscription", PHASE, 0.5, 0.5, MS_RUNG_TIMED);
		remedy = cause_remedy(arena, &made->run, only(arena, made));
		CHECK_INT(strstr(remedy, "k.c:30 starts inside another one") != NULL, is_nested);
		CHECK_INT(!strcmp(remedy, "Change it."), !is_nested);
		arena_free(arena);
	}
}

/* Threads wait for the one that makes tasks, or for tasks, as these are small. */
TEST(cause__waits_of_small_tasks)
{
	static const struct {
		const char *property;
		double tasks, each;
		bool small;
	} rows[] = { { "SingleConstruct", 60000, 84, true },
		     { "TaskwaitHere", 60000, 84, true },
		     { "SingleConstruct", 60000, 50e3, false },
		     { "SingleConstruct", 4, 84, false },
		     { "BarrierHere", 60000, 84, false } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *arena = arena_new();
		struct made *made = make();

		made->regions[OUTER].kind = MS_SINGLE_REGION;
		made->regions[INNER].kind = MS_TASK_REGION;
		measure(made, INNER, MS_METRIC_TASKS, rows[i].tasks);
		measure(made, INNER, MS_METRIC_TASK_TIME, rows[i].tasks * rows[i].each);
		find(made, rows[i].property, OUTER, 0.5, 0.5, MS_RUNG_TIMED);
		CHECK_INT(strstr(cause_remedy(arena, &made->run, only(arena, made)),
				 "tasks made at k.c:12 work 84 ns") != NULL,
			  rows[i].small);
		arena_free(arena);
	}
}

/* A task construct that the compiler copied, and another one: two places. */
TEST(cause__copies_of_a_task_construct)
{
	static const uint32_t at[] = { OUTER, INNER, OTHER };
	struct run_evidence evidence[3][2];
	struct arena *arena = arena_new();
	struct made *made = make();
	const struct cause *cause;

	for (uint32_t i = 0; i < 3; i++) {
		made->regions[at[i]].kind = MS_TASK_REGION;
		made->regions[at[i]].parent = TEAM;
		made->regions[at[i]].construct = (struct code_address){ 0, 16 * i };
		evidence[i][0] = (struct run_evidence){ "tasks",
							"1",
							{ .value = 3000 - 1000 * i } };
		evidence[i][1] = (struct run_evidence){ "each", "ns", { .value = 100 + 60 * i } };
		find(made, "SmallTasks", at[i], 0.3 - 0.05 * i, 0.3 - 0.05 * i, MS_RUNG_TIMED);
		made->nodes[i].evidence = evidence[i];
		made->nodes[i].nr_evidence = 2;
	}
	cause = only(arena, made);
	CHECK_INT(cause->nr_constructs, 3);
	CHECK_STR(cause_why(arena, &made->run, cause), "So it is.");
	made->regions[INNER].source.line = made->regions[OUTER].source.line;
	cause = only(arena, made);
	CHECK_INT(cause->nr_constructs, 2);
	CHECK_STR(
		cause_why(arena, &made->run, cause),
		"This construct creates 5000 tasks of 124 ns in one execution of the phase: the compiler made 2 copies of it.");
	arena_free(arena);
}

/* Four threads: is the work of one longer than theirs, and than starting and ending the region? */
TEST(cause__regions_that_one_thread_finishes_first)
{
	static const struct {
		double work, start;
		bool alone;
	} rows[] = {
		{ 245, 900, true }, { 245, 740, true }, { 245, 730, false }, { 20e3, 3e3, false }
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const double values[] = { rows[i].work, rows[i].start, 4 * 3 * rows[i].start, 3 };
		static const char *const names[] = { "work", "overhead", "cost", "times" };
		struct run_evidence evidence[4];
		struct arena *arena = arena_new();
		struct made *made = make();
		const char *remedy;

		for (size_t k = 0; k < 4; k++)
			evidence[k] = (struct run_evidence){ names[k],
							     "ns",
							     { .value = values[k] } };
		find(made, "RegionTooSmall", TEAM, 0.3, 0.5, MS_RUNG_TIMED);
		made->nodes[0].evidence = evidence;
		made->nodes[0].nr_evidence = 4;
		remedy = cause_remedy(arena, &made->run, only(arena, made));
		if (rows[i].alone)
			CHECK_HAS(remedy,
				  "the parallel region at k.c:10 in 980 ns or less, the team in ");
		else
			CHECK_STR(remedy, "Change it.");
		arena_free(arena);
	}
}

/* A sum can be private; what is no number may be a queue behind a lock. */
TEST(cause__shared_data_behind_a_lock)
{
	for (int is_number = 0; is_number < 2; is_number++) {
		struct arena *arena = arena_new();
		struct made *made = make();

		made->arrays[0].type = is_number ? "double" : "queue";
		access_array(made, 0, OUTER, INNER, 0, 1);
		measure(made, DATA_A, MS_METRIC_WRITES, 1000);
		measure(made, DATA_A, MS_METRIC_SIM_TRUE_SHARING, 900);
		find(made, "TrueSharing", DATA_A, 0.2, 0.6, MS_RUNG_SIMULATED);
		CHECK_INT(strstr(cause_remedy(arena, &made->run, only(arena, made)), "a queue") !=
				  NULL,
			  !is_number);
		arena_free(arena);
	}
}
