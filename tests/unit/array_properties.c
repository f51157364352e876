/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The properties over recorded accesses: a loop that uses one data structure in ways that must be
 * found, and in others that must not.
 */
#include "tests/unit/context.h"

#define MS 1e6      /* ns */
#define PAGE 4096.0 /* as in context.h */

enum { PHASE, PARALLEL, LOOP, DATA, SERIAL, SERIAL_DATA };

/*
 * What each of four threads does to the array, and, all alike (`others`) and not, to others in the
 * loop, in ten thousands of values; pages of the array it touched first; a digit for each: the
 * number of its NUMA node ("": not known).
 */
struct use {
	double reads[4], writes[4], strided[4], atomics[4], others, other_reads[4];
	double falsely_shared[4];
	/* hits of watchpoints on two words of a line, where `watched` */
	double first[4], second[4];
	bool watched;
	double touched[4];
	const char *on;
	double nodes;
	/* that the loop deals out to each thread; 0: the runtime tells of none */
	double chunks;
};

/*
 * The loop is half of the time, and 40 % are serial, so a tenth of the threads' time: there thread
 * 0 does the same.
 */
static void use_in(struct table *table, uint32_t code, uint32_t data, uint32_t thread,
		   const struct use *use)
{
	table_set(table, code, thread, MS_METRIC_READS,
		  1e4 * (use->reads[thread] + use->others + use->other_reads[thread]));
	table_set(table, code, thread, MS_METRIC_WRITES, 1e4 * use->writes[thread]);
	table_set(table, code, thread, MS_METRIC_READ_BYTES,
		  8e4 * (use->reads[thread] + use->others + use->other_reads[thread]));
	table_set(table, code, thread, MS_METRIC_WRITTEN_BYTES, 8e4 * use->writes[thread]);
	if (!(use->reads[thread] + use->writes[thread] > 0))
		return;
	table_set(table, data, thread, MS_METRIC_READS, 1e4 * use->reads[thread]);
	table_set(table, data, thread, MS_METRIC_WRITES, 1e4 * use->writes[thread]);
	table_set(table, data, thread, MS_METRIC_STRIDED, 1e4 * use->strided[thread]);
	table_set(table, data, thread, MS_METRIC_ATOMICS, 1e4 * use->atomics[thread]);
	if (code != SERIAL)
		table_set(table, data, thread, MS_METRIC_FALSELY_SHARED,
			  1e4 * use->falsely_shared[thread]);
	if (use->watched) {
		table_set(table, data, thread, MS_METRIC_WATCHED_FIRST, use->first[thread]);
		table_set(table, data, thread, MS_METRIC_WATCHED_SECOND, use->second[thread]);
	}
}

static struct table *program(const struct use *use)
{
	struct table *table = table_new(4, 100 * MS);

	table_region(table, PHASE, MS_PARALLEL_REGION, 1);
	table_region(table, PARALLEL, MS_DO_REGION, 1);
	table_region(table, LOOP, MS_DATA_STRUCTURE, 1);
	table_region(table, PHASE, MS_SERIAL_REGION, 1);
	table_region(table, SERIAL, MS_DATA_STRUCTURE, 1);
	for (uint32_t thread = 0; thread < 4; thread++) {
		table_set(table, PARALLEL, thread, MS_METRIC_TIME, 60 * MS);
		table_set(table, LOOP, thread, MS_METRIC_TIME, 50 * MS);
		if (use->chunks > 0)
			table_set(table, LOOP, thread, MS_METRIC_CHUNKS, use->chunks);
		use_in(table, PARALLEL, DATA, thread, use);
		use_in(table, LOOP, DATA, thread, use);
		if (use->reads[thread] + use->writes[thread] > 0)
			table_set(table, DATA, thread, MS_METRIC_FIRST_TOUCHED,
				  PAGE * use->touched[thread]);
	}
	table_set(table, SERIAL, 0, MS_METRIC_TIME, 40 * MS);
	table->regions[SERIAL_DATA].threads = 1;
	use_in(table, SERIAL, SERIAL_DATA, 0, use);
	table->nodes = use->nodes > 0 ? use->nodes : 1;
	table_missing(table, PHASE, MS_METRIC_NODE, MS_MISSING_NOT_SUPPORTED);
	for (uint32_t thread = 0; use->on && use->on[thread]; thread++)
		table_set(table, PHASE, thread, MS_METRIC_NODE, use->on[thread] - '0');
	return table;
}

#define ALL_USE .reads = { 100, 100, 100, 100 }
#define SHARED .writes = { 100, 100, 100, 100 }, .falsely_shared = { 100, 100, 0, 0 }

static const struct {
	int line;
	struct use use;
	const char *property;
	uint32_t region;
	bool proven;
	double most, least; /* bounds of the severity */
} cases[] = {
	{ __LINE__, { .reads = { 100, 100, 100, 100 } }, "ParallelTime", PHASE, true, 0 },
	{ __LINE__, { .reads = { 100, 100, 100, 100 } }, "SerialWork", PHASE, true, 0 },
	{ __LINE__, { .reads = { 100, 100, 100, 100 } }, "RecordedAccesses", PARALLEL, true, 0 },
	{ __LINE__, { .reads = { 100, 100, 100, 100 } }, "RecordedAccesses", SERIAL, true, 0 },
	{ __LINE__, { .reads = { 100, 100, 100, 100 } }, "RecordedAccesses", LOOP, true, 0 },
	/* 90 of 100 are strided, half of the loop's accesses, which is half of the time */
	{ __LINE__,
	  { .reads = { 100, 100, 100, 100 }, .strided = { 90, 90, 90, 90 }, .others = 100 },
	  "StridedAccess",
	  DATA,
	  true,
	  0.5 * 0.5 * 0.9 },
	{ __LINE__,
	  { .reads = { 100, 100, 100, 100 }, .strided = { 40, 40, 40, 40 }, .others = 100 },
	  "StridedAccess",
	  DATA,
	  false,
	  0 },
	{ __LINE__,
	  { .reads = { 100, 100, 100, 100 }, .strided = { 100, 100, 100, 100 }, .others = 9900 },
	  "StridedAccess",
	  DATA,
	  false,
	  0 },
	{ __LINE__,
	  { .writes = { 50, 50, 50, 50 }, .strided = { 50, 50, 50, 50 } },
	  "StridedAccess",
	  DATA,
	  true,
	  0.5 },
	{ __LINE__,
	  { .reads = { 100 }, .strided = { 90 }, .others = 100 },
	  "StridedAccess",
	  SERIAL_DATA,
	  true,
	  0.1 * 0.5 * 0.9 },
	{ __LINE__,
	  { .reads = { 100 }, .strided = { 40 } },
	  "StridedAccess",
	  SERIAL_DATA,
	  false,
	  0 },
	/* a million a thread, of 6 ns: of 100 ms; three times as much at most */
	{ __LINE__,
	  { .writes = { 100, 100, 100, 100 }, .atomics = { 100, 100, 100, 100 } },
	  "AtomicUpdates",
	  DATA,
	  true,
	  0.18,
	  0.036 },
	{ __LINE__,
	  { .writes = { 100, 100, 100, 100 }, .atomics = { 50, 50, 50, 50 } },
	  "AtomicUpdates",
	  DATA,
	  false,
	  0 },
	{ __LINE__, { .writes = { 100, 100, 100, 100 } }, "AtomicUpdates", DATA, false, 0 },
	/* the loop is half of the time */
	{ __LINE__,
	  { .writes = { 900, 900, 900, 900 }, .atomics = { 900, 900, 900, 900 } },
	  "AtomicUpdates",
	  DATA,
	  true,
	  0.5,
	  0.324 },
	/* thread 0 has 250 of 400: 1.5 times more than the mean of 100 */
	{ __LINE__,
	  { .reads = { 250, 50, 50, 50 } },
	  "ArrayAccessImbalance",
	  DATA,
	  true,
	  0.5 * (1 - 1 / 2.5) },
	{ __LINE__,
	  { .reads = { 100, 0, 0, 0 } },
	  "ArrayAccessImbalance",
	  DATA,
	  true,
	  0.5 * (1 - 1 / 4.0) },
	{ __LINE__, { .reads = { 110, 100, 100, 90 } }, "ArrayAccessImbalance", DATA, false, 0 },
	{ __LINE__,
	  { .reads = { 250, 50, 50, 50 }, .others = 9900 },
	  "ArrayAccessImbalance",
	  DATA,
	  false,
	  0 },
	{ __LINE__, { .reads = { 100 } }, "ArrayAccessImbalance", SERIAL_DATA, false, 0 },
	/*
	 * a static loop has one chunk a thread; a few are still what the program says, many are
	 * what the threads took
	 */
	{ __LINE__,
	  { .reads = { 250, 50, 50, 50 }, .chunks = 1 },
	  "ArrayAccessImbalance",
	  DATA,
	  true,
	  0.5 * (1 - 1 / 2.5) },
	{ __LINE__,
	  { .reads = { 250, 50, 50, 50 }, .chunks = 3 },
	  "ArrayAccessImbalance",
	  DATA,
	  true,
	  0.5 * (1 - 1 / 2.5) },
	{ __LINE__,
	  { .reads = { 250, 50, 50, 50 }, .chunks = 100 },
	  "ArrayAccessImbalance",
	  DATA,
	  false,
	  0 },
	/*
	 * one thread alone uses the array; the others make as many accesses elsewhere, less, or
	 * more
	 */
	{ __LINE__,
	  { .reads = { 100 }, .other_reads = { 0, 100, 100, 100 } },
	  "ArrayAccessImbalance",
	  DATA,
	  false,
	  0 },
	{ __LINE__,
	  { .reads = { 100 }, .other_reads = { 0, 40, 40, 40 } },
	  "ArrayAccessImbalance",
	  DATA,
	  true,
	  0.5 * 100 / 220 * (1 - 1 / 4.0) },
	{ __LINE__,
	  { .reads = { 100 }, .other_reads = { 0, 300, 300, 300 } },
	  "ArrayAccessImbalance",
	  DATA,
	  false,
	  0 },
	/*
	 * half of its accesses; a third of the loop's, which is half of the time; and one line at
	 * the border of each thread's part
	 */
	{ __LINE__,
	  { .reads = { 50, 50, 50, 50 },
	    .writes = { 50, 50, 50, 50 },
	    .falsely_shared = { 50, 50, 50, 50 },
	    .others = 200 },
	  "SharedWrittenLines",
	  DATA,
	  true,
	  0.5 * 0.5 / 3 },
	{ __LINE__,
	  { .writes = { 100, 100, 100, 100 }, .falsely_shared = { 100, 100, 0, 0 } },
	  "SharedWrittenLines",
	  DATA,
	  true,
	  0.5 * 0.5 },
	{ __LINE__,
	  { .writes = { 100, 100, 100, 100 }, .falsely_shared = { .004, .008, .008, .004 } },
	  "SharedWrittenLines",
	  DATA,
	  false,
	  0 },
	{ __LINE__,
	  { .writes = { 100, 100, 100, 100 },
	    .falsely_shared = { 100, 100, 100, 100 },
	    .others = 9900 },
	  "SharedWrittenLines",
	  DATA,
	  false,
	  0 },
	{ __LINE__, { .writes = { 100, 100, 100, 100 } }, "SharedWrittenLines", DATA, false, 0 },
	{ __LINE__, { .writes = { 100 } }, "SharedWrittenLines", SERIAL_DATA, false, 0 },
	/*
	 * each word is one thread's; by the third case thread 1 uses both, in the fourth nobody
	 * comes to the second word, in the last to none
	 */
	{ __LINE__,
	  { SHARED, .watched = true, .first = { 32 }, .second = { 0, 20 } },
	  "WatchedFalseSharing",
	  DATA,
	  true,
	  0.5 * 0.5 },
	{ __LINE__,
	  { SHARED, .watched = true, .first = { 0, 0, 1 }, .second = { 0, 0, 0, 32 } },
	  "WatchedFalseSharing",
	  DATA,
	  true,
	  0.5 * 0.5 },
	{ __LINE__,
	  { SHARED, .watched = true, .first = { 32, 5 }, .second = { 0, 20 } },
	  "WatchedFalseSharing",
	  DATA,
	  false,
	  0 },
	{ __LINE__,
	  { SHARED, .watched = true, .first = { 32 } },
	  "WatchedFalseSharing",
	  DATA,
	  false,
	  0 },
	{ __LINE__, { SHARED, .watched = true }, "WatchedFalseSharing", DATA, false, 0 },
	/*
	 * thread 0 touched it, the others make 3 of 4 accesses, those on the other node 2 of 4;
	 * half of the loop's accesses, half of the time
	 */
	{ __LINE__,
	  { ALL_USE, .others = 100, .touched = { 64 }, .on = "0011", .nodes = 2 },
	  "SerialFirstTouch",
	  DATA,
	  true,
	  0.5 * 0.5 * 0.5 },
	{ __LINE__,
	  { ALL_USE, .others = 100, .touched = { 64 }, .on = "0123", .nodes = 4 },
	  "SerialFirstTouch",
	  DATA,
	  true,
	  0.5 * 0.5 * 0.75 },
	{ __LINE__,
	  { ALL_USE, .others = 100, .touched = { 64 }, .on = "1110", .nodes = 2 },
	  "SerialFirstTouch",
	  DATA,
	  true,
	  0.5 * 0.5 * 0.25 },
	/*
	 * nobody runs on the second node; or where they run is not known: then all but thread 0 may
	 * be elsewhere
	 */
	{ __LINE__,
	  { ALL_USE, .others = 100, .touched = { 64 }, .on = "0000", .nodes = 2 },
	  "SerialFirstTouch",
	  DATA,
	  true,
	  0 },
	{ __LINE__,
	  { ALL_USE, .others = 100, .touched = { 64 }, .nodes = 2 },
	  "SerialFirstTouch",
	  DATA,
	  true,
	  0.5 * 0.5 * 0.75 },
	/* one node: it is so, and costs nothing */
	{ __LINE__,
	  { ALL_USE, .others = 100, .touched = { 64 }, .on = "0000" },
	  "SerialFirstTouch",
	  DATA,
	  true,
	  0 },
	{ __LINE__,
	  { ALL_USE, .others = 100, .touched = { 64 } },
	  "SerialFirstTouch",
	  DATA,
	  true,
	  0 },
	/*
	 * 60 of 64 pages by thread 2, on node 1: 60/64 of half of the accesses and 4/64 of the
	 * other half are near
	 */
	{ __LINE__,
	  { ALL_USE, .touched = { 4, 0, 60 }, .on = "0011", .nodes = 2 },
	  "SerialFirstTouch",
	  DATA,
	  true,
	  0.5 * 0.5 },
	{ __LINE__,
	  { ALL_USE, .touched = { 8, 0, 56 }, .on = "0011", .nodes = 2 },
	  "SerialFirstTouch",
	  DATA,
	  false,
	  0 },
	{ __LINE__,
	  { ALL_USE, .touched = { 16, 16, 16, 16 }, .on = "0011", .nodes = 2 },
	  "SerialFirstTouch",
	  DATA,
	  false,
	  0 },
	/* a page a thread is the least that can be divided */
	{ __LINE__,
	  { ALL_USE, .touched = { 4 }, .on = "0011", .nodes = 2 },
	  "SerialFirstTouch",
	  DATA,
	  true,
	  0.5 * 0.5 },
	{ __LINE__,
	  { ALL_USE, .touched = { 3.9 }, .on = "0011", .nodes = 2 },
	  "SerialFirstTouch",
	  DATA,
	  false,
	  0 },
	/*
	 * who touched it uses it: the others make 100 of 400 accesses, 150 would be half of their
	 * part
	 */
	{ __LINE__,
	  { .reads = { 300, 34, 33, 33 }, .touched = { 64 }, .on = "0011", .nodes = 2 },
	  "SerialFirstTouch",
	  DATA,
	  false,
	  0 },
	{ __LINE__,
	  { ALL_USE, .others = 9900, .touched = { 64 }, .on = "0011", .nodes = 2 },
	  "SerialFirstTouch",
	  DATA,
	  false,
	  0 },
};

TEST(array_properties__as_computed_by_hand)
{
	struct property_set *set = shipped_properties();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ms_verdict verdict = table_ask(program(&cases[i].use), set,
						      cases[i].property, cases[i].region);

		if (verdict.truth != (cases[i].proven ? MS_TRUE : MS_FALSE))
			test_fail(__FILE__, cases[i].line, "%s: %s is %d (%s)", __func__,
				  cases[i].property, verdict.truth,
				  ms_missing_text(verdict.missing));
		if (!cases[i].proven)
			continue;
		CHECK_NEAR(verdict.severity, cases[i].least, 1e-9);
		CHECK_NEAR(verdict.severity_of_model ? verdict.severity_high : 0, cases[i].most,
			   1e-6);
	}
}

/*
 * Two executions of 4.5 MB each, of which caches of 2 MB hold less than half: 5 MB come from
 * memory, in 2.5 ms of 5 at 2 GB/s.
 */
static struct table *streaming(double lines, double caches, double attainable)
{
	struct table *table = program(&(struct use){ ALL_USE });

	table->regions[LOOP].executions = 2;
	table->caches = caches;
	table->attainable = attainable;
	table->single = attainable / 2;
	for (uint32_t thread = 0; thread < 4; thread++) {
		table_set(table, LOOP, thread, MS_METRIC_TIME, 5 * MS);
		table_set(table, LOOP, thread, MS_METRIC_TOUCHED_LINES, 2 * lines / 4);
	}
	return table;
}

#define LINES (4.5e6 / 64)

TEST(array_properties__beyond_the_caches)
{
	struct property_set *set = shipped_properties();
	struct ms_verdict verdict = table_ask(streaming(LINES, 2e6, 2e9), set,
					      "WorkingSetBeyondCaches", LOOP);

	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_NEAR(evidence_of(&verdict, "touched"), 4.5e6, 1e-3);
	CHECK_NEAR(evidence_of(&verdict, "fetched"), 5e6, 1e-3);
	CHECK_NEAR(evidence_of(&verdict, "least"), 2.5 * MS, 1e-3);
	/* of the phase's 100 ms */
	CHECK_NEAR(verdict.severity, 0.4 * 2.5 / 100, 1e-9);
	CHECK_NEAR(verdict.severity_high, 2.5 * 4 / 3 / 100, 1e-9);
	verdict = table_ask(streaming(LINES, 2e6, 0.5e9), set, "WorkingSetBeyondCaches", LOOP);
	/* 10 ms, but no more than the time there was */
	CHECK_NEAR(verdict.severity, 0.4 * 5.0 / 100, 1e-9);
	CHECK_NEAR(verdict.severity_high, 5.0 / 100, 1e-9);
	CHECK_INT(
		table_ask(streaming(LINES, 4.5e6, 2e9), set, "WorkingSetBeyondCaches", LOOP).truth,
		MS_FALSE);
	CHECK_INT(table_ask(streaming(LINES, 2e6, 12e9), set, "WorkingSetBeyondCaches", LOOP).truth,
		  MS_FALSE);
}

/* Where the lines are not counted: as many as may be touched, which proves no loss. */
TEST(array_properties__reach_beyond_the_caches)
{
	struct property_set *set = shipped_properties();
	struct table *table = streaming(LINES, 2e6, 2e9);
	struct ms_verdict verdict;

	table_missing(table, LOOP, MS_METRIC_TOUCHED_LINES, MS_MISSING_UNCOVERED);
	table_set(table, LOOP, 0, MS_METRIC_TOUCHED_MOST, 2 * LINES);
	table_missing(table, LOOP, MS_METRIC_SIM_DRAM_LOCAL, MS_MISSING_NOT_MODELLED);
	verdict = table_ask(table, set, "ReachBeyondCaches", LOOP);
	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_NEAR(evidence_of(&verdict, "touched"), 4.5e6, 1e-3);
	CHECK_NEAR(evidence_of(&verdict, "fetched"), 5e6, 1e-3);
	CHECK_NEAR(verdict.severity, 0, 1e-9);
	CHECK_NEAR(verdict.severity_high, 2.5 * 4 / 3 / 100, 1e-9);
	/* simulated, 2 MB of these come from memory */
	table_missing(table, LOOP, MS_METRIC_SIM_DRAM_LOCAL, MS_PRESENT);
	table_set(table, LOOP, 0, MS_METRIC_SIM_DRAM_LOCAL, 1e6 / 64);
	table_set(table, LOOP, 0, MS_METRIC_SIM_DRAM_REMOTE, 0);
	table_set(table, LOOP, 0, MS_METRIC_SIM_DRAM_PREFETCHES, 1e6 / 64);
	verdict = table_ask(table, set, "ReachBeyondCaches", LOOP);
	CHECK_NEAR(evidence_of(&verdict, "fetched"), 2e6, 1e-3);
	table->caches = 4.5e6;
	CHECK_INT(table_ask(table, set, "ReachBeyondCaches", LOOP).truth, MS_FALSE);
}

/* Each execution finds other data in the caches than its own: what is simulated comes from memory. */
TEST(array_properties__traffic_of_the_modelled_caches)
{
	struct property_set *set = shipped_properties();
	struct table *table = streaming(LINES / 100, 2e6, 2e9);
	struct ms_verdict verdict;

	table_set(table, LOOP, 0, MS_METRIC_SIM_DRAM_LOCAL, 1e6 / 64);
	table_set(table, LOOP, 1, MS_METRIC_SIM_DRAM_REMOTE, 0);
	table_set(table, LOOP, 1, MS_METRIC_SIM_DRAM_PREFETCHES, 4e6 / 64);
	verdict = table_ask(table, set, "ModelledTraffic", LOOP);
	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_NEAR(evidence_of(&verdict, "fetched"), 5e6, 1e-3);
	CHECK_NEAR(evidence_of(&verdict, "of_time"), 0.5, 1e-9);
	CHECK_NEAR(verdict.severity, 0.6 * 2.5 / 100, 1e-9);
	CHECK_NEAR(verdict.severity_high, 2.5 * 4 / 3 / 100, 1e-9);
	/* 4.5 of 5 ms: bandwidth is the limit */
	table_set(table, LOOP, 1, MS_METRIC_SIM_DRAM_PREFETCHES, 8e6 / 64);
	CHECK_NEAR(table_ask(table, set, "ModelledTraffic", LOOP).severity, 4.5 / 100, 1e-9);
	/* twice what memory delivers in this time: caches have half of it */
	table_set(table, LOOP, 1, MS_METRIC_SIM_DRAM_PREFETCHES, 19e6 / 64);
	CHECK_NEAR(table_ask(table, set, "ModelledTraffic", LOOP).severity, 2.5 / 100, 1e-9);
	/* 1.4 of 5 ms: what is computed meanwhile hides it */
	table_set(table, LOOP, 1, MS_METRIC_SIM_DRAM_PREFETCHES, 1.8e6 / 64);
	CHECK_INT(table_ask(table, set, "ModelledTraffic", LOOP).truth, MS_FALSE);
	table_missing(table, LOOP, MS_METRIC_SIM_DRAM_LOCAL, MS_MISSING_NOT_MODELLED);
	CHECK_INT(table_ask(table, set, "ModelledTraffic", LOOP).truth, MS_UNKNOWN);
}

/* The same by the caches of a machine that is only modelled, whatever this one's hold. */
TEST(array_properties__beyond_the_modelled_caches)
{
	struct property_set *set = shipped_properties();
	struct table *table = streaming(LINES, 100e6, 2e9);
	struct ms_verdict verdict;

	CHECK_INT(table_ask(table, set, "BeyondModelledCaches", LOOP).missing,
		  MS_MISSING_NOT_MODELLED);
	CHECK(property_is_unasked(property_set_find(set, "BeyondModelledCaches"), &table->context));
	CHECK(!property_is_unasked(property_set_find(set, "WorkingSetBeyondCaches"),
				   &table->context));
	table->modelled = 2e6;
	CHECK(!property_is_unasked(property_set_find(set, "BeyondModelledCaches"),
				   &table->context));
	verdict = table_ask(table, set, "BeyondModelledCaches", LOOP);
	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_INT(verdict.rung, MS_RUNG_SIMULATED); /* it is a finding about that machine */
	CHECK_NEAR(evidence_of(&verdict, "caches"), 2e6, 1e-3);
	CHECK_NEAR(evidence_of(&verdict, "fetched"), 5e6, 1e-3);
	CHECK_NEAR(evidence_of(&verdict, "least"), 2.5 * MS, 1e-3);
	CHECK_NEAR(verdict.severity, 0.4 * 2.5 / 100, 1e-9);
	CHECK_NEAR(verdict.severity_high, 2.5 * 4 / 3 / 100, 1e-9);
	CHECK_INT(table_ask(table, set, "WorkingSetBeyondCaches", LOOP).truth, MS_FALSE);
	table->modelled = 4.5e6;
	CHECK_INT(table_ask(table, set, "BeyondModelledCaches", LOOP).truth, MS_FALSE);
}

/* Neither sizes nor rates are guessed. */
TEST(array_properties__caches_that_nobody_told)
{
	struct property_set *set = shipped_properties();
	struct ms_verdict verdict = table_ask(streaming(LINES, 0, 2e9), set,
					      "WorkingSetBeyondCaches", LOOP);
	struct table *table = streaming(LINES, 2e6, 2e9);

	CHECK_INT(verdict.truth, MS_UNKNOWN);
	CHECK_INT(verdict.missing, MS_MISSING_NOT_CALIBRATED);
	CHECK_INT(table_ask(streaming(LINES, 2e6, 0), set, "WorkingSetBeyondCaches", LOOP).truth,
		  MS_UNKNOWN);
	table_missing(table, LOOP, MS_METRIC_TOUCHED_LINES, MS_MISSING_UNCOVERED);
	CHECK_INT(table_ask(table, set, "WorkingSetBeyondCaches", LOOP).missing,
		  MS_MISSING_UNCOVERED);
}

/* ------------------------------------------------------------------ natural loops */

enum { NEST = SERIAL_DATA + 1, INNER, INNER_DATA };

/*
 * In the loop of program() a nest of two, the outer one of this kind: `nest` and `inner` of each
 * thread's 200 ten thousands of reads, all of inner's of one array.
 */
static struct table *program_with(enum ms_region_kind kind, double nest, double inner,
				  double strided)
{
	struct table *table = program(
		&(struct use){ .reads = { 100, 100, 100, 100 }, .others = 100 });

	table_region(table, LOOP, kind, 1);
	table_region(table, NEST, MS_LOOP_REGION, 1);
	table_region(table, INNER, MS_DATA_STRUCTURE, 1);
	for (uint32_t thread = 0; thread < 4; thread++) {
		const struct {
			uint32_t region;
			double reads;
		} values[] = { { NEST, nest }, { INNER, inner }, { INNER_DATA, inner } };

		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			table_set(table, values[i].region, thread, MS_METRIC_READS,
				  1e4 * values[i].reads);
			table_set(table, values[i].region, thread, MS_METRIC_WRITES, 0);
			table_set(table, values[i].region, thread, MS_METRIC_READ_BYTES,
				  8e4 * values[i].reads);
			table_set(table, values[i].region, thread, MS_METRIC_WRITTEN_BYTES, 0);
		}
		table_set(table, INNER_DATA, thread, MS_METRIC_STRIDED, 1e4 * strided);
	}
	for (uint32_t region = NEST; region <= INNER; region++)
		table_missing(table, region, MS_METRIC_TIME, MS_MISSING_IN_LOOP);
	return table;
}

static struct table *program_with_loops(double nest, double inner, double strided)
{
	return program_with(MS_LOOP_REGION, nest, inner, strided);
}

static enum ms_truth function_with(double accesses)
{
	return table_ask(program_with(MS_SUB_REGION, accesses, 0, 0), shipped_properties(),
			 "RecordedFunction", NEST)
		.truth;
}

/* The phase takes 100 ms on each of four threads; one of them takes `ns` in the nest. */
static enum ms_truth loop_with(double ns)
{
	struct table *table = program_with_loops(190, 180, 0);

	for (uint32_t thread = 0; thread < 4; thread++) {
		table_set(table, NEST, thread, MS_METRIC_LOOP_TIME, thread ? 0 : ns);
		table_set(table, NEST, thread, MS_METRIC_LOOP_OWN_TIME, thread ? 0 : ns / 2);
		table_set(table, NEST, thread, MS_METRIC_LOOP_ENTRIES, !thread);
	}
	return table_ask(table, shipped_properties(), "TimeInLoop", NEST).truth;
}

TEST(array_properties__times_of_loops)
{
	struct table *table = program_with_loops(190, 180, 0);

	CHECK_INT(loop_with(19 * MS), MS_FALSE);
	CHECK_INT(loop_with(21 * MS), MS_TRUE);
	table_missing(table, NEST, MS_METRIC_LOOP_TIME, MS_MISSING_SHORT_LOOP);
	CHECK_INT(table_ask(table, shipped_properties(), "TimeInLoop", NEST).missing,
		  MS_MISSING_SHORT_LOOP);
}

TEST(array_properties__each_is_proven_by_a_case)
{
	struct property_set *set = shipped_properties();

	for (size_t i = 0; i < set->nr; i++) {
		bool found = !is_about_arrays(set->properties[i]);

		for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++)
			found |= cases[k].proven &&
				 !strcmp(cases[k].property, property_name(set->properties[i]));
		found |= !strcmp("WorkingSetBeyondCaches", property_name(set->properties[i])) ||
			 !strcmp("ReachBeyondCaches", property_name(set->properties[i])) ||
			 !strcmp("BeyondModelledCaches", property_name(set->properties[i])) ||
			 !strcmp("AllPagesOnOneNode", property_name(set->properties[i])) ||
			 !strcmp("MisplacedBlocks", property_name(set->properties[i]));
		found |= !strcmp("RecordedLoop", property_name(set->properties[i])) &&
			 table_ask(program_with_loops(190, 180, 0), set, "RecordedLoop", NEST)
					 .truth == MS_TRUE;
		found |= !strcmp("RecordedFunction", property_name(set->properties[i])) &&
			 function_with(190) == MS_TRUE;
		found |= !strcmp("TimeInLoop", property_name(set->properties[i])) &&
			 loop_with(30 * MS) == MS_TRUE;
		if (!found)
			test_fail(__FILE__, __LINE__, "no case proves %s",
				  property_name(set->properties[i]));
	}
}

/*
 * A loop with less than 5 % of the phase's time, by its share of the construct's accesses, leads
 * nowhere.
 */
TEST(array_properties__loops_count_by_their_share_of_the_construct)
{
	struct property_set *set = shipped_properties();

	CHECK_INT(table_ask(program_with_loops(190, 180, 0), set, "RecordedLoop", NEST).truth,
		  MS_TRUE);
	CHECK_INT(table_ask(program_with_loops(190, 180, 0), set, "RecordedLoop", INNER).truth,
		  MS_TRUE);
	CHECK_INT(table_ask(program_with_loops(190, 22, 0), set, "RecordedLoop", INNER).truth,
		  MS_TRUE);
	CHECK_INT(table_ask(program_with_loops(190, 18, 0), set, "RecordedLoop", INNER).truth,
		  MS_FALSE);
}

/* All that may be found of an array takes 2 % of the time, so less of a function leads nowhere. */
TEST(array_properties__functions_count_by_their_share_of_the_construct)
{
	CHECK_INT(function_with(190), MS_TRUE);
	CHECK_INT(function_with(10), MS_TRUE);
	CHECK_INT(function_with(7), MS_FALSE);
}

TEST(array_properties__strides_in_loops_have_the_constructs_time)
{
	struct property_set *set = shipped_properties();
	struct ms_verdict verdict = table_ask(program_with_loops(190, 100, 90), set,
					      "StridedAccess", INNER_DATA);

	CHECK_INT(verdict.truth, MS_TRUE);
	/* as in the construct itself, see above */
	CHECK_NEAR(verdict.severity_high, 0.5 * 0.5 * 0.9, 1e-6);
	CHECK_INT(
		table_ask(program_with_loops(190, 100, 40), set, "StridedAccess", INNER_DATA).truth,
		MS_FALSE);
	CHECK_INT(table_ask(program_with_loops(190, 4, 4), set, "StridedAccess", INNER_DATA).truth,
		  MS_FALSE);
}

/*
 * A parallel region that does nothing but run other constructs: its time is theirs, its ten
 * accesses take none of it.
 */
TEST(array_properties__few_accesses_take_little_time)
{
	struct property_set *set = shipped_properties();
	struct table *table = program(&(struct use){ .reads = { 0.01, 0.01, 0.01, 0.01 },
						     .strided = { 0.01, 0.01, 0.01, 0.01 } });

	CHECK_INT(table_ask(table, set, "StridedAccess", DATA).truth, MS_FALSE);
	table = program(&(struct use){ .reads = { 0.04, 0, 0, 0 } });
	CHECK_INT(table_ask(table, set, "ArrayAccessImbalance", DATA).truth, MS_FALSE);
	CHECK_INT(table_ask(program(&(struct use){ .others = 0 }), set, "RecordedAccesses", LOOP)
			  .truth,
		  MS_TRUE);
}

/* A thread whose accesses are not known makes the answer unknown, not no. */
TEST(array_properties__unknown_accesses_are_not_none)
{
	struct property_set *set = shipped_properties();
	struct table *table = program(&(struct use){ .reads = { 100, 100, 100, 100 } });

	table_missing(table, LOOP, MS_METRIC_READS, MS_MISSING_NOT_RECORDED);
	CHECK_INT(table_ask(table, set, "RecordedAccesses", LOOP).truth, MS_UNKNOWN);
	CHECK_INT(table_ask(table, set, "RecordedAccesses", LOOP).missing, MS_MISSING_NOT_RECORDED);
	table_missing(table, DATA, MS_METRIC_STRIDED, MS_MISSING_BUDGET);
	CHECK_INT(table_ask(table, set, "StridedAccess", DATA).truth, MS_UNKNOWN);
}

TEST(array_properties__unknown_first_touches_are_not_none)
{
	struct property_set *set = shipped_properties();
	struct table *table = program(
		&(struct use){ ALL_USE, .touched = { 64 }, .on = "0011", .nodes = 2 });
	struct ms_verdict verdict;

	CHECK_INT(table_ask(table, set, "SerialFirstTouch", DATA).truth, MS_TRUE);
	table_missing(table, DATA, MS_METRIC_FIRST_TOUCHED, MS_MISSING_UNSEEN);
	verdict = table_ask(table, set, "SerialFirstTouch", DATA);
	CHECK_INT(verdict.truth, MS_UNKNOWN);
	CHECK_INT(verdict.missing, MS_MISSING_UNSEEN);
	CHECK_INT(verdict.missing_metric, MS_METRIC_FIRST_TOUCHED);
}

TEST(array_properties__the_first_toucher_is_named)
{
	struct table *table = program(
		&(struct use){ ALL_USE, .touched = { 4, 0, 60 }, .on = "0011", .nodes = 2 });
	const struct property *property = property_set_find(shipped_properties(),
							    "SerialFirstTouch");
	uint32_t threads[4];

	table->context.region = DATA;
	CHECK_INT(property_threads(property, &table->context, threads, 4), 1);
	CHECK_INT(threads[0], 2);
}

/*
 * 1.6 million lines a thread, 100 ns longer each if they are of the other node, 16 at once at
 * least; of two threads in four they are. Half of the time is the loop's.
 */
TEST(array_properties__first_touch_on_a_modelled_machine)
{
	struct property_set *set = shipped_properties();
	struct table *table = program(
		&(struct use){ ALL_USE, .touched = { 64 }, .on = "0011", .nodes = 1 });
	struct ms_verdict verdict;

	for (uint32_t thread = 0; thread < 4; thread++) {
		table_set(table, DATA, thread, MS_METRIC_SIM_DRAM_REMOTE, thread < 2 ? 0 : 4e5);
		table_set(table, DATA, thread, MS_METRIC_SIM_DRAM_LOCAL, thread < 2 ? 4e5 : 0);
		table_set(table, DATA, thread, MS_METRIC_SIM_DRAM_PREFETCHES, 2e5);
	}
	/* one node, that of this machine */
	CHECK_NEAR(table_ask(table, set, "SerialFirstTouch", DATA).severity_high, 0, 0);
	table->modelled_nodes = 2;
	verdict = table_ask(table, set, "SerialFirstTouch", DATA);
	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_INT(verdict.rung, MS_RUNG_SIMULATED);
	CHECK_NEAR(verdict.severity, 8e5 * 100 / 16 / (400 * MS), 1e-9);
	CHECK_NEAR(verdict.severity_high, (8e5 + 8e5 / 2) * 100 / (400 * MS), 1e-9);
	for (uint32_t thread = 2; thread < 4; thread++)
		/* all on one of its nodes */
		table_set(table, DATA, thread, MS_METRIC_SIM_DRAM_REMOTE, 0);
	CHECK_INT(table_ask(table, set, "SerialFirstTouch", DATA).truth, MS_FALSE);
}

/*
 * Half of the time is the loop's, which waits 100 ns longer for a line of another node. `local` and
 * `remote`: thousands of lines by thread, of which the last two are on node 1.
 */
static struct ms_verdict placed(const char *property, const double *local, const double *remote,
				double nodes)
{
	struct table *table = program(&(struct use){ ALL_USE, .touched = { 16, 16, 16, 16 },
						     .on = "0011", .nodes = nodes });

	for (uint32_t thread = 0; thread < 4; thread++) {
		table_set(table, DATA, thread, MS_METRIC_SIM_DRAM_LOCAL, 1e3 * local[thread]);
		table_set(table, DATA, thread, MS_METRIC_SIM_DRAM_REMOTE, 1e3 * remote[thread]);
		table_set(table, DATA, thread, MS_METRIC_SIM_DRAM_PREFETCHES, 0);
	}
	return table_ask(table, shipped_properties(), property, DATA);
}

TEST(array_properties__pages_on_one_node)
{
	static const double home[] = { 400, 400, 0, 0 }, away[] = { 0, 0, 400, 400 },
			    half[] = { 200, 200, 200, 200 }, all[] = { 400, 400, 400, 400 },
			    none[] = { 0, 0, 0, 0 };
	struct ms_verdict verdict = placed("AllPagesOnOneNode", home, away, 2);

	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_INT(verdict.rung, MS_RUNG_SIMULATED);
	CHECK_NEAR(verdict.severity, 8e5 * 100 / 16 / (400 * MS), 1e-9);
	CHECK_NEAR(verdict.severity_high, 8e5 * 100 / (400 * MS), 1e-9);
	CHECK_INT(placed("AllPagesOnOneNode", half, half, 2).truth, MS_FALSE);
	CHECK_INT(placed("AllPagesOnOneNode", all, none, 2).truth, MS_FALSE);
	CHECK_INT(placed("AllPagesOnOneNode", none, all, 2).truth, MS_FALSE);
	CHECK_INT(placed("AllPagesOnOneNode", home, away, 1).truth, MS_FALSE);
}

TEST(array_properties__misplaced_blocks)
{
	static const double few[] = { 100, 100, 100, 100 }, most[] = { 300, 300, 300, 300 },
			    half[] = { 200, 200, 200, 200 }, home[] = { 400, 400, 0, 0 },
			    away[] = { 0, 0, 400, 400 };
	struct ms_verdict verdict = placed("MisplacedBlocks", few, most, 2);

	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_NEAR(verdict.severity_high, 12e5 * 100 / (400 * MS), 1e-9);
	/* interleaved; three quarters are remote on four nodes, too */
	CHECK_INT(placed("MisplacedBlocks", half, half, 2).truth, MS_FALSE);
	CHECK_INT(placed("MisplacedBlocks", few, most, 4).truth, MS_FALSE);
	CHECK_INT(placed("MisplacedBlocks", home, away, 2).truth, MS_FALSE);
	CHECK_INT(placed("MisplacedBlocks", few, most, 1).truth, MS_FALSE);
}
