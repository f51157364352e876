/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values by NUMA node: in the property language, in the database, and in the properties that use
 * them.
 */
#include "analysis/properties/asl.h"
#include "analysis/properties/fill.h"
#include "analysis/search/database.h"
#include "analysis/search/database_reading.h"
#include "tests/unit/context.h"
#include "tests/unit/search.h"

#define MS 1e6 /* ns */
#define HEAD "PROPERTY P(Region r, Phase p) {\nTITLE \"t\"; KINDS USER_REGION, PARALLEL_REGION;\n"
#define TAIL " CONFIDENCE: 1; SEVERITY: 50 %; EXPLANATION \"e {nodes}\"; ADVICE \"a\"; }\n"

enum { PHASE, PARALLEL, LOOP };

static struct property_set *load_good(int line, const char *text)
{
	struct property_set *set = property_set_new(arena_new());

	property_set_parse(set, "f.asl", text, strlen(text));
	link_set(set);
	if (set->nr_messages)
		test_fail(__FILE__, line, "%d:%d: %s", set->messages[0].line,
			  set->messages[0].column, set->messages[0].text);
	return set;
}

static struct ms_verdict ask(struct table *table, int line, const char *clauses)
{
	char text[4096];

	snprintf(text, sizeof(text), "%s%s%s", HEAD, clauses, TAIL);
	return table_ask(table, load_good(line, text), "P", PARALLEL);
}

/* `nodes` has a digit for each thread: the number of its node. */
static void place(struct table *table, const char *nodes)
{
	for (uint32_t thread = 0; nodes[thread]; thread++)
		table_set(table, PHASE, thread, MS_METRIC_NODE, nodes[thread] - '0');
}

/*
 * Threads as many as `nodes` has digits. Times of the parallel region 100 200 300 … ns, loads 1 2 3
 * …; in it a loop in which they wait 10 20 30 … ns. Phase: 1000 ns.
 */
static struct table *team(const char *nodes)
{
	struct table *table = table_new((uint32_t)strlen(nodes), 1000);

	table->nodes = 4;
	table_region(table, PHASE, MS_PARALLEL_REGION, 2);
	table_region(table, PARALLEL, MS_DO_REGION, 3);
	for (uint32_t thread = 0; thread < table->threads; thread++) {
		table_set(table, PARALLEL, thread, MS_METRIC_TIME, 100 * (thread + 1));
		table_set(table, PARALLEL, thread, MS_METRIC_LOADS, thread + 1);
		table_set(table, LOOP, thread, MS_METRIC_BARRIER_WAIT, 10 * (thread + 1));
	}
	table_set(table, PARALLEL, 0, MS_METRIC_WALL_TIME, 800);
	table_missing(table, PARALLEL, MS_METRIC_SAMPLES, MS_MISSING_NOT_PERMITTED);
	place(table, nodes);
	return table;
}

/* -- the language */

static const struct {
	int line;
	const char *nodes, *expression;
	double value;
} values[] = {
	/* 1 + 2 and 3 + 4 */
	{ __LINE__, "0011", "max(sum(r.loads) BY NODE)", 7 },
	{ __LINE__, "0011", "min(sum(r.loads) BY NODE)", 3 },
	{ __LINE__, "0011", "mean(sum(r.loads) BY NODE)", 5 },
	{ __LINE__, "0011", "sum(sum(r.loads) BY NODE)", 10 },
	{ __LINE__, "0011", "count(threads(r) BY NODE)", 2 },
	{ __LINE__, "0011", "imbalance(sum(r.loads) BY NODE)", 0.4 },
	/* 1 + 3 and 2 + 4 */
	{ __LINE__, "0101", "imbalance(sum(r.loads) BY NODE)", 0.2 },
	{ __LINE__, "0011", "count(sum(r.loads) > 5 BY NODE)", 1 },
	{ __LINE__, "0000", "imbalance(sum(r.loads) BY NODE)", 0 },
	{ __LINE__, "2222", "max(sum(r.loads) BY NODE)", 10 },
	/* five threads and one: 15 and 6, 3 and 6 each; 4 is as node 3 as any */
	{ __LINE__, "000003", "max(sum(r.loads) BY NODE)", 15 },
	{ __LINE__, "000003", "max(mean(r.loads) BY NODE)", 6 },
	{ __LINE__, "000003", "min(mean(r.loads) BY NODE)", 3 },
	{ __LINE__, "000003", "max(threads(r) BY NODE)", 5 },
	{ __LINE__, "000003", "mean(threads(r) BY NODE)", 3 },
	{ __LINE__, "000003", "max(sum(r.loads) / threads(r) BY NODE)", 6 },
	/* four nodes, two threads each: 3 7 11 15 */
	{ __LINE__, "00112233", "imbalance(sum(r.loads) BY NODE)", 6.0 / 9 },
	/* within a node: 1 and 2 */
	{ __LINE__, "00112233", "max(imbalance(r.loads) BY NODE)", 1.0 / 3 },
	{ __LINE__, "00112233", "count(max(r.time) > 450 ns BY NODE)", 2 },
	/*
	 * one thread's value is compared with all threads', not with its node's: 3 and 4 are beyond
	 * 2.5, both on node 1
	 */
	{ __LINE__, "0011", "max(count(r.loads > mean(r.loads)) BY NODE)", 2 },
	{ __LINE__, "0011", "min(count(r.loads > mean(r.loads)) BY NODE)", 0 },
	/* BY NODE inside of BY NODE looks at all nodes again: 7 / 5 */
	{ __LINE__, "0011", "max(sum(r.loads) / mean(sum(r.loads) BY NODE) BY NODE)", 1.4 },
	/* the phase and the wall time are everybody's */
	{ __LINE__, "0011", "min(sum(r.time) / sum(p.wall_time) BY NODE)", 0.3 },
	{ __LINE__, "0011", "min(sum(r.time) / sum(r.wall_time) BY NODE)", 300.0 / 800 },
	{ __LINE__, "0011", "min(sum(r.time) / sum(p.cpu_time) BY NODE)", 300.0 / 4000 },
	/* subregions: 10 + 20 and 30 + 40 */
	{ __LINE__, "0011", "max(sum(r.DO_REGION.barrier_wait) BY NODE) / 1 ns", 70 },
	{ __LINE__, "0011", "max(sum(r.DO_REGION.waited) BY NODE) / 1 ns", 70 },
	/* derived metrics: of a region, of a thread, and by node themselves */
	{ __LINE__, "0011", "max(r.rate BY NODE)", 7e3 / 400 },
	{ __LINE__, "0011", "max(sum(r.twice) BY NODE)", 14 },
	{ __LINE__, "0011", "r.worst_node", 7 },
	{ __LINE__, "0011", "either(max(sum(r.samples) BY NODE), 5)", 5 },
};

static const char metrics[] = "METRIC waited [ns] = sum(r.barrier_wait) \"\";\n"
			      "METRIC rate [1] = sum(r.loads) * 1 us / max(r.time) \"\";\n"
			      "METRIC twice [1] = 2 * r.loads \"\";\n"
			      "METRIC worst_node [1] = max(sum(r.loads) BY NODE) \"\";\n";

TEST(nodes__values)
{
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct table *table = team(values[i].nodes);
		struct ms_verdict verdict;
		char text[4096];

		snprintf(text, sizeof(text), "%s%sLET x = %s; IN CONDITION: 1 < 2;%s", metrics,
			 HEAD, values[i].expression, TAIL);
		verdict = table_ask(table, load_good(values[i].line, text), "P", PARALLEL);
		if (verdict.evidence[0].reading.missing ||
		    fabs(verdict.evidence[0].reading.value - values[i].value) > 1e-9)
			test_fail(__FILE__, values[i].line, "%s is %g, missing %d",
				  values[i].expression, verdict.evidence[0].reading.value,
				  verdict.evidence[0].reading.missing);
	}
}

/* What one node lacks is unknown for all, and so is everything where one thread's node is. */
TEST(nodes__unknown_stays_unknown)
{
	static const char condition[] = "CONDITION: imbalance(sum(r.loads) BY NODE) > 0.3;";
	struct table *table = team("0011");
	struct ms_verdict verdict = ask(table, __LINE__, condition);

	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_INT(verdict.rung, MS_RUNG_COUNTED);
	table->cells[PARALLEL][1][MS_METRIC_LOADS] = (struct ms_reading){
		.missing = MS_MISSING_UNCOVERED
	};
	verdict = ask(table, __LINE__, condition);
	CHECK_INT(verdict.truth, MS_UNKNOWN);
	CHECK_INT(verdict.missing, MS_MISSING_UNCOVERED);
	CHECK_INT(verdict.missing_metric, MS_METRIC_LOADS);
	table = team("0011");
	table->cells[PHASE][3][MS_METRIC_NODE] = (struct ms_reading){ .missing = MS_MISSING_MOVED };
	verdict = ask(table, __LINE__, condition);
	CHECK_INT(verdict.truth, MS_UNKNOWN);
	CHECK_INT(verdict.missing, MS_MISSING_MOVED);
	CHECK_INT(verdict.missing_metric, MS_METRIC_NODE);
	/* never looked at */
	table->cells[PHASE][3][MS_METRIC_NODE] = (struct ms_reading){
		.missing = MS_MISSING_NOT_EXECUTED
	};
	verdict = ask(table, __LINE__, condition);
	CHECK_INT(verdict.truth, MS_UNKNOWN);
	CHECK_INT(verdict.missing, MS_MISSING_UNCOVERED);
	CHECK_INT(verdict.missing_metric, MS_METRIC_NODE);
	for (int i = 0; i < 2; i++) { /* no node has such a number */
		table_set(table, PHASE, 3, MS_METRIC_NODE, i ? -1 : 1e300);
		CHECK_INT(ask(table, __LINE__, condition).missing, MS_MISSING_BROKEN);
	}
	table->cells[PHASE][3][MS_METRIC_NODE] = (struct ms_reading){
		.missing = MS_MISSING_NOT_EXECUTED
	};
	/* three-valued as everywhere, and one node needs no answer */
	CHECK_INT(ask(table, __LINE__,
		      "CONDITION: nodes > 4 AND imbalance(sum(r.loads) BY NODE) > 0.3;")
			  .truth,
		  MS_FALSE);
	CHECK_INT(ask(table, __LINE__,
		      "CONDITION: nodes > 1 OR imbalance(sum(r.loads) BY NODE) > 0.3;")
			  .truth,
		  MS_TRUE);
	CHECK_INT(ask(table, __LINE__, "CONDITION: count(threads(r) BY NODE) > 1;").truth,
		  MS_UNKNOWN);
	verdict = ask(table, __LINE__, "CONDITION: imbalance(sum(r.samples) BY NODE) > 0.3;");
	CHECK_INT(verdict.truth, MS_UNKNOWN);
}

/*
 * What no thread of a node has executed is none of its, not 0; a sum over nodes goes on without it.
 */
TEST(nodes__not_executed_on_a_node)
{
	struct table *table = team("0011");
	struct ms_verdict verdict;

	for (uint32_t thread = 2; thread < 4; thread++)
		table->cells[PARALLEL][thread][MS_METRIC_TIME] = (struct ms_reading){
			.missing = MS_MISSING_NOT_EXECUTED
		};
	verdict = ask(
		table, __LINE__,
		"LET least = min(mean(r.time) BY NODE); all = sum(sum(r.time) BY NODE); nr = count(mean(r.time) BY NODE); IN CONDITION: 1 < 2;");
	CHECK_NEAR(verdict.evidence[0].reading.value, 150, 1e-9);
	CHECK_NEAR(verdict.evidence[1].reading.value, 300, 1e-9);
	CHECK_NEAR(verdict.evidence[2].reading.value, 1, 0);
}

/* sqrt(3² + 4²) of the node that is the larger; the weakest rung of what was looked at. */
TEST(nodes__errors_and_rungs)
{
	struct table *table = team("0011");
	struct ms_verdict verdict;

	table->cells[PARALLEL][2][MS_METRIC_TIME].error = 30;
	table->cells[PARALLEL][3][MS_METRIC_TIME].error = 40;
	verdict = ask(table, __LINE__, "LET x = max(sum(r.time) BY NODE); IN CONDITION: x > 1 ns;");
	CHECK_NEAR(verdict.evidence[0].reading.error, 50, 1e-9);
	CHECK_INT(verdict.rung, MS_RUNG_TIMED);
	CHECK_STR(verdict.evidence[0].unit, "ns");
}

/* Bounds shift by the bias in the condition of a node, too: 7 against 6.8. */
TEST(nodes__bias_shifts_the_bound)
{
	struct table *table = team("0011");

	CHECK_INT(ask(table, __LINE__, "CONDITION: count(sum(r.loads) > 6.8 BY NODE) > 0;").truth,
		  MS_TRUE);
	table->context.bias = 0.05;
	CHECK_INT(ask(table, __LINE__, "CONDITION: count(sum(r.loads) > 6.8 BY NODE) > 0;").truth,
		  MS_FALSE);
}

TEST(nodes__culprits_worst_first)
{
	struct property_set *set = load_good(
		__LINE__, HEAD
		"LET m = mean(sum(r.loads) BY NODE); IN CONDITION: 1 < 2; BY NODE: sum(r.loads) > m;" TAIL);
	const struct property *property = set->properties[0];
	struct table *table = team("00221133");
	uint32_t out[8], metrics_nr;
	const uint32_t *of_phase;

	table->context.region = PARALLEL;
	CHECK(property_by_thread(property));
	/* 3 7 11 15 on nodes 0 2 1 3 */
	CHECK_INT(property_nodes(property, &table->context, out, 8), 2);
	CHECK_INT(out[0], 3);
	CHECK_INT(out[1], 1);
	CHECK_INT(property_nodes(property, &table->context, NULL, 0), 2);
	CHECK_INT(property_threads(property, &table->context, out, 8), 4);
	CHECK_INT(out[0], 6);
	CHECK_INT(out[1], 7);
	CHECK_INT(out[2], 4);
	CHECK_INT(out[3], 5);
	CHECK_INT(property_threads(property, &table->context, out, 3), 4);
	metrics_nr = (uint32_t)property_phase_metrics(property, &of_phase);
	CHECK_INT(metrics_nr, 1);
	CHECK_INT(of_phase[0], MS_METRIC_NODE);
	table->cells[PHASE][5][MS_METRIC_NODE] = (struct ms_reading){ .missing = MS_MISSING_MOVED };
	/* half an answer is none */
	CHECK_INT(property_nodes(property, &table->context, out, 8), 0);
	CHECK_INT(property_threads(property, &table->context, out, 8), 0);
}

/* Threads by one clause, nodes by the other. */
TEST(nodes__culprits_of_both_kinds)
{
	struct property_set *set = load_good(
		__LINE__,
		HEAD "CONDITION: 1 < 2; BY NODE: sum(r.loads) > 5; BY THREAD: r.loads > 3;" TAIL);
	struct table *table = team("0110");
	uint32_t out[8];

	table->context.region = PARALLEL;
	place(table, "1100");
	CHECK_INT(property_nodes(set->properties[0], &table->context, out, 8), 1);
	CHECK_INT(out[0], 0);
	CHECK_INT(property_threads(set->properties[0], &table->context, out, 8), 1);
	CHECK_INT(out[0], 3);
	CHECK(strstr(property_formulas(set->arena, set->properties[0]),
		     "BY NODE: sum(r.loads) > 5;") != NULL);
}

/* -- the database: on which node a thread runs */

static struct database *new_database(struct arena *arena)
{
	struct database *db = database_new(arena);

	region(db, PHASE, MS_REGION_NONE, MS_USER_REGION);
	request(db, PHASE, MS_METRIC_NODE, 0);
	return db;
}

/* So many executions at the end of which thread 0 is on that node. */
static void run_on(struct database *db, double node, int executions)
{
	for (int i = 0; i < executions; i++) {
		database_execution_begin(db);
		row(db, PHASE, 0, MS_METRIC_NODE, node);
		database_execution_end(db, 100, 1);
	}
}

static struct ms_reading node_in(const struct database *db)
{
	return database_reading(db, DATABASE_ALL_BATCHES, PHASE, 0, MS_METRIC_NODE);
}

/* A stray look in ten does not matter, a second one does: 9 and 1, then 9 and 2, then 18 and 2. */
TEST(nodes__nine_of_ten_executions)
{
	struct arena *arena = arena_new();
	struct database *db = new_database(arena);

	CHECK_INT(node_in(db).missing, MS_MISSING_NOT_REQUESTED);
	run_on(db, 0, 9);
	CHECK_NEAR(node_in(db).value, 0, 0);
	run_on(db, 1, 1);
	CHECK_INT(node_in(db).missing, MS_PRESENT);
	CHECK_NEAR(node_in(db).value, 0, 0);
	run_on(db, 1, 1);
	CHECK_INT(node_in(db).missing, MS_MISSING_MOVED);
	run_on(db, 0, 9);
	CHECK_INT(node_in(db).missing, MS_PRESENT);
	CHECK_NEAR(node_in(db).value, 0, 0);
	CHECK_NEAR(node_in(db).error, 0, 0);
	CHECK_INT(node_in(db).rung, MS_RUNG_COUNTED);
	database_clear(db);
	run_on(db, 3, 1);
	CHECK_NEAR(node_in(db).value, 3, 0);
	arena_free(arena);
}

/*
 * From node 0 to 2 early on: unknown until nine of ten were on 2; what is not sure to have been
 * there is not counted.
 */
TEST(nodes__a_thread_that_moves_for_good)
{
	struct arena *arena = arena_new();
	struct database *db = new_database(arena);

	run_on(db, 0, 2);
	run_on(db, 2, 2);
	CHECK_INT(node_in(db).missing, MS_MISSING_MOVED);
	run_on(db, 2, 1); /* the most: 3 of 5, at least 1 of them */
	CHECK_INT(node_in(db).missing, MS_MISSING_MOVED);
	run_on(db, 2, 34);
	CHECK_INT(node_in(db).missing, MS_MISSING_MOVED);
	run_on(db, 2, 1); /* 36 and 4 */
	CHECK_INT(node_in(db).missing, MS_PRESENT);
	CHECK_NEAR(node_in(db).value, 2, 0);
	arena_free(arena);
}

/* Of three nodes in turn none is home, however it is counted. */
TEST(nodes__a_thread_that_wanders)
{
	struct arena *arena = arena_new();
	struct database *db = new_database(arena);

	for (int i = 0; i < 300; i++) {
		run_on(db, i % 3, 1);
		CHECK(i == 0 || node_in(db).missing == MS_MISSING_MOVED);
	}
	arena_free(arena);
}

static void copy(void *ctx, const struct ms_measurement *row, uint64_t phases, double observed_ns)
{
	(void)phases, (void)observed_ns;
	CHECK_INT(database_add(ctx, row), MS_OK);
}

/* What is written down of a thread that wandered is not taken for a node by whoever reads it. */
TEST(nodes__rows_say_whether_a_node_lasted)
{
	struct arena *arena = arena_new();
	struct database *moved = new_database(arena), *stayed = new_database(arena),
			*again = new_database(arena);

	run_on(moved, 0, 3);
	run_on(moved, 1, 2);
	run_on(stayed, 1, 19);
	run_on(stayed, 0, 1);
	database_each(stayed, copy, again);
	database_execution_end(again, 100, 1);
	CHECK_NEAR(node_in(again).value, 1, 0);
	CHECK_INT(node_in(again).missing, MS_PRESENT);
	database_each(moved, copy, again);
	database_execution_end(again, 100, 1);
	CHECK_INT(node_in(again).missing, MS_MISSING_MOVED);
	again = new_database(arena);
	database_each(moved, copy, again);
	database_execution_end(again, 100, 1);
	CHECK_INT(node_in(again).missing, MS_MISSING_MOVED);
	arena_free(arena);
}

/* -- the properties */

/* One thread in 100 ms: misses of every level and lines, in thousands; part of the time stalled. */
struct traffic {
	double misses, lines, stalls, remote;
};

static void set_traffic(struct table *table, uint32_t thread, const struct traffic *traffic)
{
	static const enum ms_metric levels[] = { MS_METRIC_L1D_MISSES, MS_METRIC_L2D_MISSES,
						 MS_METRIC_L3D_MISSES };

	table_set(table, PARALLEL, thread, MS_METRIC_TIME, 100 * MS);
	table_set(table, PARALLEL, thread, MS_METRIC_CPU_TIME, 100 * MS);
	table_set(table, PARALLEL, thread, MS_METRIC_SYSTEM_TIME, 0);
	table_set(table, PARALLEL, thread, MS_METRIC_CYCLES, 300e6);
	table_set(table, PARALLEL, thread, MS_METRIC_STALL_CYCLES, 300e6 * traffic->stalls);
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		table_set(table, PARALLEL, thread, levels[i], 1e3 * traffic->misses);
	table_set(table, PARALLEL, thread, MS_METRIC_HITM, 0);
	table_set(table, PARALLEL, thread, MS_METRIC_DRAM_READS, 1e3 * traffic->lines);
	table_set(table, PARALLEL, thread, MS_METRIC_DRAM_REMOTE, 1e3 * traffic->remote);
	table_set(table, PARALLEL, thread, MS_METRIC_DRAM_LOCAL,
		  1e3 * (traffic->misses - traffic->remote));
}

/*
 * `kinds` has a letter for each thread: b(usy), i(dle), s(low, with the lines of an idle one),
 * f(ast, with those of a busy one), r(emote).
 */
static struct table *traffic_of(const char *nodes, const char *kinds)
{
	/*
	 * memory, at 150 ns: 75 ms at most, 60 at least; 7.5 and 5; 60 of 75; 5 of 75, as stalls
	 * say; as busy
	 */
	static const struct {
		char letter;
		struct traffic traffic;
	} rows[] = {
		{ 'b', { 500, 10000, 0.6, 0 } },   { 'i', { 50, 1000, 0.05, 0 } },
		{ 's', { 500, 1000, 0.6, 0 } },    { 'f', { 500, 10000, 0.05, 0 } },
		{ 'r', { 500, 10000, 0.6, 400 } },
	};
	struct table *table = table_new((uint32_t)strlen(nodes), 100 * MS);

	table->nodes = 4;
	table->line_size = 64;
	table_region(table, PHASE, MS_PARALLEL_REGION, 10);
	for (uint32_t thread = 0; thread < table->threads; thread++)
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			if (rows[i].letter == kinds[thread])
				set_traffic(table, thread, &rows[i].traffic);
	place(table, nodes);
	table->context.region = PARALLEL;
	return table;
}

static const struct {
	int line;
	const char *nodes, *kinds;
	enum ms_truth truth;
	double low, high;
	const char *guilty;
} unbalanced[] = {
	/* 60 and 5 ms: 60 - 32.5 of 100; 75 and 7.5: 75 - 41.25 */
	{ __LINE__, "00001111", "iiiibbbb", MS_TRUE, 0.275, 0.3375, "1" },
	{ __LINE__, "11110000", "iiiibbbb", MS_TRUE, 0.275, 0.3375, "0" },
	/* 60 - 18.75; 75 - 24.375 */
	{ __LINE__, "00112233", "iiiibbii", MS_TRUE, 0.4125, 0.50625, "2" },
	{ __LINE__, "00001111", "bbbbbbbb", MS_FALSE, 0, 0, "" },
	/* between threads, not between nodes */
	{ __LINE__, "00001111", "iibbiibb", MS_FALSE, 0, 0, "" },
	/* all of them on one */
	{ __LINE__, "00000000", "iiiibbbb", MS_FALSE, 0, 0, "" },
	/* two of four: 20 M each, a mean one 11 */
	{ __LINE__, "00112233", "bbiibbii", MS_TRUE, 0.275, 0.3375, "02" },
	/* three of four: 20 M, 15.5 */
	{ __LINE__, "00112233", "bbbbbbii", MS_FALSE, 0, 0, "" },
	/*
	 * unequal numbers of threads: three times the lines is not more than that; seven times is,
	 * but nobody waits for them
	 */
	{ __LINE__, "00000011", "bbbbbbbb", MS_FALSE, 0, 0, "" },
	{ __LINE__, "00000001", "bbbbbbbb", MS_FALSE, 0, 0, "0" },
	/* 60 - 53.125; 75 - 66.5625 */
	{ __LINE__, "00000001", "bbbbbbbi", MS_TRUE, 0.06875, 0.084375, "0" },
	/* one thread has more than seven: UnbalancedL3… says so */
	{ __LINE__, "01111111", "biiiiiii", MS_FALSE, 0, 0, "" },
	/* one node's threads have the lines, those of the other wait */
	{ __LINE__, "00001111", "ssssffff", MS_FALSE, 0, 0, "1" },
};

static void check_unbalanced(size_t at, const struct property_set *set)
{
	struct table *table = traffic_of(unbalanced[at].nodes, unbalanced[at].kinds);
	struct ms_verdict verdict = table_ask(table, set, "UnbalancedNodeTraffic", PARALLEL);
	const struct property *property = property_set_find(set, "UnbalancedNodeTraffic");
	char guilty[8] = "";
	uint32_t out[4];
	size_t nr = property_nodes(property, &table->context, out, 4);

	if (verdict.truth != unbalanced[at].truth)
		test_fail(__FILE__, unbalanced[at].line, "is %d, severity %g, missing %d of %d",
			  verdict.truth, verdict.severity, verdict.missing, verdict.missing_metric);
	if (verdict.truth == MS_TRUE && (fabs(verdict.severity - unbalanced[at].low) > 1e-9 ||
					 fabs(verdict.severity_high - unbalanced[at].high) > 1e-9))
		test_fail(__FILE__, unbalanced[at].line, "%.9g to %.9g", verdict.severity,
			  verdict.severity_high);
	for (size_t i = 0; i < nr && i < 4; i++)
		snprintf(guilty + i, sizeof(guilty) - i, "%u", out[i]);
	if (strcmp(guilty, unbalanced[at].guilty))
		test_fail(__FILE__, unbalanced[at].line, "names '%s'", guilty);
}

TEST(nodes__unbalanced_traffic)
{
	struct property_set *set = shipped_properties();

	for (size_t i = 0; i < sizeof(unbalanced) / sizeof(unbalanced[0]); i++)
		check_unbalanced(i, set);
}

TEST(nodes__unbalanced_traffic_that_cannot_be_told)
{
	struct property_set *set = shipped_properties();
	struct table *table = traffic_of("00001111", "iiiibbbb");
	struct ms_verdict verdict;

	table->nodes = 1; /* needs no counters */
	CHECK_INT(table_ask(table, set, "UnbalancedNodeTraffic", PARALLEL).truth, MS_FALSE);
	table->nodes = 2;
	table->cells[PHASE][2][MS_METRIC_NODE] = (struct ms_reading){ .missing = MS_MISSING_MOVED };
	verdict = table_ask(table, set, "UnbalancedNodeTraffic", PARALLEL);
	CHECK_INT(verdict.truth, MS_UNKNOWN);
	CHECK_INT(verdict.missing, MS_MISSING_MOVED);
	CHECK_INT(verdict.missing_metric, MS_METRIC_NODE);
	table->nodes = 1;
	CHECK_INT(table_ask(table, set, "UnbalancedNodeTraffic", PARALLEL).truth, MS_FALSE);
	table = traffic_of("00001111", "iiiibbbb");
	table->cells[PARALLEL][1][MS_METRIC_L3D_MISSES] = (struct ms_reading){
		.missing = MS_MISSING_UNCOVERED
	};
	table->cells[PARALLEL][1][MS_METRIC_DRAM_LOCAL] = (struct ms_reading){
		.missing = MS_MISSING_UNCOVERED
	};
	verdict = table_ask(table, set, "UnbalancedNodeTraffic", PARALLEL);
	CHECK_INT(verdict.truth, MS_UNKNOWN);
	CHECK_INT(verdict.missing, MS_MISSING_UNCOVERED);
	/* lines of data accesses where those of prefetches are not counted: 200 k and 2 M */
	table = traffic_of("00001111", "iiiibbbb");
	table_missing(table, PARALLEL, MS_METRIC_DRAM_READS, MS_MISSING_UNSUPPORTED);
	verdict = table_ask(table, set, "UnbalancedNodeTraffic", PARALLEL);
	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_NEAR(verdict.evidence[0].reading.value, 2e6 / 1.1e6 - 1, 1e-9);
	CHECK_NEAR(verdict.evidence[1].reading.value, 2e6, 1e-6);
	CHECK_NEAR(verdict.evidence[3].reading.value, 2, 0);
}

static const char *explanation(const struct property_set *set, const char *name,
			       const struct ms_verdict *verdict, const char *nodes)
{
	const struct property_word words[] = { { "nodes", nodes },
					       { "threads", NULL },
					       { "execution", "the run" } };

	return property_fill(set->arena, property_explanation(property_set_find(set, name)),
			     verdict->evidence, verdict->nr_evidence, words, 3);
}

/* Data on node 0 that threads of node 1 use: of 500 k lines each 400 k are remote. */
TEST(nodes__remote_accesses_name_the_node)
{
	struct property_set *set = shipped_properties();
	const struct property *property = property_set_find(set, "RemoteDramAccesses");
	struct table *table = traffic_of("00001111", "bbbbrrrr");
	struct ms_verdict verdict = table_ask(table, set, "RemoteDramAccesses", PARALLEL);
	uint32_t out[8];

	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_INT(property_nodes(property, &table->context, out, 8), 1);
	CHECK_INT(out[0], 1);
	CHECK_INT(property_threads(property, &table->context, out, 8), 4);
	CHECK_INT(out[0], 4);
	CHECK(strstr(explanation(set, "RemoteDramAccesses", &verdict, "node 1"),
		     " The threads of node 1 get most: up to 1600000 per node.") != NULL);
	/* where a thread wandered the finding stands, without its nodes */
	table->cells[PHASE][7][MS_METRIC_NODE] = (struct ms_reading){ .missing = MS_MISSING_MOVED };
	verdict = table_ask(table, set, "RemoteDramAccesses", PARALLEL);
	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_INT(property_nodes(property, &table->context, out, 8), 0);
	CHECK(strstr(explanation(set, "RemoteDramAccesses", &verdict, NULL), "per node.") == NULL);
	/* all alike: no node stands out */
	table = traffic_of("00001111", "rrrrrrrr");
	CHECK_INT(table_ask(table, set, "RemoteDramAccesses", PARALLEL).truth, MS_TRUE);
	CHECK_INT(property_nodes(property, &table->context, out, 8), 0);
}
