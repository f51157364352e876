/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The properties of nodes' memory: four threads, of which the last two are on node 1, in a parallel
 * region that takes half of 100 ms, and a data structure there.
 */
#include <math.h>

#include "tests/unit/context.h"

#define MS 1e6 /* ns */
#define THREADS 4

enum { PHASE, PARALLEL, DATA };

static struct table *program(void)
{
	struct table *table = table_new(THREADS, 100 * MS);

	table_region(table, PHASE, MS_PARALLEL_REGION, 1);
	table_region(table, PARALLEL, MS_DATA_STRUCTURE, 1);
	table->line_size = 64;
	for (uint32_t thread = 0; thread < THREADS; thread++) {
		table_set(table, PHASE, thread, MS_METRIC_NODE, thread / 2);
		table_set(table, PARALLEL, thread, MS_METRIC_TIME, 50 * MS);
		table_set(table, PARALLEL, thread, MS_METRIC_CPU_TIME, 50 * MS);
		table_set(table, PARALLEL, thread, MS_METRIC_SYSTEM_TIME, 0);
	}
	return table;
}

/* Counters of this machine do not know; the modelled one has two nodes, memory takes 100 or 200 ns. */
static struct table *modelled(void)
{
	static const enum ms_metric counted[] = {
		MS_METRIC_STALL_CYCLES,     MS_METRIC_CYCLES,           MS_METRIC_DRAM_LOCAL,
		MS_METRIC_DRAM_REMOTE,      MS_METRIC_DRAM_READS,       MS_METRIC_L1D_MISSES,
		MS_METRIC_L1D_READ_MISSES,  MS_METRIC_L2D_MISSES,       MS_METRIC_L2D_READ_MISSES,
		MS_METRIC_L3D_MISSES,       MS_METRIC_L3D_READ_MISSES,  MS_METRIC_L1D_WRITE_MISSES,
		MS_METRIC_L2D_WRITE_MISSES, MS_METRIC_L3D_WRITE_MISSES, MS_METRIC_HITM
	};
	struct table *table = program();

	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
		table_missing(table, PARALLEL, counted[i], MS_MISSING_UNSUPPORTED);
	table->nodes = 1;
	table->modelled_nodes = 2;
	return table;
}

static void check(int line, const struct ms_verdict *verdict, double low, double high)
{
	if (verdict->truth != MS_TRUE)
		test_fail(__FILE__, line, "is %d: missing %d of %d", verdict->truth,
			  verdict->missing, verdict->missing_metric);
	if (fabs(verdict->severity - low) > 1e-9 || fabs(verdict->severity_high - high) > 1e-9)
		test_fail(__FILE__, line, "%.9g to %.9g, not %.9g to %.9g", verdict->severity,
			  verdict->severity_high, low, high);
}

/* ------------------------------------------------------------------ one node's memory serves most */

/* `busiest`: lines of the region from the memory of the busiest node. */
static struct table *served(const double *local, const double *remote, const double *busiest)
{
	struct table *table = modelled();

	for (uint32_t thread = 0; thread < THREADS; thread++) {
		const struct {
			enum ms_metric metric;
			double value;
		} values[] = {
			{ MS_METRIC_SIM_DRAM_LOCAL, local[thread] },
			{ MS_METRIC_SIM_DRAM_REMOTE, remote[thread] },
			{ MS_METRIC_SIM_DRAM_PREFETCHES, 0 },
			{ MS_METRIC_SIM_BUSIEST_LINES, busiest[thread] },
			{ MS_METRIC_SIM_L3D_MISSES, local[thread] + remote[thread] },
			{ MS_METRIC_SIM_L2D_MISSES, local[thread] + remote[thread] },
			{ MS_METRIC_SIM_L1D_MISSES, local[thread] + remote[thread] },
			{ MS_METRIC_SIM_BYPASSED, 0 },
		};

		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
			table_set(table, PARALLEL, thread, values[i].metric, 1e3 * values[i].value);
	}
	return table;
}

/* Of 800 thousand lines, half those of a mean node are beyond: half of 2 x 200 x 100 + 2 x 200 x 200 ns. */
TEST(numa_properties__one_controller_on_a_modelled_machine)
{
	static const double home[] = { 200, 200, 0, 0 }, away[] = { 0, 0, 200, 200 },
			    all[] = { 200, 200, 200, 200 }, none[] = { 0, 0, 0, 0 },
			    half[] = { 100, 100, 100, 100 }, own[] = { 200, 200, 0, 0 };
	struct property_set *set = shipped_properties();
	const struct property *property = property_set_find(set, "ControllerImbalance");
	struct table *table = served(home, away, all);
	struct ms_verdict verdict = table_ask(table, set, "ControllerImbalance", PARALLEL);
	uint32_t out[THREADS];

	/* 400 thousand of another node, 100 ns longer each, 16 at once */
	check(__LINE__, &verdict, 2.5 / 400, 0.5 * (2 * 20 + 2 * 40) / 400);
	CHECK_INT(verdict.rung, MS_RUNG_SIMULATED);
	CHECK_INT(property_nodes(property, &table->context, out, THREADS), 1);
	CHECK_INT(out[0], 0);
	CHECK_INT(property_threads(property, &table->context, out, THREADS), 2);
	CHECK_INT(out[0], 2);
	/* 800 k lines of 64 bytes: 102.4 ms at 0.5 GB/s, even 51.2, which is more than the region takes */
	table->attainable = 5e8;
	verdict = table_ask(table, set, "ControllerImbalance", PARALLEL);
	check(__LINE__, &verdict, 4 * (102.4 - 51.2) / 400, 4 * (102.4 - 51.2) / 400);
	/* all are local; interleaved; on one node; its threads are on one node */
	CHECK_INT(table_ask(served(all, none, own), set, "ControllerImbalance", PARALLEL).truth,
		  MS_FALSE);
	CHECK_INT(table_ask(served(half, half, half), set, "ControllerImbalance", PARALLEL).truth,
		  MS_FALSE);
	table = served(home, away, all);
	table->modelled_nodes = 1;
	CHECK_INT(table_ask(table, set, "ControllerImbalance", PARALLEL).truth, MS_FALSE);
	table = served(all, none, all);
	for (uint32_t thread = 0; thread < THREADS; thread++)
		table_set(table, PHASE, thread, MS_METRIC_NODE, 0);
	CHECK_INT(table_ask(table, set, "ControllerImbalance", PARALLEL).truth, MS_FALSE);
}

static struct table *counted(const double *local, const double *remote)
{
	struct table *table = program();

	table->nodes = 2;
	table_missing(table, PARALLEL, MS_METRIC_SIM_BUSIEST_LINES, MS_MISSING_NOT_MODELLED);
	for (uint32_t thread = 0; thread < THREADS; thread++) {
		const struct {
			enum ms_metric metric;
			double value;
		} values[] = {
			{ MS_METRIC_DRAM_LOCAL, local[thread] },
			{ MS_METRIC_DRAM_REMOTE, remote[thread] },
			{ MS_METRIC_DRAM_READS, local[thread] + remote[thread] },
			{ MS_METRIC_L3D_MISSES, local[thread] + remote[thread] },
			{ MS_METRIC_L2D_MISSES, local[thread] + remote[thread] },
			{ MS_METRIC_L1D_MISSES, local[thread] + remote[thread] },
			{ MS_METRIC_HITM, 0 },
			{ MS_METRIC_CYCLES, 1e5 },
			{ MS_METRIC_STALL_CYCLES, 5e4 },
		};

		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
			table_set(table, PARALLEL, thread, values[i].metric, 1e3 * values[i].value);
	}
	return table;
}

/* By counters of two nodes: what node 0 serves is what its threads get there, and the others elsewhere. */
TEST(numa_properties__one_controller_by_counters)
{
	static const double home[] = { 200, 200, 20, 20 }, away[] = { 0, 0, 180, 180 },
			    all[] = { 200, 200, 200, 200 }, none[] = { 0, 0, 0, 0 };
	struct property_set *set = shipped_properties();
	struct table *table = counted(home, away);
	struct ms_verdict verdict = table_ask(table, set, "ControllerImbalance", PARALLEL);

	/* 760 of 800: 45 % are beyond the mean; all wait 150 ns, 60 longer than for their own */
	check(__LINE__, &verdict, 360 * 0.06 / 16 / 400, 0.45 * 4 * 30 / 400);
	CHECK_THAT(verdict.rung, !=, MS_RUNG_SIMULATED);
	CHECK_INT(table_ask(counted(all, none), set, "ControllerImbalance", PARALLEL).truth,
		  MS_FALSE);
	/* each gets all from the other */
	CHECK_INT(table_ask(counted(none, all), set, "ControllerImbalance", PARALLEL).truth,
		  MS_FALSE);
	/* of four nodes counters do not say which serves */
	table->nodes = 4;
	verdict = table_ask(table, set, "ControllerImbalance", PARALLEL);
	CHECK_INT(verdict.truth, MS_UNKNOWN);
	table->nodes = 1;
	CHECK_INT(table_ask(table, set, "ControllerImbalance", PARALLEL).truth, MS_FALSE);
}

/* ------------------------------------------------------------------ arrays */

/* What each thread has of an array's lines and writes, in thousands; the region takes 50 ms. */
struct use {
	double local[THREADS], remote[THREADS], shared[THREADS], split[THREADS];
	double transfers[THREADS], between[THREADS], stores[THREADS];
	double prefetches, phase_stores, cycles; /* of each thread, but for phase_stores */
	double nodes;                            /* of the modelled machine; 0: two */
	double node_free; /* part; not 0: of this machine, which has these nodes */
	double moves;     /* by page; not 0: of this machine, which has these nodes */
	double in_kernel; /* ms of each thread of 50; 0: none */
};

static struct table *using(const struct use *use)
{
	struct table *table = modelled();

	table->modelled_nodes = use->nodes > 0 ? use->nodes : 2;
	table->node_free = use->node_free;
	if (use->node_free > 0 || use->moves > 0)
		table->nodes = table->modelled_nodes;
	for (uint32_t thread = 0; thread < THREADS; thread++) {
		const struct {
			enum ms_metric metric;
			double value;
		} values[] = {
			{ MS_METRIC_SIM_LOADS, 1000 },
			{ MS_METRIC_SIM_STORES, use->stores[thread] },
			{ MS_METRIC_SIM_DRAM_LOCAL, use->local[thread] },
			{ MS_METRIC_SIM_DRAM_REMOTE, use->remote[thread] },
			{ MS_METRIC_SIM_DRAM_PREFETCHES, use->prefetches },
			{ MS_METRIC_SIM_SHARED_LINES, use->shared[thread] },
			{ MS_METRIC_SIM_SPLIT_REMOTE, use->split[thread] },
			{ MS_METRIC_SIM_HITM, use->transfers[thread] },
			{ MS_METRIC_SIM_REMOTE_HITM, use->between[thread] },
			{ MS_METRIC_SIM_STALL_CYCLES, use->cycles },
		};

		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
			table_set(table, DATA, thread, values[i].metric, 1e3 * values[i].value);
	}
	table_set(table, DATA, 0, MS_METRIC_SIM_PHASE_STORES, 1e3 * use->phase_stores);
	for (uint32_t thread = 0; thread < THREADS; thread++) {
		table_set(table, DATA, thread, MS_METRIC_PAGE_MOVES, use->moves);
		table_set(table, PARALLEL, thread, MS_METRIC_SYSTEM_TIME, use->in_kernel * MS);
	}
	return table;
}

#define LONGER (100.0 / 1e3)   /* ms by thousand lines: remote instead of local */
#define TRANSFER (160.0 / 1e3) /* between nodes */
#define HALF_REMOTE .local = { 200, 200, 0, 0 }, .remote = { 0, 0, 200, 200 }
#define ALL_SHARED .shared = { 200, 200, 200, 200 }
#define WAITS .cycles = 150000 /* thousands, of 0.5 ns: 300 ms of four threads */

static const struct {
	int line;
	const char *property;
	struct use use;
	enum ms_truth truth;
	double low, high; /* ms of 400 */
} cases[] = {
	{ __LINE__,
	  "SharedReadOnlyHot",
	  { HALF_REMOTE, ALL_SHARED },
	  MS_TRUE,
	  400 * LONGER / 16,
	  400 * LONGER },
	/* three quarters of the lines are of shared pages; a third of all is prefetched */
	{ __LINE__,
	  "SharedReadOnlyHot",
	  { HALF_REMOTE, .prefetches = 100, .shared = { 225, 225, 225, 225 } },
	  MS_TRUE,
	  0.75 * 400 * LONGER / 16,
	  0.75 * 400 * LONGER * 1.5 },
	/* something in the phase writes it */
	{ __LINE__,
	  "SharedReadOnlyHot",
	  { HALF_REMOTE, ALL_SHARED, .phase_stores = 0.01 },
	  MS_FALSE,
	  0,
	  0 },
	/* each node reads pages of its own; one node alone; all lines are local; one node there is */
	{ __LINE__, "SharedReadOnlyHot", { HALF_REMOTE }, MS_FALSE, 0, 0 },
	{ __LINE__,
	  "SharedReadOnlyHot",
	  { .remote = { 200, 200 }, .shared = { 200, 200 } },
	  MS_FALSE,
	  0,
	  0 },
	{ __LINE__,
	  "SharedReadOnlyHot",
	  { .local = { 200, 200, 200, 200 }, ALL_SHARED },
	  MS_FALSE,
	  0,
	  0 },
	{ __LINE__, "SharedReadOnlyHot", { HALF_REMOTE, ALL_SHARED, .nodes = 1 }, MS_FALSE, 0, 0 },
	{ __LINE__,
	  "HugePageFalseSharing",
	  { HALF_REMOTE, .split = { 0, 0, 150, 150 } },
	  MS_TRUE,
	  300 * LONGER / 16,
	  300 * LONGER },
	/* most remote lines are of other pages; none is split; one node */
	{ __LINE__,
	  "HugePageFalseSharing",
	  { HALF_REMOTE, .split = { 0, 0, 90, 90 } },
	  MS_FALSE,
	  0,
	  0 },
	{ __LINE__, "HugePageFalseSharing", { HALF_REMOTE }, MS_FALSE, 0, 0 },
	{ __LINE__,
	  "HugePageFalseSharing",
	  { HALF_REMOTE, .split = { 0, 0, 150, 150 }, .nodes = 1 },
	  MS_FALSE,
	  0,
	  0 },
	/* 400 k lines of 200 ns: 80 of 300 ms */
	{ __LINE__,
	  "RemoteStallShare",
	  { HALF_REMOTE, WAITS },
	  MS_TRUE,
	  400 * LONGER / 16,
	  400 * LONGER },
	/* 80 ms of 800 */
	{ __LINE__, "RemoteStallShare", { HALF_REMOTE, .cycles = 400000 }, MS_FALSE, 0, 0 },
	{ __LINE__,
	  "RemoteStallShare",
	  { .local = { 200, 200, 200, 200 }, WAITS },
	  MS_FALSE,
	  0,
	  0 },
	{ __LINE__, "RemoteStallShare", { HALF_REMOTE, WAITS, .nodes = 1 }, MS_FALSE, 0, 0 },
	/* no more than the region's time */
	{ __LINE__,
	  "PingPongPages",
	  { .stores = { 9, 9, 9, 9 },
	    .transfers = { 50, 50, 50, 50 },
	    .between = { 25, 25, 25, 25 } },
	  MS_TRUE,
	  100 * TRANSFER / 4,
	  200 },
	{ __LINE__,
	  "PingPongPages",
	  { .stores = { 9, 9, 9, 9 }, .transfers = { 2, 2, 2, 2 }, .between = { 1, 1, 1, 1 } },
	  MS_TRUE,
	  4 * TRANSFER / 4,
	  32 * 4 * TRANSFER },
	/* most are within a node; only one node writes; few; one node */
	{ __LINE__,
	  "PingPongPages",
	  { .stores = { 9, 9, 9, 9 }, .transfers = { 50, 50, 50, 50 }, .between = { 5, 5, 5, 5 } },
	  MS_FALSE,
	  0,
	  0 },
	{ __LINE__,
	  "PingPongPages",
	  { .stores = { 9, 9 }, .transfers = { 0, 0, 50, 50 }, .between = { 0, 0, 50, 50 } },
	  MS_FALSE,
	  0,
	  0 },
	{ __LINE__,
	  "PingPongPages",
	  { .stores = { 9, 9, 9, 9 }, .transfers = { 0.5, 0.5 }, .between = { 0.5, 0.5 } },
	  MS_FALSE,
	  0,
	  0 },
	{ __LINE__,
	  "PingPongPages",
	  { .stores = { 9, 9, 9, 9 },
	    .transfers = { 50, 50, 50, 50 },
	    .between = { 25, 25, 25, 25 },
	    .nodes = 1 },
	  MS_FALSE,
	  0,
	  0 },
	{ __LINE__, "MigratingPages", { .moves = 2.5, .in_kernel = 5 }, MS_TRUE, 0, 4 * 5 },
	/* a few moved; hardly any time in the kernel; one node */
	{ __LINE__, "MigratingPages", { .moves = 0.05, .in_kernel = 5 }, MS_FALSE, 0, 0 },
	{ __LINE__, "MigratingPages", { .moves = 2.5, .in_kernel = 1 }, MS_FALSE, 0, 0 },
	{ __LINE__,
	  "MigratingPages",
	  { .moves = 2.5, .in_kernel = 5, .nodes = 1 },
	  MS_FALSE,
	  0,
	  0 },
	{ __LINE__,
	  "NodeMemoryPressure",
	  { HALF_REMOTE, .node_free = 0.01 },
	  MS_TRUE,
	  0,
	  400 * LONGER },
	/* a node has room; pages are local; there is one node */
	{ __LINE__, "NodeMemoryPressure", { HALF_REMOTE, .node_free = 0.1 }, MS_FALSE, 0, 0 },
	{ __LINE__,
	  "NodeMemoryPressure",
	  { .local = { 200, 200, 200, 200 }, .node_free = 0.01 },
	  MS_FALSE,
	  0,
	  0 },
	{ __LINE__,
	  "NodeMemoryPressure",
	  { HALF_REMOTE, .node_free = 0.01, .nodes = 1 },
	  MS_FALSE,
	  0,
	  0 },
};

TEST(numa_properties__of_arrays_as_computed_by_hand)
{
	struct property_set *set = shipped_properties();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ms_verdict verdict = table_ask(using(&cases[i].use), set, cases[i].property,
						      DATA);

		if (verdict.truth != cases[i].truth)
			test_fail(__FILE__, cases[i].line, "is %d: missing %d of %d", verdict.truth,
				  verdict.missing, verdict.missing_metric);
		if (cases[i].truth != MS_TRUE)
			continue;
		CHECK_INT(verdict.rung, cases[i].use.moves > 0 ? MS_RUNG_TIMED : MS_RUNG_SIMULATED);
		check(cases[i].line, &verdict, cases[i].low / 400, cases[i].high / 400);
	}
}

/* Without a simulation, or with a thread that moves, nothing is known, and nothing denied. */
TEST(numa_properties__of_arrays_that_cannot_be_told)
{
	static const struct use use = { HALF_REMOTE, ALL_SHARED, .in_kernel = 5 };
	struct property_set *set = shipped_properties();
	struct table *table = using(&use);

	table_missing(table, DATA, MS_METRIC_SIM_PHASE_STORES, MS_MISSING_NOT_MODELLED);
	CHECK_INT(table_ask(table, set, "SharedReadOnlyHot", DATA).truth, MS_UNKNOWN);
	table = using(&use);
	table->nodes = 2;
	CHECK_INT(table_ask(table, set, "NodeMemoryPressure", DATA).truth, MS_UNKNOWN);
	table->cells[PHASE][3][MS_METRIC_NODE] = (struct ms_reading){ .missing = MS_MISSING_MOVED };
	CHECK_INT(table_ask(table, set, "SharedReadOnlyHot", DATA).truth, MS_UNKNOWN);
	table_missing(table, DATA, MS_METRIC_SIM_REMOTE_HITM, MS_MISSING_FEW_LINES);
	CHECK_INT(table_ask(table, set, "PingPongPages", DATA).truth, MS_UNKNOWN);
	table_missing(table, DATA, MS_METRIC_PAGE_MOVES, MS_MISSING_TOO_FEW);
	CHECK_INT(table_ask(table, set, "MigratingPages", DATA).truth, MS_UNKNOWN);
	table_missing(table, DATA, MS_METRIC_SIM_SPLIT_REMOTE, MS_MISSING_NOT_MODELLED);
	CHECK_INT(table_ask(table, set, "HugePageFalseSharing", DATA).truth, MS_UNKNOWN);
}

TEST(numa_properties__each_is_proven_by_a_case)
{
	struct property_set *set = shipped_properties();

	for (size_t i = 0; i < set->nr; i++) {
		bool proven = false, refuted = false, found = !is_of_nodes(set->properties[i]);

		for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
			bool is_it = !strcmp(cases[k].property, property_name(set->properties[i]));

			proven |= is_it && cases[k].truth == MS_TRUE;
			refuted |= is_it && cases[k].truth == MS_FALSE;
		}
		if (!found && !(proven && refuted))
			test_fail(__FILE__, __LINE__, "no case proves or none refutes %s",
				  property_name(set->properties[i]));
	}
}
