/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The properties over simulated misses: a loop whose data structure misses in ways that must be
 * found, and in others that must not.
 */
#include <math.h>

#include "analysis/properties/fill.h"
#include "tests/unit/context.h"

#define MS 1e6 /* ns */

enum { PHASE, PARALLEL, DATA };

/*
 * What each of four threads does, in thousands; cycles are 0.5 ns, the second-level cache takes 5
 * ns, the second TLB 3 ns, a page walk 15 ns, the loop half of 100 ms.
 */
struct use {
	double accesses, l1, l2, l3, cold, capacity, conflict, true_sharing, false_sharing, fetched,
		used, walks, cycles, written, bypassed, contested, contiguous, l1_conflict;
};

static void set(struct table *table, uint32_t region, uint32_t thread, const struct use *use)
{
	const struct {
		enum ms_metric metric;
		double value;
	} values[] = {
		{ MS_METRIC_SIM_LOADS, use->accesses },
		{ MS_METRIC_SIM_STORES, use->written },
		{ MS_METRIC_SIM_L1D_MISSES, use->l1 },
		{ MS_METRIC_SIM_L2D_MISSES, use->l2 },
		{ MS_METRIC_SIM_L3D_MISSES, use->l3 },
		{ MS_METRIC_SIM_COLD, use->cold },
		{ MS_METRIC_SIM_CAPACITY, use->capacity },
		{ MS_METRIC_SIM_CONFLICT, use->conflict },
		{ MS_METRIC_SIM_L1_CONFLICT, use->l1_conflict },
		{ MS_METRIC_SIM_TRUE_SHARING, use->true_sharing },
		{ MS_METRIC_SIM_FALSE_SHARING, use->false_sharing },
		{ MS_METRIC_SIM_FETCHED_BYTES, use->fetched },
		{ MS_METRIC_SIM_USED_BYTES, use->used },
		{ MS_METRIC_SIM_TLB_WALKS, use->walks },
		{ MS_METRIC_SIM_TLB_MISSES, 2 * use->walks },
		{ MS_METRIC_SIM_STALL_CYCLES, use->cycles },
		{ MS_METRIC_SIM_DRAM_LOCAL, use->l3 },
		{ MS_METRIC_SIM_DRAM_REMOTE, 0 },
		{ MS_METRIC_SIM_BYPASSED, use->bypassed },
		{ MS_METRIC_SIM_CONTESTED, use->contested },
		{ MS_METRIC_READS, use->accesses },
		{ MS_METRIC_WRITES, use->written },
		{ MS_METRIC_CONTIGUOUS, use->contiguous },
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (isnan(values[i].value))
			table->cells[region][thread][values[i].metric] = (struct ms_reading){
				.missing = MS_MISSING_NOT_SUPPORTED
			};
		else
			table_set(table, region, thread, values[i].metric, 1e3 * values[i].value);
}

static struct table *program(const struct use *use)
{
	struct table *table = table_new(4, 100 * MS);

	table_region(table, PHASE, MS_PARALLEL_REGION, 1);
	table_region(table, PARALLEL, MS_DATA_STRUCTURE, 1);
	for (uint32_t thread = 0; thread < 4; thread++) {
		table_set(table, PARALLEL, thread, MS_METRIC_TIME, 50 * MS);
		for (uint32_t region = PHASE; region <= DATA; region++)
			set(table, region, thread, use);
	}
	return table;
}

/*
 * 40 million cycles a thread are 20 ms: a fifth of the time if nothing overlaps. A million accesses
 * compute for 1.5 ms at most, so that the loop waits the rest of its 50 ms: WAITING. With 30
 * million it computes up to 45 ms.
 */
#define MISSING .accesses = 1000, .l1 = 500, .l2 = 400, .l3 = 200, .cycles = 40000
/* … of a machine of two levels, the second shared */
#define TWO_LEVELS .accesses = 1000, .l1 = 500, .l2 = NAN, .l3 = 200, .cycles = 40000
#define SHARE 0.2
/* less what the second level takes: 100,000 accesses of 5 ns, half a millisecond */
#define CLASSIFIED 0.195
/* 400,000 misses of the second level, had the third nothing: 100 ns each */
#define FROM_MEMORY 0.4
#define WAITING 0.485
/* 0.06 ns each */
#define MOST_WAITING 0.4994
/* of which latencies of twice the model's explain this */
#define LONGER (2 * CLASSIFIED)
#define MUCH_COMPUTED .accesses = 30000, .l1 = 500, .l2 = 400, .l3 = 200, .cycles = 40000
#define WAITING_LITTLE 0.05
#define STREAM .accesses = 30000, .l1 = 4000, .cycles = 40000
/* each of a million accesses waits as the misses do: 19.5 ms for 400,000 */
#define TRANSFERS 0.4875
/* 50 ms in 50: each of them waits for the second level */
#define EACH_IN_L2 .accesses = 10000, .l1 = 10000, .cycles = 100000
#define LINES .fetched = 25600, .used = 25600

static const struct {
	int line;
	struct use use;
	const char *property;
	uint32_t region;
	bool proven;
	double least, most;
} cases[] = {
	{ __LINE__, { MISSING, LINES }, "ModelledWaits", PHASE, true, 0, 0 },
	{ __LINE__, { .accesses = 1000, .cycles = 1000 }, "ModelledWaits", PHASE, false, 0, 0 },
	{ __LINE__, { MISSING, LINES }, "ModelledWaitsHere", PARALLEL, true, 0, 0 },
	{ __LINE__,
	  { .accesses = 1000, .cycles = 1000 },
	  "ModelledWaitsHere",
	  PARALLEL,
	  false,
	  0,
	  0 },
	{ __LINE__, { MISSING, LINES }, "DataMisses", DATA, true, CLASSIFIED, FROM_MEMORY },
	{ __LINE__,
	  { MUCH_COMPUTED, LINES },
	  "DataMisses",
	  DATA,
	  true,
	  WAITING_LITTLE,
	  FROM_MEMORY },
	/* the second level serves all, 20 ms in 50: computing hides it */
	{ __LINE__,
	  { .accesses = 30000, .l1 = 4000, .l2 = 0, .cycles = 40000, LINES },
	  "DataMisses",
	  DATA,
	  true,
	  0,
	  SHARE },
	/* contiguous accesses do not wait for it either; unless it lacks lines, or they are used badly */
	{ __LINE__,
	  { STREAM, .l2 = 199, .contiguous = 30000, LINES },
	  "DataMisses",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { STREAM, .l2 = 199, .contiguous = 14000, LINES },
	  "DataMisses",
	  DATA,
	  true,
	  0.00995 * (1 - 0.75 * 14 / 30),
	  SHARE },
	{ __LINE__,
	  { STREAM, .l2 = 201, .contiguous = 30000, LINES },
	  "DataMisses",
	  DATA,
	  true,
	  0.01005 / 4, /* contiguous: the third level's latency is hidden for the most part */
	  0.201 },
	{ __LINE__,
	  { STREAM, .l2 = 199, .contiguous = 30000, .fetched = 256, .used = 100 },
	  "DataMisses",
	  DATA,
	  true,
	  0.00995 / 4,
	  SHARE },
	/* conflicts in the first level: 30 million accesses take 7.5 ms, 12 million lines 15 ms */
	{ __LINE__,
	  { .accesses = 30000,
	    .l1 = 12000,
	    .l2 = 0,
	    .cycles = 120000,
	    .contiguous = 30000,
	    LINES,
	    .l1_conflict = 12000 },
	  "DataMisses",
	  DATA,
	  true,
	  0,
	  0.5 - 0.018 },
	/* … 4 million lines 5 ms, which computing hides */
	{ __LINE__,
	  { STREAM, .l2 = 0, .contiguous = 30000, LINES, .l1_conflict = 4000 },
	  "DataMisses",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { STREAM, .l2 = 0, .contiguous = 30000, LINES, .l1_conflict = 4000 },
	  "L1ConflictMisses",
	  DATA,
	  false,
	  0,
	  0 },
	/* contiguous: 10 million lines take 6.25 to 12.5 ms, and as many accesses 2.5 ms */
	{ __LINE__,
	  { EACH_IN_L2, .l2 = 0, .contiguous = 10000, LINES, .l1_conflict = 9000 },
	  "L1ConflictMisses",
	  DATA,
	  true,
	  0.9 * (0.0625 - 0.025),
	  0.9 * (0.125 - 0.025) },
	{ __LINE__,
	  { EACH_IN_L2, .l2 = 0, LINES, .l1_conflict = 9000 },
	  "L1ConflictMisses",
	  DATA,
	  true,
	  0.9 * 0.5 / 4,
	  0.9 * (0.5 - 0.006) },
	{ __LINE__,
	  { EACH_IN_L2, .l2 = 0, LINES, .l1_conflict = 2900 },
	  "L1ConflictMisses",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { EACH_IN_L2, .l2 = 1001, LINES, .l1_conflict = 9000 },
	  "L1ConflictMisses",
	  DATA,
	  false,
	  0,
	  0 },
	/* 150 ms in 50: 16 at once are three sixteenths of the time, which computing hides */
	{ __LINE__,
	  { .accesses = 30000, .l1 = 30000, .l2 = 0, .cycles = 300000, LINES },
	  "DataMisses",
	  DATA,
	  true,
	  0,
	  0.5 - 0.018 },
	/* 600 ms in 50: three quarters of the time, of which half is hidden */
	{ __LINE__,
	  { .accesses = 120000, .l1 = 120000, .l2 = 0, .cycles = 1200000, LINES },
	  "DataMisses",
	  DATA,
	  true,
	  0.125,
	  0.5 - 0.072 },
	/* no more than the time of the loop, less what the accesses take at least */
	{ __LINE__,
	  { .accesses = 1000, .l1 = 1000, .cycles = 1000000 },
	  "DataMisses",
	  DATA,
	  true,
	  WAITING,
	  MOST_WAITING },
	{ __LINE__,
	  { .accesses = 1000, .l1 = 10, .cycles = 1000 },
	  "DataMisses",
	  DATA,
	  false,
	  0,
	  0 },
	/*
	 * what passes the first level by and hits in the second misses nothing; with misses beside:
	 * 100,000 hits of 5 ns cost nothing; all come from further out
	 */
	{ __LINE__,
	  { .accesses = 10000, .l2 = 1, .cycles = 100000, .bypassed = 10000 },
	  "DataMisses",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { .accesses = 1000, .l2 = 400, .l3 = 200, .cycles = 40000, .bypassed = 500 },
	  "DataMisses",
	  DATA,
	  true,
	  CLASSIFIED,
	  FROM_MEMORY },
	{ __LINE__,
	  { .accesses = 1000, .l2 = 400, .l3 = 400, .cycles = 40000, .bypassed = 400 },
	  "DataMisses",
	  DATA,
	  true,
	  SHARE,
	  FROM_MEMORY },
	{ __LINE__,
	  { MISSING, LINES, .conflict = 200, .capacity = 200 },
	  "ConflictMisses",
	  DATA,
	  true,
	  CLASSIFIED / 2,
	  LONGER / 2 },
	{ __LINE__,
	  { MUCH_COMPUTED, LINES, .conflict = 200, .capacity = 200 },
	  "ConflictMisses",
	  DATA,
	  true,
	  WAITING_LITTLE / 2,
	  CLASSIFIED / 2 },
	{ __LINE__,
	  { MISSING, LINES, .conflict = 80, .capacity = 320 },
	  "ConflictMisses",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { MISSING, LINES, .capacity = 400 },
	  "CapacityMisses",
	  DATA,
	  true,
	  CLASSIFIED,
	  LONGER },
	{ __LINE__,
	  { MUCH_COMPUTED, LINES, .capacity = 400 },
	  "CapacityMisses",
	  DATA,
	  true,
	  WAITING_LITTLE,
	  CLASSIFIED },
	{ __LINE__,
	  { MISSING, LINES, .cold = 300, .capacity = 100 },
	  "CapacityMisses",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { MISSING, LINES, .false_sharing = 400, .contested = 400 },
	  "FalseSharing",
	  DATA,
	  true,
	  WAITING,
	  TRANSFERS },
	/* transfers of one in 32 accesses, each of which may be one */
	{ __LINE__,
	  { .accesses = 1000,
	    .l1 = 31.25,
	    .l2 = 31.25,
	    .cycles = 3125,
	    .false_sharing = 31.25,
	    .contested = 31.25 },
	  "FalseSharing",
	  DATA,
	  true,
	  WAITING,
	  MOST_WAITING },
	{ __LINE__,
	  { MISSING, LINES, .true_sharing = 400, .contested = 400 },
	  "FalseSharing",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { MISSING, LINES, .cold = 200, .true_sharing = 200, .contested = 300, .written = 1e-3 },
	  "TrueSharing",
	  DATA,
	  true,
	  WAITING / 2,
	  TRANSFERS / 2 },
	/* what others wrote before is transferred once */
	{ __LINE__,
	  { MISSING, LINES, .cold = 200, .true_sharing = 200, .contested = 300 },
	  "TrueSharing",
	  DATA,
	  true,
	  CLASSIFIED / 2,
	  2 * CLASSIFIED / 2 },
	{ __LINE__,
	  { MISSING, LINES, .false_sharing = 400, .contested = 400 },
	  "TrueSharing",
	  DATA,
	  false,
	  0,
	  0 },
	/* not told of some lines alone, but so little is contested that it cannot be */
	{ __LINE__,
	  { MISSING, LINES, .false_sharing = NAN, .true_sharing = NAN, .contested = 40 },
	  "FalseSharing",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { MISSING, LINES, .false_sharing = NAN, .true_sharing = NAN, .contested = 40 },
	  "TrueSharing",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { .accesses = 1000,
	    .l1 = 500,
	    .l2 = 400,
	    .l3 = 200,
	    .cycles = 1200,
	    .false_sharing = NAN,
	    .true_sharing = NAN,
	    .contested = 120 },
	  "FalseSharing",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { .accesses = 1000,
	    .l1 = 500,
	    .l2 = 400,
	    .l3 = 200,
	    .cycles = 1200,
	    .false_sharing = NAN,
	    .true_sharing = NAN,
	    .contested = 120 },
	  "TrueSharing",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { MISSING, .fetched = 25600, .used = 6400 },
	  "PoorLineUtilisation",
	  DATA,
	  true,
	  0.75 * CLASSIFIED / 32,
	  0.75 * CLASSIFIED },
	{ __LINE__,
	  { MISSING, .fetched = 25600, .used = 16000 },
	  "PoorLineUtilisation",
	  DATA,
	  false,
	  0,
	  0 },
	/*
	 * Waits for the second-level cache, and the TLBs: what few lines do that come from further
	 * out is not why.
	 */
	{ __LINE__,
	  { .accesses = 10000,
	    .l1 = 4000,
	    .l2 = 1,
	    .cycles = 40100,
	    .conflict = 1,
	    .fetched = 64,
	    .used = 64 },
	  "ConflictMisses",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { .accesses = 10000,
	    .l1 = 4000,
	    .l2 = 1,
	    .cycles = 40100,
	    .capacity = 1,
	    .fetched = 64,
	    .used = 64 },
	  "CapacityMisses",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { .accesses = 10000,
	    .l1 = 4000,
	    .l2 = 1,
	    .cycles = 40100,
	    .false_sharing = 1,
	    .contested = 1,
	    .fetched = 64,
	    .used = 64 },
	  "FalseSharing",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { .accesses = 10000,
	    .l1 = 4000,
	    .l2 = 1,
	    .cycles = 40100,
	    .true_sharing = 1,
	    .contested = 1,
	    .fetched = 64,
	    .used = 64 },
	  "TrueSharing",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { .accesses = 10000,
	    .l1 = 4000,
	    .l2 = 1,
	    .cycles = 40100,
	    .cold = 1,
	    .fetched = 64,
	    .used = 4 },
	  "PoorLineUtilisation",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { .written = 10000,
	    .l1 = 4000,
	    .l2 = 1,
	    .l3 = 1,
	    .cycles = 40100,
	    .cold = 1,
	    .fetched = 64,
	    .used = 64 },
	  "WriteAllocateTraffic",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { .accesses = 10000,
	    .l1 = 100,
	    .l2 = 100,
	    .cycles = 37000,
	    .conflict = 100,
	    .walks = 1000 },
	  "ConflictMisses",
	  DATA,
	  false,
	  0,
	  0 },
	/* nothing is fetched, so that nothing is left unused */
	{ __LINE__,
	  { .accesses = 10000, .l1 = 4000, .l2 = 0, .cycles = 40000 },
	  "PoorLineUtilisation",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { .accesses = 10000, .l1 = 4000, .l2 = 0, .cycles = 90000 },
	  "PoorLineUtilisation",
	  DATA,
	  false,
	  0,
	  0 },
	/*
	 * written alone, by whole lines; with reads; by every other element; where another cache
	 * had the lines
	 */
	{ __LINE__,
	  { .written = 1000, .l1 = 500, .l2 = 400, .l3 = 200, .cycles = 40000, LINES },
	  "WriteAllocateTraffic",
	  DATA,
	  true,
	  CLASSIFIED / 16,
	  CLASSIFIED },
	{ __LINE__,
	  { .accesses = 1000,
	    .written = 1000,
	    .l1 = 500,
	    .l2 = 400,
	    .l3 = 200,
	    .cycles = 40000,
	    LINES },
	  "WriteAllocateTraffic",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { .written = 1000,
	    .l1 = 500,
	    .l2 = 400,
	    .l3 = 200,
	    .cycles = 40000,
	    .fetched = 25600,
	    .used = 12800 },
	  "WriteAllocateTraffic",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { .written = 1000, .l1 = 500, .l2 = 400, .cycles = 40000, LINES },
	  "WriteAllocateTraffic",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__, { MISSING, LINES }, "WriteAllocateTraffic", DATA, false, 0, 0 },
	{ __LINE__,
	  { TWO_LEVELS, LINES, .conflict = 125, .cold = 375 },
	  "ConflictMisses",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { TWO_LEVELS, LINES, .conflict = 250, .cold = 250 },
	  "ConflictMisses",
	  DATA,
	  true,
	  SHARE / 2,
	  SHARE },
	{ __LINE__, { TWO_LEVELS, LINES }, "DataMisses", DATA, true, SHARE, 2 * SHARE },
	/* a million walks of 15 ns */
	{ __LINE__,
	  { .accesses = 10000, .l1 = 1000, .cycles = 40000, .walks = 1000 },
	  "ArrayTLBMisses",
	  DATA,
	  true,
	  0.15 / 2,
	  0.15 },
	{ __LINE__,
	  { .accesses = 30000, .l1 = 1000, .cycles = 40000, .walks = 1000 },
	  "ArrayTLBMisses",
	  DATA,
	  true,
	  WAITING_LITTLE * 0.15 / SHARE,
	  0.15 },
	{ __LINE__,
	  { .accesses = 1000000, .l1 = 1000, .cycles = 40000, .walks = 1000 },
	  "ArrayTLBMisses",
	  DATA,
	  false,
	  0,
	  0 },
};

TEST(simulated_properties__as_computed_by_hand)
{
	struct property_set *set = shipped_properties();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ms_verdict verdict = table_ask(program(&cases[i].use), set,
						      cases[i].property, cases[i].region);

		if (verdict.truth != (cases[i].proven ? MS_TRUE : MS_FALSE))
			test_fail(__FILE__, cases[i].line, "%s is %d (%s)", cases[i].property,
				  verdict.truth, ms_missing_text(verdict.missing));
		if (!cases[i].proven)
			continue;
		/* though times have a part in it */
		CHECK_INT(verdict.rung, MS_RUNG_SIMULATED);
		CHECK_NEAR(verdict.severity, cases[i].least, 1e-6);
		CHECK_NEAR(verdict.severity_of_model ? verdict.severity_high : verdict.severity,
			   cases[i].most, 1e-6);
	}
}

/* Four cycles an access at the clock of the cores here, where that is known. */
TEST(simulated_properties__computing_at_the_clock_of_the_core)
{
	struct property_set *set = shipped_properties();
	struct table *table = program(&(struct use){ .accesses = 1000,
						     .l1 = 31.25,
						     .l2 = 31.25,
						     .cycles = 3125,
						     .false_sharing = 31.25,
						     .contested = 31.25,
						     LINES });

	CHECK_NEAR(table_ask(table, set, "FalseSharing", DATA).severity, WAITING, 1e-6);
	table->core_cycle = 0.25;
	CHECK_NEAR(table_ask(table, set, "FalseSharing", DATA).severity, 0.49, 1e-6);
}

/*
 * 10 million misses a thread take a second: 62.5 ms where 16 overlap, and the loop runs for 50 ms, of which
 * accesses compute for 0.6 to 15 ms. Their lines take 30 ms in any order.
 */
TEST(simulated_properties__no_waits_beyond_the_loop)
{
	static const struct {
		const char *property;
		double least;
	} rows[] = {
		{ "DataMisses", 0.494 - 0.3 },
		{ "CapacityMisses", 0.35 - 0.3 },
		{ "PoorLineUtilisation", 0.75 * (0.3125 - 0.3) },
	};
	struct property_set *set = shipped_properties();
	struct table *table = program(&(struct use){ .accesses = 10000,
						     .l1 = 10000,
						     .l2 = 10000,
						     .l3 = 10000,
						     .cycles = 2e6,
						     .capacity = 10000,
						     .fetched = 640000,
						     .used = 160000 });

	for (uint32_t thread = 0; thread < 4; thread++)
		for (uint32_t region = PARALLEL; region <= DATA; region++) {
			table_set(table, region, thread, MS_METRIC_SIM_DRAM_PREFETCHES, 0);
			table_set(table, region, thread, MS_METRIC_SIM_WRITE_BACKS, 0);
			table_set(table, region, thread, MS_METRIC_TOUCHED_LINES, 10e6);
		}
	table->attainable = table->single = 4 * 640e6 * 4 / (120 * MS / 1e9);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_NEAR(table_ask(table, set, rows[i].property, DATA).severity, rows[i].least,
			   1e-6);
	/* lines that come ten times need to come once */
	for (uint32_t thread = 0; thread < 4; thread++)
		for (uint32_t region = PARALLEL; region <= DATA; region++)
			table_set(table, region, thread, MS_METRIC_TOUCHED_LINES, 1e6);
	CHECK_NEAR(table_ask(table, set, "CapacityMisses", DATA).severity, 0.3125 - 0.03, 1e-6);
	/* a struct of arrays leaves out three quarters of the lines, which take 60 ms: 50 at most */
	table->attainable = table->single = table->attainable / 2;
	for (uint32_t thread = 0; thread < 4; thread++)
		table_set(table, DATA, thread, MS_METRIC_STRIDED, 10e6);
	CHECK_NEAR(table_ask(table, set, "PoorLineUtilisation", DATA).severity, 0.75 * 0.8 * 0.5,
		   1e-6);
}

static const char *explanation(struct property_set *set, const struct use *use)
{
	struct ms_verdict verdict = table_ask(program(use), set, "DataMisses", DATA);

	CHECK_INT(verdict.truth, MS_TRUE);
	return property_fill(set->arena, property_explanation(property_set_find(set, "DataMisses")),
			     verdict.evidence, verdict.nr_evidence, NULL, 0);
}

/* What passes the first level by misses nothing there. */
TEST(simulated_properties__what_passes_the_first_level_by)
{
	struct property_set *set = shipped_properties();

	CHECK(!strstr(explanation(set, &(struct use){ MISSING, LINES }), "bypass"));
	CHECK(strstr(explanation(set, &(struct use){ MISSING, LINES, .bypassed = 100 }),
		     " 400000 bypass the first-level cache, "));
}

/* The rate is of the first level that accesses look at. */
TEST(simulated_properties__rate_of_the_first_level_looked_at)
{
	struct property_set *set = shipped_properties();

	CHECK(strstr(explanation(set, &(struct use){ MISSING, LINES }), ": a miss rate of 50 %;"));
	CHECK(strstr(explanation(set, &(struct use){ TWO_LEVELS, LINES }),
		     ": a miss rate of 50 %;"));
	/* 500 + 100 × 400 / 600 */
	CHECK(strstr(explanation(set, &(struct use){ MISSING, LINES, .bypassed = 100 }),
		     ": a miss rate of 56.7 %;"));
	CHECK(strstr(explanation(set, &(struct use){ .accesses = 1000,
						     .l2 = 400,
						     .cycles = 40000,
						     .bypassed = 1000,
						     LINES }),
		     ": a miss rate of 40 %;"));
}

/*
 * A property that reads what a machine does not have is not asked there (engine_can_ask): some have
 * no third level.
 */
TEST(simulated_properties__need_no_third_level)
{
	static const char *const names[] = { "ModelledWaits",  "ModelledWaitsHere",  "DataMisses",
					     "ConflictMisses", "CapacityMisses",     "FalseSharing",
					     "TrueSharing",    "PoorLineUtilisation" };
	struct property_set *set = shipped_properties();

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const uint32_t *metrics;
		size_t nr = property_metrics(property_set_find(set, names[i]), &metrics);

		CHECK_THAT(nr, >, 0);
		for (size_t k = 0; k < nr; k++)
			CHECK_THAT(metrics[k], !=, MS_METRIC_SIM_L3D_MISSES);
	}
}

/* Without a machine nothing is known, and nothing is 0. */
TEST(simulated_properties__nothing_simulated_is_unknown)
{
	struct property_set *set = shipped_properties();
	struct table *table = program(&(struct use){ MISSING, LINES });
	struct ms_verdict verdict;

	table_missing(table, DATA, MS_METRIC_SIM_STALL_CYCLES, MS_MISSING_NOT_MODELLED);
	verdict = table_ask(table, set, "DataMisses", DATA);
	CHECK_INT(verdict.truth, MS_UNKNOWN);
	CHECK_INT(verdict.missing, MS_MISSING_NOT_MODELLED);
}

/* Of some lines alone, where others write much of what is missed. */
TEST(simulated_properties__what_may_be_shared_takes_all_lines)
{
	struct property_set *set = shipped_properties();
	struct table *table = program(&(struct use){ MISSING, LINES, .contested = 100 });
	struct ms_verdict verdict;

	table_missing(table, DATA, MS_METRIC_SIM_FALSE_SHARING, MS_MISSING_FEW_LINES);
	verdict = table_ask(table, set, "FalseSharing", DATA);
	CHECK_INT(verdict.truth, MS_UNKNOWN);
	CHECK_INT(verdict.missing, MS_MISSING_FEW_LINES);
}

/* Below the parallel region, with all that it does. */
static bool function_is_proven(const struct use *use)
{
	struct table *table = program(use);

	table_region(table, PARALLEL, MS_SUB_REGION, 1);
	for (uint32_t thread = 0; thread < 4; thread++)
		set(table, DATA + 1, thread, use);
	return table_ask(table, shipped_properties(), "ModelledWaitsInFunction", DATA + 1).truth ==
	       MS_TRUE;
}

TEST(simulated_properties__of_called_functions)
{
	CHECK(function_is_proven(&(struct use){ MISSING, LINES }));
	CHECK(!function_is_proven(&(struct use){ .accesses = 1000, .cycles = 1000 }));
}

TEST(simulated_properties__each_is_proven_by_a_case)
{
	struct property_set *set = shipped_properties();

	for (size_t i = 0; i < set->nr; i++) {
		bool found = !is_simulated(set->properties[i]);

		for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++)
			found |= cases[k].proven &&
				 !strcmp(cases[k].property, property_name(set->properties[i]));
		found |= !strcmp("ModelledWaitsInFunction", property_name(set->properties[i])) &&
			 function_is_proven(&(struct use){ MISSING, LINES });
		/* tests/unit/array_properties.c, which has a calibration */
		found |= !strcmp("ModelledTraffic", property_name(set->properties[i]));
		if (!found)
			test_fail(__FILE__, __LINE__, "no case proves %s",
				  property_name(set->properties[i]));
	}
}
