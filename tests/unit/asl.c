/* SPDX-License-Identifier: Apache-2.0 */
/* The property language: values, units, three-valued logic, messages, the why-axis, templates. */
#include "analysis/properties/asl.h"
#include "analysis/properties/fill.h"
#include "tests/unit/context.h"

#define HEAD "PROPERTY P(Region r, Phase p) {\nTITLE \"t\"; KINDS USER_REGION, PARALLEL_REGION;\n"
#define TAIL " CONFIDENCE: 1; SEVERITY: 50 %; EXPLANATION \"e\"; ADVICE \"a\"; }\n"

static struct property_set *load(const char *text)
{
	struct property_set *set = property_set_new(arena_new());

	property_set_parse(set, "f.asl", text, strlen(text));
	link_set(set);
	return set;
}

/* Loads a text without errors, or fails at the row of the table it comes from. */
static struct property_set *load_good(int line, const char *text)
{
	struct property_set *set = load(text);

	if (set->nr_messages)
		test_fail(__FILE__, line, "%d:%d: %s", set->messages[0].line,
			  set->messages[0].column, set->messages[0].text);
	return set;
}

/*
 * Four threads. Region 1: parallel, times 100 200 300 400 ns. In it two loops (2: waits 1 2 3 4, 3:
 * waits 10 20 30 40) and a nested parallel region (4: thread 0 only, 50 ns, waits 5). Phase: 1000
 * ns.
 */
static struct table *example(void)
{
	struct table *table = table_new(4, 1000);

	table_region(table, 0, MS_PARALLEL_REGION, 2);
	table_region(table, 1, MS_DO_REGION, 3);
	table_region(table, 1, MS_DO_REGION, 4);
	table_region(table, 1, MS_PARALLEL_REGION, 1);
	table->regions[4].threads = 1;
	for (uint32_t thread = 0; thread < 4; thread++) {
		table_set(table, 1, thread, MS_METRIC_TIME, 100 * (thread + 1));
		table_set(table, 2, thread, MS_METRIC_BARRIER_WAIT, thread + 1);
		table_set(table, 3, thread, MS_METRIC_BARRIER_WAIT, 10 * (thread + 1));
	}
	table_set(table, 2, 2, MS_METRIC_TASKS, 7);
	table_set(table, 4, 0, MS_METRIC_TIME, 50);
	table_set(table, 4, 0, MS_METRIC_BARRIER_WAIT, 5);
	table->line_size = 64;
	table->attainable = 20e9;
	table_missing(table, 1, MS_METRIC_LOCK_WAIT, MS_MISSING_NOT_REQUESTED);
	table_missing(table, 1, MS_METRIC_SAMPLES, MS_MISSING_NOT_PERMITTED);
	return table;
}

static struct ms_verdict ask(struct table *table, int line, const char *before, const char *middle,
			     const char *after, uint32_t region)
{
	char text[4096];

	snprintf(text, sizeof(text), "%s%s%s", before, middle, after);
	return table_ask(table, load_good(line, text), "P", region);
}

static const struct {
	int line;
	const char *expression;
	double value;
	const char *unit;
} values[] = {
	{ __LINE__, "10 us + 5 ns", 10005, "ns" },
	{ __LINE__, "1 ms / 1 us", 1000, "1" },
	{ __LINE__, "5 %", 0.05, "1" },
	{ __LINE__, "2 KiB", 2048, "bytes" },
	{ __LINE__, "1.5e3 * 2", 3000, "1" },
	{ __LINE__, "7 - 2 - 1", 4, "1" },
	{ __LINE__, "8 / 4 / 2", 1, "1" },
	{ __LINE__, "2 + 3 * 4", 14, "1" },
	{ __LINE__, "-2 * -3", 6, "1" },
	{ __LINE__, "(2 + 3) * 4", 20, "1" },
	{ __LINE__, "min(3, 1, 2) + max(4, 5)", 6, "1" },
	{ __LINE__, "abs(2 ns - 5 ns)", 3, "ns" },
	{ __LINE__, "sqrt(16 ns * 1 ns)", 4, "ns" },
	{ __LINE__, "1 / 2 s", 0.5e-9, "1/ns" },
	{ __LINE__, "3 ns * 4 ns", 12, "ns^2" },
	{ __LINE__, "10 MiB / 1 s", 10 * 1048576 / 1e9, "bytes/ns" },
	{ __LINE__, "sum(r.time)", 1000, "ns" },
	{ __LINE__, "max(r.time)", 400, "ns" },
	{ __LINE__, "min(r.time)", 100, "ns" },
	{ __LINE__, "mean(r.time)", 250, "ns" },
	{ __LINE__, "count(r.time)", 4, "1" },
	{ __LINE__, "count(r.time > 250 ns)", 2, "1" },
	{ __LINE__, "imbalance(r.time)", 0.6, "1" },
	{ __LINE__, "imbalance(r.time - r.time)", 0, "1" },
	{ __LINE__, "threads(r)", 4, "1" },
	{ __LINE__, "executions(r)", 2, "1" },
	{ __LINE__, "executions(r.DO_REGION)", 7, "1" },
	{ __LINE__, "regions(r.DO_REGION)", 2, "1" },
	{ __LINE__, "regions(r.SUBREGIONS)", 3, "1" },
	{ __LINE__, "sum(p.wall_time)", 1000, "ns" },
	{ __LINE__, "sum(parent.wall_time)", 1000, "ns" },
	{ __LINE__, "phase_threads * cpus", 32, "1" },
	{ __LINE__, "sampling_hz * 1 s", 1000, "1" },
	{ __LINE__, "sum(r.DO_REGION.barrier_wait)", 110, "ns" },
	/* thread 3 over both loops */
	{ __LINE__, "max(r.DO_REGION.barrier_wait)", 44, "ns" },
	{ __LINE__, "sum(r.SUBREGIONS.barrier_wait)", 115, "ns" },
	{ __LINE__, "sum(r.PARALLEL_REGION.time)", 50, "ns" },
	/* what was not executed adds nothing */
	{ __LINE__, "sum(r.DO_REGION.tasks)", 7, "1" },
	{ __LINE__, "sum(r.CRITICAL_REGION.lock_wait)", 0, "ns" }, /* there is none */
	/* the region ran, no task did */
	{ __LINE__, "sum(r.tasks)", 0, "1" },
	{ __LINE__, "sum(r.time * 2 + 1 ns)", 2004, "ns" },
	{ __LINE__, "sum(max(r.time, 250 ns))", 250 + 250 + 300 + 400, "ns" },
	{ __LINE__, "max(r.time / sum(r.time))", 0.4, "1" },
	{ __LINE__, "either(sum(r.time), 1 ns)", 1000, "ns" },
	/* not permitted: the next */
	{ __LINE__, "either(sum(r.samples), 7)", 7, "1" },
	{ __LINE__, "either(sum(r.lock_wait), sum(r.samples) * 1 ns, 9 ns)", 9, "ns" },
	{ __LINE__, "sum(either(r.lock_wait, r.time, 5 ns))", 1000, "ns" },
	{ __LINE__, "optional(sum(r.time), 1 ns)", 1000, "ns" },
	{ __LINE__, "optional(sum(r.samples), 7)", 7, "1" },
	{ __LINE__, "optional(max(r.tasks), 5)", 5, "1" }, /* was not executed */
	{ __LINE__, "line_size / 2", 32, "bytes" },
	{ __LINE__, "attainable_bandwidth * 1 us", 20000, "bytes" },
};

TEST(asl__values)
{
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct ms_verdict verdict;
		char let[256];

		snprintf(let, sizeof(let), "LET x = %s; IN", values[i].expression);
		verdict = ask(example(), values[i].line, HEAD, let, " CONDITION: x = x;" TAIL, 1);
		if (verdict.evidence[0].reading.missing ||
		    fabs(verdict.evidence[0].reading.value - values[i].value) >
			    1e-9 * fabs(values[i].value))
			test_fail(__FILE__, values[i].line, "%s is %.15g, not %.15g (missing %d)",
				  values[i].expression, verdict.evidence[0].reading.value,
				  values[i].value, verdict.evidence[0].reading.missing);
		if (strcmp(verdict.evidence[0].unit, values[i].unit) != 0)
			test_fail(__FILE__, values[i].line, "%s is in %s", values[i].expression,
				  verdict.evidence[0].unit);
	}
}

/*
 * The loop 2 of example() has two natural loops, one in the other (5, 6), an array (10), which
 * stands below both, too (7, 8); region 1 has one (9).
 */
static struct table *example_with_parts(void)
{
	struct table *table = example();

	table_region(table, 2, MS_LOOP_REGION, 1);
	table_region(table, 5, MS_LOOP_REGION, 1);
	table_region(table, 5, MS_DATA_STRUCTURE, 1);
	table_region(table, 6, MS_DATA_STRUCTURE, 1);
	table_region(table, 1, MS_DATA_STRUCTURE, 1);
	table_region(table, 2, MS_DATA_STRUCTURE, 1);
	for (uint32_t thread = 0; thread < 4; thread++) {
		table_set(table, 7, thread, MS_METRIC_READS, 400);
		table_set(table, 8, thread, MS_METRIC_READS, 200);
		table_set(table, 9, thread, MS_METRIC_READS, 60);
		table_set(table, 10, thread, MS_METRIC_READS, 900);
		table_set(table, 2, thread, MS_METRIC_TIME, 80);
		table_set(table, 2, thread, MS_METRIC_READS, 1000);
		table_set(table, 5, thread, MS_METRIC_READS, 500);
		table_set(table, 6, thread, MS_METRIC_READS, 250);
	}
	for (uint32_t region = 5; region <= 6; region++)
		table_missing(table, region, MS_METRIC_BARRIER_WAIT, MS_MISSING_IN_LOOP);
	return table;
}

/* What threads wait at places is what they wait for locks, told twice. */
TEST(asl__a_lock_is_no_construct)
{
	struct table *table = example();
	struct ms_verdict verdict;

	table_region(table, 2, MS_CRITICAL_REGION, 1);
	table_region(table, 0, MS_MUTEX, 1);
	for (uint32_t thread = 0; thread < 4; thread++) {
		table_set(table, 5, thread, MS_METRIC_LOCK_WAIT, 10);
		table_set(table, 6, thread, MS_METRIC_LOCK_WAIT, 12);
	}
	table_missing(table, 1, MS_METRIC_LOCK_WAIT, MS_PRESENT);
	verdict = ask(
		table, __LINE__, HEAD,
		"LET all = sum(r.SUBREGIONS.lock_wait); locks = sum(r.MUTEX.lock_wait); places = regions(r.SUBREGIONS); IN",
		" CONDITION: all = all;" TAIL, 0);
	CHECK_NEAR(verdict.evidence[0].reading.value, 40, 0);
	CHECK_NEAR(verdict.evidence[1].reading.value, 48, 0);
	CHECK_NEAR(verdict.evidence[2].reading.value, 5, 0);
}

static const struct {
	int line;
	uint32_t region;
	const char *expression;
	double value;
} parts[] = {
	{ __LINE__, 2, "sum(construct.reads)", 4000 },
	{ __LINE__, 5, "sum(construct.reads)", 4000 },
	{ __LINE__, 6, "sum(construct.reads)", 4000 },
	{ __LINE__, 7, "sum(construct.time) / 1 ns", 320 },
	{ __LINE__, 8, "sum(construct.time) / 1 ns", 320 },
	{ __LINE__, 8, "sum(parent.reads)", 1000 },
	{ __LINE__, 8, "threads(construct)", 4 },
	{ __LINE__, 8, "executions(construct)", 3 },
	{ __LINE__, 9, "max(construct.time) / 1 ns", 400 },
	{ __LINE__, 0, "sum(construct.wall_time) / 1 ns", 1000 },
	/* loops and arrays are parts of what is below, so they add nothing and hide nothing */
	{ __LINE__, 1, "sum(r.SUBREGIONS.barrier_wait) / 1 ns", 115 },
	{ __LINE__, 1, "sum(r.SUBREGIONS.reads)", 4000 },
	{ __LINE__, 1, "regions(r.SUBREGIONS)", 3 },
	{ __LINE__, 1, "sum(r.LOOP_REGION.reads)", 2000 },
	{ __LINE__, 1, "regions(r.LOOP_REGION)", 2 },
	/* what a loop does to an array is part of what its construct does */
	{ __LINE__, 1, "sum(r.DATA_STRUCTURE.reads)", 3840 },
	{ __LINE__, 1, "max(r.DATA_STRUCTURE.reads)", 960 },
	{ __LINE__, 1, "regions(r.DATA_STRUCTURE)", 2 },
	{ __LINE__, 2, "sum(r.DATA_STRUCTURE.reads)", 3600 },
	{ __LINE__, 5, "sum(r.DATA_STRUCTURE.reads)", 1600 },
	{ __LINE__, 6, "sum(r.DATA_STRUCTURE.reads)", 800 },
	{ __LINE__, 6, "regions(r.DATA_STRUCTURE)", 1 },
};

TEST(asl__loops_and_arrays_are_parts_of_their_construct)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct ms_verdict verdict;
		char let[256];

		snprintf(let, sizeof(let), "LET x = %s; IN", parts[i].expression);
		verdict = ask(example_with_parts(), parts[i].line, HEAD, let,
			      " CONDITION: x = x;" TAIL, parts[i].region);
		if (verdict.evidence[0].reading.missing ||
		    fabs(verdict.evidence[0].reading.value - parts[i].value) > 1e-9)
			test_fail(__FILE__, parts[i].line, "%s is %g, not %g (missing %d)",
				  parts[i].expression, verdict.evidence[0].reading.value,
				  parts[i].value, verdict.evidence[0].reading.missing);
	}
}

TEST(asl__metrics_of_the_construct_are_its_own)
{
	struct property_set *set = load_good(
		__LINE__, HEAD
		"LET x = sum(construct.time) / sum(parent.cpu_time); IN CONDITION: sum(r.reads) > x;" TAIL);
	const uint32_t *metrics;

	CHECK_INT(property_construct_metrics(set->properties[0], &metrics), 1);
	CHECK_INT(metrics[0], MS_METRIC_TIME);
	CHECK_INT(property_parent_metrics(set->properties[0], &metrics), 1);
	CHECK_INT(property_metrics(set->properties[0], &metrics), 1);
	CHECK_INT(metrics[0], MS_METRIC_READS);
}

/* U: a condition over the lock waits that were not requested. */
#define U "sum(r.lock_wait) > 0"

static const struct {
	int line;
	const char *condition;
	enum ms_truth truth;
	enum ms_missing missing;
} truths[] = {
	{ __LINE__, "1 < 2", MS_TRUE, MS_PRESENT },
	{ __LINE__, "2 <= 1", MS_FALSE, MS_PRESENT },
	{ __LINE__, "1 = 1 AND 2 != 1", MS_TRUE, MS_PRESENT },
	{ __LINE__, "1 > 2 OR 1 >= 1", MS_TRUE, MS_PRESENT },
	{ __LINE__, "NOT 1 > 2 AND 1 < 2", MS_TRUE, MS_PRESENT },
	{ __LINE__, "1 < 2 OR 1 > 2 AND 1 > 2", MS_TRUE, MS_PRESENT }, /* AND binds tighter */
	{ __LINE__, U, MS_UNKNOWN, MS_MISSING_NOT_REQUESTED },
	{ __LINE__, "NOT " U, MS_UNKNOWN, MS_MISSING_NOT_REQUESTED },
	{ __LINE__, "1 > 2 AND " U, MS_FALSE, MS_PRESENT },
	{ __LINE__, U " AND 1 > 2", MS_FALSE, MS_PRESENT },
	{ __LINE__, U " AND 1 < 2", MS_UNKNOWN, MS_MISSING_NOT_REQUESTED },
	{ __LINE__, "1 < 2 AND " U, MS_UNKNOWN, MS_MISSING_NOT_REQUESTED },
	{ __LINE__, U " OR 1 < 2", MS_TRUE, MS_PRESENT },
	{ __LINE__, "1 < 2 OR " U, MS_TRUE, MS_PRESENT },
	{ __LINE__, U " OR 1 > 2", MS_UNKNOWN, MS_MISSING_NOT_REQUESTED },
	{ __LINE__, U " OR " U, MS_UNKNOWN, MS_MISSING_NOT_REQUESTED },
	{ __LINE__, "sum(r.samples) > 0", MS_UNKNOWN, MS_MISSING_NOT_PERMITTED },
	{ __LINE__, "0 * sum(r.samples) = 0", MS_UNKNOWN, MS_MISSING_NOT_PERMITTED },
	/* division by zero */
	{ __LINE__, "sum(r.time) / sum(r.tasks) > 1 ns", MS_UNKNOWN, MS_MISSING_TOO_FEW },
	{ __LINE__, "sqrt(-1) > 0", MS_UNKNOWN, MS_MISSING_BROKEN },
	{ __LINE__, "1e300 * 1e300 > 0", MS_UNKNOWN, MS_MISSING_BROKEN },
	{ __LINE__, "max(r.tasks) > 0", MS_UNKNOWN, MS_MISSING_NOT_EXECUTED },
	/* mean 0 */
	{ __LINE__, "imbalance(r.time - 250 ns) > 1", MS_UNKNOWN, MS_MISSING_TOO_FEW },
	{ __LINE__, "sum(parent.time) > 0", MS_FALSE, MS_PRESENT },
	/* why the first is */
	{ __LINE__, "either(sum(r.samples), sum(r.lock_wait) / 1 ns) > 0", MS_UNKNOWN,
	  MS_MISSING_NOT_PERMITTED },
	/* what did not happen is no gap */
	{ __LINE__, "either(max(r.tasks), 5) > 0", MS_UNKNOWN, MS_MISSING_NOT_EXECUTED },
	{ __LINE__, "optional(max(r.tasks)) > 0", MS_UNKNOWN, MS_MISSING_NOT_EXECUTED },
	{ __LINE__, "single_bandwidth > 0", MS_UNKNOWN, MS_MISSING_NOT_CALIBRATED },
};

TEST(asl__three_valued_logic)
{
	for (size_t i = 0; i < sizeof(truths) / sizeof(truths[0]); i++) {
		struct ms_verdict verdict;
		char condition[256];

		snprintf(condition, sizeof(condition), "CONDITION: %s;", truths[i].condition);
		verdict = ask(example(), truths[i].line, HEAD, condition, TAIL, 1);
		if (verdict.truth != truths[i].truth || verdict.missing != truths[i].missing)
			test_fail(__FILE__, truths[i].line, "%s is %d (%d)", truths[i].condition,
				  verdict.truth, verdict.missing);
	}
}

TEST(asl__missing_readings_keep_their_metric)
{
	struct ms_verdict verdict = ask(example(), __LINE__, HEAD, "CONDITION: sum(r.samples) > 0;",
					TAIL, 1);

	CHECK_INT(verdict.missing_metric, MS_METRIC_SAMPLES);
	CHECK_NEAR(verdict.confidence, 0, 0);
}

/* One thread of the team could not be measured: nothing is known of the team. */
TEST(asl__one_missing_thread_makes_the_sum_unknown)
{
	struct table *table = example();
	struct ms_verdict verdict;

	table->cells[1][3][MS_METRIC_TIME] = (struct ms_reading){ .missing = MS_MISSING_LOST };
	verdict = ask(table, __LINE__, HEAD, "CONDITION: max(r.time) > 0;", TAIL, 1);
	CHECK_INT(verdict.truth, MS_UNKNOWN);
	CHECK_INT(verdict.missing, MS_MISSING_LOST);

	table->cells[1][3][MS_METRIC_TIME] = (struct ms_reading){
		.missing = MS_MISSING_NOT_EXECUTED
	};
	verdict = ask(table, __LINE__, HEAD, "LET x = mean(r.time); IN CONDITION: x > 0;", TAIL, 1);
	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_NEAR(verdict.evidence[0].reading.value, 200, 0);
}

TEST(asl__team_of_one_is_balanced)
{
	struct table *table = table_new(1, 1000);
	struct ms_verdict verdict;

	table_region(table, 0, MS_PARALLEL_REGION, 1);
	table_set(table, 1, 0, MS_METRIC_TIME, 700);
	verdict = ask(table, __LINE__, HEAD, "LET x = imbalance(r.time); IN CONDITION: x = 0;",
		      TAIL, 1);
	CHECK_INT(verdict.truth, MS_TRUE);
}

TEST(asl__imbalance_reaches_n_minus_1)
{
	struct table *table = table_new(4, 1000);
	struct ms_verdict verdict;

	table_region(table, 0, MS_PARALLEL_REGION, 1);
	table_set_all(table, 1, MS_METRIC_TIME, 0);
	table_set(table, 1, 2, MS_METRIC_TIME, 700);
	verdict = ask(table, __LINE__, HEAD, "LET x = imbalance(r.time); IN CONDITION: x > 0;",
		      TAIL, 1);
	CHECK_NEAR(verdict.evidence[0].reading.value, 3, 1e-12);
}

TEST(asl__severity_is_clamped_and_has_an_interval)
{
	struct table *table = example();
	struct ms_verdict verdict;

	table->cells[1][0][MS_METRIC_TIME].error = 30;
	table->cells[1][1][MS_METRIC_TIME].error = 40;
	verdict = table_ask(
		table,
		load_good(__LINE__,
			  HEAD "CONDITION: 1 < 2; CONFIDENCE: 7; SEVERITY: sum(r.time) / 2000 ns;"
			       " EXPLANATION \"e\"; ADVICE \"a\"; }"),
		"P", 1);
	CHECK_NEAR(verdict.severity, 0.5, 1e-12);
	CHECK_NEAR(verdict.severity_low, 0.475, 1e-12); /* 50 of 2000 */
	CHECK_NEAR(verdict.severity_high, 0.525, 1e-12);
	CHECK_NEAR(verdict.confidence, 1, 0);
	CHECK_INT(verdict.rung, MS_RUNG_TIMED);
	verdict = table_ask(
		table,
		load_good(__LINE__,
			  HEAD "CONDITION: 1 < 2; CONFIDENCE: 1; SEVERITY: -sum(r.time) / 1 ns;"
			       " EXPLANATION \"e\"; ADVICE \"a\"; }"),
		"P", 1);
	CHECK_NEAR(verdict.severity, 0, 0);
}

TEST(asl__a_finding_without_size_is_unknown)
{
	struct ms_verdict verdict = table_ask(
		example(),
		load_good(__LINE__,
			  HEAD "CONDITION: 1 < 2; CONFIDENCE: sum(r.samples);"
			       " SEVERITY: sum(r.samples); EXPLANATION \"e\"; ADVICE \"a\"; }"),
		"P", 1);

	CHECK_INT(verdict.truth, MS_UNKNOWN);
	CHECK_INT(verdict.missing, MS_MISSING_NOT_PERMITTED);
	verdict = table_ask(example(),
			    load_good(__LINE__,
				      HEAD "CONDITION: 1 < 2; CONFIDENCE: sum(r.samples);"
					   " SEVERITY: 1; EXPLANATION \"e\"; ADVICE \"a\"; }"),
			    "P", 1);
	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_NEAR(verdict.confidence, 0.5, 0);
}

/* Ranked by the lower end; each end with the error of its own values. */
TEST(asl__severity_from_to)
{
	struct table *table = example();
	struct ms_verdict verdict;

	table->cells[1][0][MS_METRIC_TIME].error = 30;
	table->cells[1][1][MS_METRIC_TIME].error = 40;
	verdict = table_ask(
		table,
		load_good(__LINE__,
			  HEAD "CONDITION: 1 < 2; CONFIDENCE: 1; SEVERITY: sum(r.time) / 10 us TO"
			       " sum(r.time) / 2 us; EXPLANATION \"e\"; ADVICE \"a\"; }"),
		"P", 1);
	CHECK_NEAR(verdict.severity, 0.1, 1e-12);
	CHECK_NEAR(verdict.severity_low, 0.095, 1e-12);  /* 50 of 10,000 */
	CHECK_NEAR(verdict.severity_high, 0.525, 1e-12); /* 50 of 2,000 */
	CHECK(verdict.interval_known && verdict.severity_of_model);
	verdict = table_ask(table,
			    load_good(__LINE__,
				      HEAD "CONDITION: 1 < 2; CONFIDENCE: 1; SEVERITY: 10 % TO 5 %;"
					   " EXPLANATION \"e\"; ADVICE \"a\"; }"),
			    "P", 1);
	CHECK_NEAR(verdict.severity_high, 0.1, 1e-12); /* never below the lower end */
	verdict = table_ask(
		table,
		load_good(__LINE__,
			  HEAD "CONDITION: 1 < 2; CONFIDENCE: 1; SEVERITY: 10 % TO sum(r.samples);"
			       " EXPLANATION \"e\"; ADVICE \"a\"; }"),
		"P", 1);
	CHECK_INT(verdict.truth, MS_UNKNOWN);
	CHECK_INT(verdict.missing, MS_MISSING_NOT_PERMITTED);
}

/*
 * mean = 250: a bound of 240 holds unless it is shifted up by more than 4.2 %; NOT turns the shift
 * round.
 */
TEST(asl__bias_shifts_the_bound)
{
	static const struct {
		int line;
		const char *condition;
		double bias;
		enum ms_truth truth;
	} rows[] = {
		{ __LINE__, "mean(r.time) > 240 ns", 0.05, MS_FALSE },
		{ __LINE__, "mean(r.time) > 240 ns", 0.04, MS_TRUE },
		{ __LINE__, "mean(r.time) > 260 ns", -0.05, MS_TRUE },
		{ __LINE__, "mean(r.time) > 260 ns", 0, MS_FALSE },
		{ __LINE__, "mean(r.time) < 260 ns", 0.05, MS_FALSE },
		{ __LINE__, "NOT mean(r.time) < 240 ns", 0.05, MS_FALSE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct table *table = example();
		char condition[128];

		table->context.bias = rows[i].bias;
		snprintf(condition, sizeof(condition), "CONDITION: %s;", rows[i].condition);
		if (ask(table, rows[i].line, HEAD, condition, TAIL, 1).truth != rows[i].truth)
			test_fail(__FILE__, rows[i].line, "%s with %g", rows[i].condition,
				  rows[i].bias);
	}
}

TEST(asl__threads_worst_first)
{
	struct property_set *set = load_good(
		__LINE__,
		HEAD "LET m = mean(r.time); IN CONDITION: 1 < 2; BY THREAD: r.time >= m;" TAIL);
	struct table *table = example();
	uint32_t threads[4];

	table->context.region = 1;
	CHECK(property_by_thread(set->properties[0]));
	CHECK_INT(property_threads(set->properties[0], &table->context, threads, 4), 2);
	CHECK_INT(threads[0], 3);
	CHECK_INT(threads[1], 2);
	CHECK_INT(property_threads(set->properties[0], &table->context, threads, 1), 2);
	CHECK_INT(threads[0], 3);
	CHECK_INT(property_threads(set->properties[0], &table->context, NULL, 0), 2);
}

/* Derived metrics: of the region, of its subregions one by one, and thread by thread. */
TEST(asl__formulas)
{
	static const char metrics[] = "METRIC waited [ns] = sum(r.barrier_wait) \"\";\n"
				      "METRIC worst [ns] = max(r.barrier_wait) \"\";\n"
				      "METRIC twice [ns] = 2 * r.time \"\";\n"
				      "METRIC part [1] = r.waited / sum(p.wall_time) \"\";\n";
	static const struct {
		int line;
		const char *expression;
		double value;
	} rows[] = {
		{ __LINE__, "sum(r.DO_REGION.waited) / 1 ns", 110 },
		{ __LINE__, "sum(r.DO_REGION.worst) / 1 ns", 44 },
		{ __LINE__, "max(r.DO_REGION.worst) / 1 ns", 40 },
		{ __LINE__, "min(r.DO_REGION.waited) / 1 ns", 10 },
		{ __LINE__, "mean(r.DO_REGION.waited) / 1 ns", 55 },
		{ __LINE__, "count(r.DO_REGION.waited)", 2 },
		{ __LINE__, "sum(r.DO_REGION.part)", 0.11 },
		{ __LINE__, "sum(r.twice) / 1 ns", 2000 },
		{ __LINE__, "max(r.twice) / max(r.time)", 2 },
		{ __LINE__, "sum(r.CRITICAL_REGION.waited) / 1 ns", 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ms_verdict verdict;
		char text[2048];

		snprintf(text, sizeof(text), "%s%sLET x = %s; IN CONDITION: x = x;%s", metrics,
			 HEAD, rows[i].expression, TAIL);
		verdict = table_ask(example(), load_good(rows[i].line, text), "P", 1);
		if (fabs(verdict.evidence[0].reading.value - rows[i].value) > 1e-9)
			test_fail(__FILE__, rows[i].line, "%s is %.15g", rows[i].expression,
				  verdict.evidence[0].reading.value);
	}
}

/* Metrics come out by whose they are, through formulas too. */
TEST(asl__metrics_needed)
{
	struct property_set *set = load_good(
		__LINE__,
		"METRIC w [ns] = sum(r.barrier_wait) + sum(p.wall_time) \"\";\n" HEAD
		"LET x = p.w; y = sum(parent.time); z = sum(r.DO_REGION.chunks); IN CONDITION: max(r.tasks) > 0;" TAIL);
	const uint32_t *list;

	CHECK_INT(property_phase_metrics(set->properties[0], &list), 2);
	CHECK_INT(list[0], MS_METRIC_BARRIER_WAIT);
	CHECK_INT(list[1], MS_METRIC_WALL_TIME);
	CHECK_INT(property_parent_metrics(set->properties[0], &list), 1);
	CHECK_INT(list[0], MS_METRIC_TIME);
	CHECK_INT(property_metrics(set->properties[0], &list), 2);
	CHECK_INT(list[0], MS_METRIC_CHUNKS);
	CHECK_INT(list[1], MS_METRIC_TASKS);
	CHECK(property_needs_subregions(set->properties[0]));
	CHECK_INT(property_metric_kinds(set->properties[0], MS_METRIC_CHUNKS), 1 << MS_DO_REGION);
	CHECK_INT(property_metric_kinds(set->properties[0], MS_METRIC_TASKS), 0);
	set = load_good(
		__LINE__,
		"METRIC w [ns] = sum(r.barrier_wait) \"\";\n" HEAD
		"CONDITION: sum(r.SINGLE_REGION.w) + sum(r.BARRIER_REGION.barrier_wait) > 0;" TAIL);
	CHECK_INT(property_metric_kinds(set->properties[0], MS_METRIC_BARRIER_WAIT),
		  1 << MS_SINGLE_REGION | 1 << MS_BARRIER_REGION);
}

static size_t instead(const struct property *property, uint32_t metric)
{
	const uint32_t *list;

	return property_metric_instead(property, metric, &list);
}

/*
 * What either() tries first is always needed; the rest only where it cannot be had, unless it is
 * needed elsewhere, too.
 */
TEST(asl__metrics_that_stand_in)
{
	const struct property *property =
		load_good(
			__LINE__,
			"METRIC m [1] = either(r.loads, r.stores + r.tasks) \"\";\n" HEAD
			"LET x = sum(r.m); y = either(sum(r.chunks), sum(r.iterations)); IN CONDITION: x > sum(r.tasks);" TAIL)
			->properties[0];
	const uint32_t *list;

	CHECK_INT(instead(property, MS_METRIC_LOADS), 0);
	CHECK_INT(property_metric_instead(property, MS_METRIC_STORES, &list), 1);
	CHECK_INT(list[0], MS_METRIC_LOADS);
	CHECK_INT(instead(property, MS_METRIC_TASKS), 0); /* of the condition, too */
	CHECK_INT(instead(property, MS_METRIC_CHUNKS), 0);
	CHECK_INT(property_metric_instead(property, MS_METRIC_ITERATIONS, &list), 1);
	CHECK_INT(list[0], MS_METRIC_CHUNKS);
	CHECK_INT(instead(property, MS_METRICS), 0);
}

/* Nothing is measured for what is optional. */
TEST(asl__optional_metrics)
{
	const struct property_set *set = load_good(
		__LINE__,
		"METRIC m [1] = optional(r.loads, 1) + r.stores \"\";\n" HEAD
		"LET x = sum(r.m); y = optional(sum(r.chunks), sum(r.iterations)); IN CONDITION: x > y;" TAIL);
	uint32_t kinds[MS_METRICS];

	property_set_metric_kinds(set, kinds);
	CHECK_INT(kinds[MS_METRIC_LOADS], 0);
	CHECK_INT(kinds[MS_METRIC_CHUNKS], 0);
	CHECK(kinds[MS_METRIC_STORES]);
	CHECK(kinds[MS_METRIC_ITERATIONS]);
}

/*
 * A machine that is modelled: what needs it is no question where none is; what it only stands in
 * for is one.
 */
TEST(asl__constants_that_nobody_asked_for)
{
	static const struct {
		const char *condition;
		bool unasked;
	} rows[] = {
		{ "CONDITION: sum(r.time) / 1 ns > modelled_cache_bytes / 1 bytes;", true },
		{ "CONDITION: either(sum(r.loads), modelled_cache_bytes / 1 bytes) > 0;", false },
		{ "CONDITION: cache_bytes > 0 bytes;", false },
	};
	struct table *table = example();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[1024];

		snprintf(text, sizeof(text), "%s%s%s", HEAD, rows[i].condition, TAIL);
		CHECK_INT(property_is_unasked(load_good(__LINE__, text)->properties[0],
					      &table->context),
			  rows[i].unasked);
	}
}

/*
 * What stands in for one thing here and for another there is needed where one of them cannot be
 * had.
 */
TEST(asl__metrics_that_stand_in_for_several)
{
	const struct property *property =
		load_good(
			__LINE__, HEAD
			"LET x = either(sum(r.loads), sum(r.tasks)) + either(sum(r.stores), sum(r.tasks));\n"
			"y = either(sum(r.chunks), sum(r.iterations)); z = sum(r.iterations) + either(sum(r.stores), sum(r.iterations));\n"
			"IN CONDITION: x > 0;" TAIL)
			->properties[0];
	const uint32_t *list;

	CHECK_INT(property_metric_instead(property, MS_METRIC_TASKS, &list), 2);
	CHECK_INT(list[0], MS_METRIC_LOADS);
	CHECK_INT(list[1], MS_METRIC_STORES);
	CHECK_INT(instead(property, MS_METRIC_ITERATIONS), 0); /* of z by itself */
}

/* Where anybody reads a metric: itself, from above, as the child of a region of any kind. */
TEST(asl__kinds_of_regions_a_metric_is_read_in)
{
	struct property_set *set = load_good(
		__LINE__, HEAD
		"CONDITION: sum(r.DO_REGION.cpu_time) + sum(r.SINGLE_REGION.cpu_time) > 0;" TAIL);
	uint32_t own = 0, kinds[MS_METRICS];

	for (int kind = 0; kind < MS_REGION_KINDS; kind++)
		own |= (uint32_t)property_applies(set->properties[0], kind) << kind;
	CHECK(own && !(own >> MS_SINGLE_REGION & 1));
	property_set_metric_kinds(set, kinds);
	CHECK_INT(kinds[MS_METRIC_CPU_TIME], own | 1u << MS_DO_REGION | 1u << MS_SINGLE_REGION);
	CHECK_INT(kinds[MS_METRIC_MAJOR_FAULTS], 0);
	set = load_good(__LINE__, HEAD "CONDITION: sum(parent.cpu_time) > 0;" TAIL);
	property_set_metric_kinds(set, kinds);
	CHECK_INT(kinds[MS_METRIC_CPU_TIME], UINT32_MAX);
}

/* 4000 subregions of 1000 threads: more than the scratch of a workspace holds. */
static size_t many_threads(void *data, uint32_t region, uint32_t *out, size_t room)
{
	(void)data, (void)region;
	for (uint32_t i = 0; i < 1000 && i < room; i++)
		out[i] = 999 - i;
	return 1000;
}

static size_t many_children(void *data, uint32_t region, uint32_t *out, size_t room)
{
	(void)data;
	for (uint32_t i = 0; region == 0 && i < 200 && i < room; i++)
		out[i] = i + 1;
	return region == 0 ? 200 : 0;
}

static struct ms_reading one(void *data, uint32_t region, uint32_t thread, uint32_t metric)
{
	(void)data, (void)region, (void)thread, (void)metric;
	return (struct ms_reading){ .value = 1, .rung = MS_RUNG_COUNTED };
}

static struct ms_reading timed_by_thread(void *data, uint32_t region, uint32_t thread,
					 uint32_t metric)
{
	(void)data, (void)region, (void)metric;
	return (struct ms_reading){ .value = thread, .rung = MS_RUNG_TIMED };
}

static enum ms_region_kind barrier_kind(void *data, uint32_t region)
{
	(void)data, (void)region;
	return MS_BARRIER_REGION;
}

/*
 * Which threads count was timed, how many are was not; the verdict rests on the times all the same.
 */
TEST(asl__a_count_has_no_rung)
{
	struct property_set *set = load_good(
		__LINE__, HEAD "LET slow = count(r.time > mean(r.time)); work = max(r.time); IN"
			       " CONDITION: slow >= 0;" TAIL);
	struct property_context context = { .reading = timed_by_thread,
					    .threads = many_threads,
					    .children = many_children,
					    .kind = barrier_kind };
	struct ms_verdict verdict;

	CHECK_INT(property_evaluate(set->properties[0], &context, &verdict), MS_OK);
	CHECK_NEAR(verdict.evidence[0].reading.value, 500, 0);
	CHECK_INT(verdict.evidence[0].reading.rung, MS_RUNG_NONE);
	CHECK_INT(verdict.evidence[1].reading.rung, MS_RUNG_TIMED);
	CHECK_INT(verdict.rung, MS_RUNG_TIMED);
}

TEST(asl__large_teams)
{
	struct property_set *set = load_good(
		__LINE__,
		HEAD "LET x = sum(r.BARRIER_REGION.barrier_wait); IN CONDITION: x > 0;" TAIL);
	struct property_context context = { .reading = one,
					    .threads = many_threads,
					    .children = many_children,
					    .kind = barrier_kind };
	struct ms_verdict verdict;

	CHECK_INT(property_evaluate(set->properties[0], &context, &verdict), MS_OK);
	CHECK_NEAR(verdict.evidence[0].reading.value, 200000, 0);
}

TEST(asl__overriding_replaces_in_place)
{
	struct property_set *set = property_set_new(arena_new());
	static const char first[] = HEAD "CONDITION: 1 < 2;" TAIL,
			  second[] = HEAD "CONDITION: 1 > 2;" TAIL;

	property_set_parse(set, "a.asl", first, strlen(first));
	property_set_parse(set, "b.asl", second, strlen(second));
	link_set(set);
	CHECK_INT(set->nr, 1);
	CHECK_STR(property_file(set->properties[0], NULL), "b.asl");
	CHECK_INT(table_ask(example(), set, "P", 1).truth, MS_FALSE);
}

TEST(asl__fill)
{
	static const struct ms_evidence evidence[] = {
		{ "share", "1", { .value = 0.1234 } },
		{ "wait", "ns", { .value = 2345678 } },
		{ "n", "1", { .value = 17 } },
		{ "size", "bytes", { .value = 3 * 1048576 } },
		{ "gone", "1", { .missing = MS_MISSING_LOST } },
	};
	static const struct property_word words[] = { { "hot_line", "swim.c:12" },
						      { "region", NULL },
						      { "execution", "the run" } };
	static const struct {
		int line;
		const char *template, *text;
	} rows[] = {
		{ __LINE__, "{share%} of {wait}", "12.3 % of 2.35 ms" },
		{ __LINE__, "{wait:number} {n} {size}", "2345678 17 3 MiB" },
		{ __LINE__, "{n:time} {share} {share:bytes}", "17 ns 0.123 0.123 bytes" },
		{ __LINE__, "at {hot_line}[ in {region}].", "at swim.c:12." },
		{ __LINE__, "[at {hot_line} ]x", "at swim.c:12 x" },
		{ __LINE__, "{region} {gone} {none}", "unknown unknown unknown" },
		{ __LINE__, "a{b", "a{b" },
		{ __LINE__, "", "" },
		/* given, and not */
		{ __LINE__, "in {execution}[ of {phase}]", "in the run of the phase" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *text = property_fill(arena_new(), rows[i].template, evidence, 5, words,
						 3);

		if (strcmp(text, rows[i].text) != 0)
			test_fail(__FILE__, rows[i].line, "'%s' became '%s'", rows[i].template,
				  text);
	}
	CHECK(property_fill(arena_new(), NULL, evidence, 5, words, 3) == NULL);
}

TEST(asl__texts_over_several_lines)
{
	struct property_set *set = load_good(
		__LINE__,
		"PROPERTY P(Region r, Phase p) { TITLE \"a\n\t\tb  c\" \" d\\n\\\"e\"; KINDS USER_REGION;"
		" CONDITION: 1 < 2;" TAIL);

	CHECK_STR(property_title(set->properties[0]), "a b c d\n\"e");
}

/* The corpus of the fuzz test would be worth little if the file with every clause did not load. */
TEST(asl__every_clause)
{
	struct property_set *set = property_set_load(arena_new(), NULL,
						     "tests/fuzz/asl/every_clause.asl");
	const char *const *aliases;

	CHECK_INT(set->nr_messages, 0);
	CHECK_INT(set->nr, 3);
	CHECK_INT(set->nr_formulas, 3);
	CHECK_INT(property_aliases(set->properties[0], &aliases), 2);
	CHECK_STR(property_hint(set->properties[0]), "where threads");
	CHECK(property_applies(set->properties[0], MS_DO_REGION) &&
	      !property_applies(set->properties[0], MS_TASK_REGION));
}

TEST(asl__examples_load)
{
	struct property_set *set = property_set_load(arena_new(), "properties",
						     "properties/examples");

	for (size_t i = 0; i < set->nr_messages; i++)
		test_fail(set->messages[i].file, set->messages[i].line, "%s",
			  set->messages[i].text);
	CHECK(property_set_find(set, "UnevenFaults") != NULL);
}

/* 5 of 10 faults on thread 2: imbalance (5 - 2.5) / 2.5 = 1 is not beyond 1; 50 of 55 are. */
TEST(asl__example_of_the_readme)
{
	struct property_set *set = property_set_load(arena_new(), "properties",
						     "properties/examples");
	struct table *table = example();
	const struct property *property = property_set_find(set, "UnevenFaults");
	uint32_t threads[4];

	table_set_all(table, 0, MS_METRIC_SYSTEM_TIME, 500);
	for (uint32_t thread = 0; thread < 4; thread++)
		table_set(table, 1, thread, MS_METRIC_MINOR_FAULTS, thread == 2 ? 5 : 5 / 3.0);
	CHECK_INT(table_ask(table, set, "UnevenFaults", 1).truth, MS_FALSE);
	table_set(table, 1, 2, MS_METRIC_MINOR_FAULTS, 50);
	CHECK_INT(table_ask(table, set, "UnevenFaults", 1).truth, MS_TRUE);
	CHECK_INT(property_threads(property, &table->context, threads, 4), 1);
	CHECK_INT(threads[0], 2);
}

/*
 * Clauses as they stand in the file with the comment before them, but not what is between them;
 * tabs as blanks.
 */
TEST(asl__formulas_as_written)
{
	static const char text[] =
		"PROPERTY P(Region r, Phase p) {\n\tTITLE \"t\";\n\tKINDS USER_REGION;\n\t// why 5 %\n\tLET\n\t\tshare = max(r.barrier_wait)\n"
		"\t\t\t/ max(r.time);\n\tIN CONDITION: share > 5 %;\n\tEXPLANATION \"e\";\n\tCONFIDENCE: 1; SEVERITY:\n\t\tshare; ADVICE \"a\";\n}\n";
	struct arena *arena = arena_new();
	struct property_set *set = property_set_new(arena);

	property_set_parse(set, "f.asl", text, strlen(text));
	CHECK_INT(set->nr_messages, 0);
	CHECK_STR(
		property_formulas(arena, set->properties[0]),
		"// why 5 %\nLET\n    share = max(r.barrier_wait)\n        / max(r.time);\nIN\nCONDITION: share > 5 %;\n"
		"CONFIDENCE: 1;\nSEVERITY:\n    share;");
}
