/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory properties over counters: programs given by what four threads count in 100 ms, with
 * what must be proven, how severe it is at least and at most, and what must not be proven; computed
 * by hand from properties/metrics/counters.metrics.
 */
#include "analysis/properties/event_tables.h"
#include "analysis/properties/fill.h"
#include "tests/unit/context.h"

#define MS 1e6 /* ns */

enum { PHASE, PARALLEL, LOOP, SERIAL };

/*
 * Of one thread in 100 ms of user time at 3 GHz; counts in thousands; < 0: this CPU has no event
 * for it.
 */
struct counts {
	double stalls; /* part of the cycles */
	double loads, stores, l1, l2, l3, reads_l3, writes_l3, local, remote, hitm, walks,
		walk_cycles, prefetches, lines;
	double reads_l1, writes_l1, reads_l2, writes_l2; /* 0: likewise no event */
};

#define COUNTS(field, id, factor) { offsetof(struct counts, field), MS_METRIC_##id, factor }

static const struct {
	size_t offset;
	enum ms_metric metric;
	double factor;
} fields[] = {
	COUNTS(stalls, STALL_CYCLES, 300e6),
	COUNTS(loads, LOADS, 1e3),
	COUNTS(stores, STORES, 1e3),
	COUNTS(l1, L1D_MISSES, 1e3),
	COUNTS(l2, L2D_MISSES, 1e3),
	COUNTS(l3, L3D_MISSES, 1e3),
	COUNTS(reads_l3, L3D_READ_MISSES, 1e3),
	COUNTS(writes_l3, L3D_WRITE_MISSES, 1e3),
	COUNTS(local, DRAM_LOCAL, 1e3),
	COUNTS(remote, DRAM_REMOTE, 1e3),
	COUNTS(hitm, HITM, 1e3),
	COUNTS(walks, TLB_WALKS, 1e3),
	COUNTS(walk_cycles, TLB_WALK_CYCLES, 300e6),
	COUNTS(prefetches, PREFETCHES, 1e3),
	COUNTS(lines, DRAM_READS, 1e3),
	COUNTS(reads_l1, L1D_READ_MISSES, 1e3),
	COUNTS(writes_l1, L1D_WRITE_MISSES, 1e3),
	COUNTS(reads_l2, L2D_READ_MISSES, 1e3),
	COUNTS(writes_l2, L2D_WRITE_MISSES, 1e3),
};

static bool has_event(size_t field, double value)
{
	return value > 0 ||
	       (value >= 0 && fields[field].offset < offsetof(struct counts, reads_l1));
}

static void set_counts(struct table *table, uint32_t region, uint32_t thread,
		       const struct counts *counts)
{
	table_set(table, region, thread, MS_METRIC_CYCLES, 300e6);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		double value = *(const double *)(const void *)((const char *)counts +
							       fields[i].offset);

		if (has_event(i, value))
			table_set(table, region, thread, fields[i].metric,
				  value * fields[i].factor);
		else
			table_missing(table, region, fields[i].metric, MS_MISSING_UNSUPPORTED);
	}
}

/*
 * All of the phase is one loop; thread 2 counts `odd`, the others `usual`. Threads 2 and 3 are on
 * another node, if there is one.
 */
static struct table *program(const struct counts *usual, const struct counts *odd)
{
	struct table *table = table_new(4, 100 * MS);

	table_region(table, PHASE, MS_PARALLEL_REGION, 10);
	table_region(table, PARALLEL, MS_DO_REGION, 10);
	table_set(table, PHASE, 0, MS_METRIC_TIME, 100 * MS);
	table->line_size = 64;
	for (uint32_t thread = 0; thread < 4; thread++)
		table_set(table, PHASE, thread, MS_METRIC_NODE, thread / 2);
	for (uint32_t region = PHASE; region <= LOOP; region++) {
		table_set_all(table, region, MS_METRIC_CPU_TIME, 110 * MS);
		table_set_all(table, region, MS_METRIC_SYSTEM_TIME, 10 * MS);
		if (region != PHASE)
			table_set_all(table, region, MS_METRIC_TIME, 100 * MS);
		for (uint32_t thread = 0; thread < 4; thread++)
			set_counts(table, region, thread, thread == 2 ? odd : usual);
		for (uint32_t metric = 0; metric < MS_METRICS; metric++)
			if (ms_metric_info(metric)->sensor == MS_SENSOR_SIMULATED)
				table_missing(table, region, metric, MS_MISSING_NOT_MODELLED);
	}
	return table;
}

#define NO_EVENT -1
#define PROVEN_MAX 8

/*
 * 0.7 of the time stalled: 70 ms. Second level 0.2 M * 3 ns = 0.6 ms, third 0.05 M * 20 = 1 ms,
 * memory 0.75 M * 90 = 67.5 ms, all exposed.
 */
#define CHASING \
	{ .stalls = 0.7, \
	  .loads = 10000, \
	  .stores = 0, \
	  .l1 = 1000, \
	  .l2 = 800, \
	  .l3 = 750, \
	  .reads_l3 = 700, \
	  .writes_l3 = 50, \
	  .local = 750, \
	  .prefetches = 100 }
/*
 * The same without a counter of stalls: (1 + 67.5) / 16 = 4.28 ms at least, as computing hides the
 * 0.6 ms of the second level, 69.1 at most.
 */
#define CHASING_BLIND \
	{ .stalls = NO_EVENT, \
	  .loads = 10000, \
	  .l1 = 1000, \
	  .l2 = 800, \
	  .l3 = 750, \
	  .reads_l3 = 700, \
	  .writes_l3 = 50, \
	  .local = NO_EVENT, \
	  .prefetches = NO_EVENT }
/* 10 ms stalled; 16.2 ms if nothing overlapped. */
#define STREAMING \
	{ .stalls = 0.1, \
	  .loads = 20000, \
	  .stores = 10000, \
	  .l1 = 1000, \
	  .l2 = 250, \
	  .l3 = 180, \
	  .local = 180, \
	  .prefetches = 1500, \
	  .lines = 1700 }
/* As above, 2.25 + 1.4 + 16.2 = 19.85 ms if nothing overlaps. */
#define STREAMING_BLIND \
	{ .stalls = NO_EVENT, \
	  .loads = 20000, \
	  .l1 = 1000, \
	  .l2 = 250, \
	  .l3 = 180, \
	  .local = 180, \
	  .prefetches = 1500 }
#define COMPUTING \
	{ .stalls = 0.02, \
	  .loads = 50000, \
	  .stores = 10000, \
	  .l1 = 300, \
	  .l2 = 20, \
	  .l3 = 2, \
	  .local = 2, \
	  .prefetches = 50, \
	  .lines = 40, \
	  .hitm = 1, \
	  .walks = 1, \
	  .walk_cycles = 0.001 }
/*
 * Thread 2: memory 0.5 M * 90 = 45 ms, of 50 stalled; the others 4.5 ms, 2.15 of them for sure: 5 -
 * 0.95 M * 3 ns.
 */
#define UNEVEN \
	{ .stalls = 0.05, \
	  .loads = 10000, \
	  .l1 = 1000, \
	  .l2 = 50, \
	  .l3 = 50, \
	  .local = 50, \
	  .prefetches = 100 }
#define UNEVEN_WORST \
	{ .stalls = 0.5, \
	  .loads = 10000, \
	  .l1 = 1000, \
	  .l2 = 500, \
	  .l3 = 500, \
	  .local = 500, \
	  .prefetches = 1000 }
/* Two nodes: 0.5 M * 150 = 75 ms, 60 - 0.3 = 59.7 for sure; four fifths of it remote. */
#define REMOTE \
	{ .stalls = 0.6, \
	  .loads = 10000, \
	  .l1 = 600, \
	  .l2 = 500, \
	  .l3 = 500, \
	  .local = 100, \
	  .remote = 400, \
	  .prefetches = 1000 }
/* Two nodes: thread 2 of node 1 gets all from node 0, whose memory then serves 1.2 M of 1.55 M lines. */
#define HOME \
	{ .stalls = 0.6, \
	  .loads = 10000, \
	  .l1 = 600, \
	  .l2 = 350, \
	  .l3 = 350, \
	  .local = 350, \
	  .prefetches = 1000 }
#define AWAY \
	{ .stalls = 0.6, \
	  .loads = 10000, \
	  .l1 = 600, \
	  .l2 = 500, \
	  .l3 = 500, \
	  .remote = 500, \
	  .prefetches = 1000 }
/* 0.5 M lines of others: 7.5 ms at least, 50 at most. The third level serves 0.05 M: 1 ms. */
#define SHARING \
	{ .stalls = 0.4, \
	  .loads = 10000, \
	  .stores = 10000, \
	  .l1 = 600, \
	  .l2 = 550, \
	  .l3 = 0, \
	  .hitm = 500 }
/* Tables are walked for 30 ms, two at once: 15 at least. */
#define WALKING \
	{ .stalls = 0.4, \
	  .loads = 10000, \
	  .stores = 10000, \
	  .l1 = 2100, \
	  .l2 = 2000, \
	  .l3 = 0, \
	  .walks = 2000, \
	  .walk_cycles = 0.3 }
#define WALKING_UNTIMED \
	{ .stalls = 0.4, \
	  .loads = 10000, \
	  .stores = 10000, \
	  .l1 = 2100, \
	  .l2 = 2000, \
	  .l3 = 0, \
	  .walks = 2000, \
	  .walk_cycles = NO_EVENT }
/* 0.4 of 0.5 stalled for the third level: 1.9 M * 20 ns = 38 ms, 50 - 0.3 - 9 = 40.7. */
#define SECOND \
	{ .stalls = 0.5, \
	  .loads = 20000, \
	  .l1 = 2100, \
	  .l2 = 2000, \
	  .l3 = 100, \
	  .local = 100, \
	  .prefetches = 1000 }
/* 12.5 M lines a thread in 100 ms: 32 GB/s of 40. */
#define FLOODING \
	{ .stalls = 0.5, \
	  .loads = 50000, \
	  .stores = 10000, \
	  .l1 = 7000, \
	  .l2 = 1000, \
	  .l3 = 500, \
	  .local = 500, \
	  .prefetches = 12000, \
	  .lines = 12500 }
/* No third level's misses are counted; lines from memory are: as CHASING. */
#define WITHOUT_L3 \
	{ .stalls = 0.7, \
	  .loads = 10000, \
	  .l1 = 1000, \
	  .l2 = 800, \
	  .l3 = NO_EVENT, \
	  .reads_l3 = NO_EVENT, \
	  .writes_l3 = NO_EVENT, \
	  .local = 750 }
/* As CHASING, but 700 of 750 misses are stores, and where lines come from is not counted. */
#define STORING \
	{ .stalls = 0.7, \
	  .loads = 1000, \
	  .stores = 9000, \
	  .l1 = 1000, \
	  .l2 = 800, \
	  .l3 = 750, \
	  .reads_l3 = 50, \
	  .writes_l3 = 700, \
	  .local = NO_EVENT, \
	  .prefetches = 1000 }
/*
 * Two nodes. Thread 2: memory 0.5 M * 150 = 75 ms, of 50 stalled less 1.5 for the second level; the
 * others 7.5, 2.15 for sure. Their mean is 13.7375 to 24.375, node 1's 25.325 to 41.25. Of 48 M
 * lines 46 go to node 1: 30.72 GB/s in all.
 */
#define UNEVEN_LINES \
	{ .stalls = 0.05, \
	  .loads = 10000, \
	  .l1 = 1000, \
	  .l2 = 50, \
	  .l3 = 50, \
	  .local = 50, \
	  .prefetches = 100, \
	  .lines = 1000 }
#define UNEVEN_LINES_WORST \
	{ .stalls = 0.5, \
	  .loads = 10000, \
	  .l1 = 1000, \
	  .l2 = 500, \
	  .l3 = 500, \
	  .local = 500, \
	  .prefetches = 1000, \
	  .lines = 45000 }

/* The second level serves 9.9 M * 3 ns = 29.7 ms, of 40 stalled; 9 of 10 M are loads, or stores. */
#define NEAR \
	{ .stalls = 0.4, \
	  .loads = 40000, \
	  .stores = 10000, \
	  .l1 = 10000, \
	  .l2 = 100, \
	  .l3 = 50, \
	  .local = 50, \
	  .reads_l1 = 9000, \
	  .writes_l1 = 1000 }
#define NEAR_STORES \
	{ .stalls = 0.4, \
	  .loads = 10000, \
	  .stores = 40000, \
	  .l1 = 10000, \
	  .l2 = 100, \
	  .l3 = 50, \
	  .local = 50, \
	  .reads_l1 = 1000, \
	  .writes_l1 = 9000 }
/* As SECOND, with loads and stores apart. */
#define SECOND_LOADS \
	{ .stalls = 0.5, \
	  .loads = 20000, \
	  .l1 = 2100, \
	  .l2 = 2000, \
	  .l3 = 0, \
	  .reads_l2 = 1900, \
	  .writes_l2 = 100 }
#define SECOND_STORES \
	{ .stalls = 0.5, \
	  .loads = 20000, \
	  .l1 = 2100, \
	  .l2 = 2000, \
	  .l3 = 0, \
	  .reads_l2 = 100, \
	  .writes_l2 = 1900 }
/*
 * Thread 2: 9 M * 3 ns = 27 ms, of 30 less 1 for the third level; the others 2.85 ms, all of it
 * sure.
 */
#define UNEVEN_NEAR { .stalls = 0.05, .loads = 10000, .l1 = 1000, .l2 = 50 }
#define UNEVEN_NEAR_WORST { .stalls = 0.3, .loads = 10000, .l1 = 9050, .l2 = 50 }
/*
 * Thread 2: 1.5 M * 20 ns = 30 ms of 33; the others 2 at most, 2 / 16 at least: 3 ms of stalls may
 * all be the 5.7 for the second level.
 */
#define UNEVEN_SECOND { .stalls = 0.03, .loads = 10000, .l1 = 2000, .l2 = 100 }
#define UNEVEN_SECOND_WORST { .stalls = 0.33, .loads = 10000, .l1 = 2000, .l2 = 1500 }

static const struct program {
	int line;
	struct counts usual, odd;
	double nodes, attainable, single;
	struct {
		const char *property;
		double low, high;
	} proven[PROVEN_MAX];
} programs[] = {
	{ __LINE__, COMPUTING, COMPUTING, 2, 40e9, 15e9, { { NULL, 0, 0 } } },
	{ __LINE__, STREAMING, STREAMING, 1, 40e9, 15e9, { { NULL, 0, 0 } } },
	{ __LINE__,
	  CHASING,
	  CHASING,
	  1,
	  40e9,
	  15e9,
	  { { "MemoryBound", 0.7, 0.7 },
	    { "L3DataMissRateInSomeThread", 0.675, 0.675 },
	    { "FewPrefetches", 0.675, 0.675 } } },
	{ __LINE__,
	  CHASING_BLIND,
	  CHASING_BLIND,
	  1,
	  0,
	  0,
	  { { "MemoryBound", 0.0428125, 0.691 },
	    { "L3DataMissRateInSomeThread", 0.0421875, 0.675 },
	    { "L3DataReadMissRate", 0.039375, 0.63 } } },
	{ __LINE__,
	  STORING,
	  STORING,
	  1,
	  0,
	  0,
	  { { "MemoryBound", 0.7, 0.7 },
	    { "L3DataMissRateInSomeThread", 0.675, 0.675 },
	    { "L3DataWriteMissRate", 0.63, 0.63 } } },
	{ __LINE__,
	  WITHOUT_L3,
	  WITHOUT_L3,
	  1,
	  0,
	  0,
	  { { "MemoryBound", 0.7, 0.7 },
	    { "L3DataMissRateInSomeThread", 0.675, 0.675 },
	    { "FewPrefetches", 0.675, 0.675 } } },
	{ __LINE__,
	  UNEVEN,
	  UNEVEN_WORST,
	  1,
	  40e9,
	  15e9,
	  { { "MemoryBound", 0.1625, 0.1625 },
	    { "L3DataMissRateInSomeThread", 0.128625, 0.14625 },
	    { "UnbalancedL3DataMissRate", 0.321375, 0.321375 } } },
	{ __LINE__,
	  REMOTE,
	  REMOTE,
	  2,
	  40e9,
	  15e9,
	  { { "MemoryBound", 0.6, 0.6 },
	    { "L3DataMissRateInSomeThread", 0.597, 0.75 },
	    { "RemoteDramAccesses", 0.4776, 0.6 } } },
	{ __LINE__,
	  HOME,
	  AWAY,
	  2,
	  0,
	  0,
	  { { "MemoryBound", 0.6, 0.6 },
	    { "L3DataMissRateInSomeThread", 0.543, 0.58125 },
	    { "RemoteDramAccesses", 0.14925, 0.1875 },
	    { "ControllerImbalance", 425 * 0.06 / 16 / 400, 0.159375 } } },
	{ __LINE__,
	  UNEVEN_LINES,
	  UNEVEN_LINES_WORST,
	  2,
	  40e9,
	  15e9,
	  { { "MemoryBound", 0.1625, 0.1625 },
	    { "BandwidthBound", 0.768, 0.768 },
	    { "UnbalancedL3DataMissRate", 0.347625, 0.50625 },
	    { "UnbalancedNodeTraffic", 0.115875, 0.16875 } } },
	{ __LINE__,
	  UNEVEN_LINES,
	  UNEVEN_LINES_WORST,
	  1,
	  40e9,
	  15e9,
	  { { "MemoryBound", 0.1625, 0.1625 },
	    { "BandwidthBound", 0.768, 0.768 },
	    { "UnbalancedL3DataMissRate", 0.321375, 0.321375 } } },
	{ __LINE__,
	  SHARING,
	  SHARING,
	  1,
	  40e9,
	  15e9,
	  { { "MemoryBound", 0.4, 0.4 }, { "CacheLineSharing", 0.075, 0.5 } } },
	{ __LINE__,
	  WALKING,
	  WALKING,
	  1,
	  0,
	  0,
	  { { "MemoryBound", 0.4, 0.4 },
	    { "L2DataMissRateInSomeThread", 0.397, 0.4 },
	    { "PageTableWalks", 0.15, 0.3 } } },
	{ __LINE__,
	  WALKING_UNTIMED,
	  WALKING_UNTIMED,
	  1,
	  0,
	  0,
	  { { "MemoryBound", 0.4, 0.4 },
	    { "L2DataMissRateInSomeThread", 0.397, 0.4 },
	    { "PageTableWalks", 0.14, 1 } } },
	{ __LINE__,
	  SECOND,
	  SECOND,
	  1,
	  0,
	  0,
	  { { "MemoryBound", 0.5, 0.5 },
	    { "L2DataMissRateInSomeThread", 0.38, 0.38 },
	    { "L3DataMissRateInSomeThread", 0.09, 0.09 },
	    { "LocalDramAccesses", 0.09, 0.09 } } },
	{ __LINE__,
	  NEAR,
	  NEAR,
	  1,
	  0,
	  0,
	  { { "MemoryBound", 0.4, 0.4 },
	    { "L1DataMissRateInSomeThread", 0.297, 0.297 },
	    { "L1DataReadMissRate", 0.2673, 0.2673 },
	    { "L3DataMissRateInSomeThread", 0.045, 0.045 },
	    { "FewPrefetches", 0.045, 0.045 } } },
	{ __LINE__,
	  NEAR_STORES,
	  NEAR_STORES,
	  1,
	  0,
	  0,
	  { { "MemoryBound", 0.4, 0.4 },
	    { "L1DataMissRateInSomeThread", 0.297, 0.297 },
	    { "L1DataWriteMissRate", 0.2673, 0.2673 },
	    { "L3DataMissRateInSomeThread", 0.045, 0.045 },
	    { "FewPrefetches", 0.045, 0.045 } } },
	{ __LINE__,
	  SECOND_LOADS,
	  SECOND_LOADS,
	  1,
	  0,
	  0,
	  { { "MemoryBound", 0.5, 0.5 },
	    { "L2DataMissRateInSomeThread", 0.4, 0.4 },
	    { "L2DataReadMissRate", 0.38, 0.38 } } },
	{ __LINE__,
	  SECOND_STORES,
	  SECOND_STORES,
	  1,
	  0,
	  0,
	  { { "MemoryBound", 0.5, 0.5 },
	    { "L2DataMissRateInSomeThread", 0.4, 0.4 },
	    { "L2DataWriteMissRate", 0.38, 0.38 } } },
	{ __LINE__,
	  UNEVEN_NEAR,
	  UNEVEN_NEAR_WORST,
	  1,
	  0,
	  0,
	  { { "MemoryBound", 0.1125, 0.1125 },
	    { "L1DataMissRateInSomeThread", 0.088875, 0.088875 },
	    { "UnbalancedL1DataMissRate", 0.181125, 0.181125 } } },
	{ __LINE__,
	  UNEVEN_SECOND,
	  UNEVEN_SECOND_WORST,
	  1,
	  0,
	  0,
	  { { "MemoryBound", 0.105, 0.105 },
	    { "L2DataMissRateInSomeThread", 0.0759375, 0.09 },
	    { "UnbalancedL2DataMissRate", 0.2240625, 0.2240625 } } },
	{ __LINE__,
	  FLOODING,
	  FLOODING,
	  1,
	  40e9,
	  15e9,
	  { { "MemoryBound", 0.5, 0.5 }, { "BandwidthBound", 0.8, 0.8 } } },
};
#define PROGRAMS (sizeof(programs) / sizeof(programs[0]))

static struct table *table_of(const struct program *program_)
{
	struct table *table = program(&program_->usual, &program_->odd);

	table->nodes = program_->nodes;
	table->attainable = program_->attainable;
	table->single = program_->single;
	return table;
}

static size_t proven_at(const struct program *program_, const char *property)
{
	size_t at = 0;

	while (at < PROVEN_MAX && program_->proven[at].property &&
	       strcmp(program_->proven[at].property, property))
		at++;
	return at < PROVEN_MAX && program_->proven[at].property ? at : PROVEN_MAX;
}

/* As the search does it: only below a proven one, and unless one that excludes it is proven. */
static bool is_found(struct table *table, const struct property_set *set,
		     const struct property *property, struct ms_verdict *verdict)
{
	struct ms_verdict ignored;
	const uint32_t *links;
	size_t nr = property_parents(property, &links);
	bool asked = !nr;

	for (size_t i = 0; i < nr; i++)
		asked = asked || is_found(table, set, set->properties[links[i]], &ignored);
	nr = property_anticonditions(property, &links);
	for (size_t i = 0; i < nr && asked; i++)
		asked = !is_found(table, set, set->properties[links[i]], &ignored);
	*verdict = (struct ms_verdict){ .truth = MS_FALSE };
	if (asked && property_applies(property, table->regions[table->context.region].kind))
		*verdict = table_ask(table, set, property_name(property), table->context.region);
	return verdict->truth == MS_TRUE;
}

static void check_program(const struct program *program_, const struct property_set *set,
			  uint32_t region)
{
	struct table *table = table_of(program_);

	table->context.region = region;
	for (size_t i = 0; i < set->nr; i++) {
		const char *name = property_name(set->properties[i]);
		size_t at = proven_at(program_, name);
		struct ms_verdict verdict;

		if (!counts_memory(set->properties[i]))
			continue;
		if (is_found(table, set, set->properties[i], &verdict) != (at < PROVEN_MAX))
			test_fail(__FILE__, program_->line,
				  "%s at %u is %d (severity %g, missing %d of %d)", name, region,
				  verdict.truth, verdict.severity, verdict.missing,
				  verdict.missing_metric);
		if (at < PROVEN_MAX &&
		    (fabs(verdict.severity - program_->proven[at].low) > 1e-9 ||
		     fabs(verdict.severity_high - program_->proven[at].high) > 1e-9))
			test_fail(__FILE__, program_->line, "%s at %u is %.9g to %.9g", name,
				  region, verdict.severity, verdict.severity_high);
	}
}

TEST(memory__what_is_planted_is_proven_and_nothing_else)
{
	struct property_set *set = shipped_properties();

	for (size_t i = 0; i < PROGRAMS; i++)
		for (uint32_t region = PHASE; region <= LOOP; region++)
			check_program(&programs[i], set, region);
}

TEST(memory__each_has_a_program_that_proves_it)
{
	struct property_set *set = shipped_properties();

	for (size_t i = 0; i < set->nr; i++) {
		bool found = !counts_memory(set->properties[i]);

		for (size_t program_ = 0; program_ < PROGRAMS; program_++)
			found |= proven_at(&programs[program_], property_name(set->properties[i])) <
				 PROVEN_MAX;
		if (!found)
			test_fail(__FILE__, __LINE__, "no program proves %s",
				  property_name(set->properties[i]));
	}
}

static const struct counts uneven = UNEVEN, uneven_worst = UNEVEN_WORST,
			   streaming_blind = STREAMING_BLIND, flooding = FLOODING,
			   chasing = CHASING;

/* Rates as `memsearch report --severity rate` shows them. */
TEST(memory__rates)
{
	struct property_set *set = shipped_properties();
	struct table *table = program(&uneven, &uneven_worst);
	struct ms_verdict verdict = table_ask(table, set, "LC3DMissRateInSomeThread", LOOP);
	uint32_t threads[4];

	CHECK_NEAR(evidence_of(&verdict, "rate"), 1, 1e-9); /* thread 2: 500 of 500 */
	verdict = table_ask(table, set, "UnbalLC3DMissRate", LOOP);
	/* 1 and three times 50 / 162.5, the mean: the largest over their mean, less 1 */
	CHECK_NEAR(evidence_of(&verdict, "rate"), 1 / ((1 + 3 * 50 / 162.5) / 4) - 1, 1e-9);
	CHECK_NEAR(evidence_of(&verdict, "most"), 500e3, 1e-6);
	CHECK_NEAR(evidence_of(&verdict, "usual"), 162.5e3, 1e-6);
	table->context.region = LOOP;
	CHECK_INT(property_threads(property_set_find(set, "UnbalancedL3DataMissRate"),
				   &table->context, threads, 4),
		  1);
	CHECK_INT(threads[0], 2);
	CHECK_INT(property_threads(property_set_find(set, "L3DataMissRateInSomeThread"),
				   &table->context, threads, 4),
		  1);
	CHECK_INT(threads[0], 2);
	/* half the accesses, half the misses: the work is uneven, not the rate */
	table = program(&uneven, &uneven);
	table_set(table, LOOP, 0, MS_METRIC_L2D_MISSES, 25e3);
	table_set(table, LOOP, 0, MS_METRIC_L3D_MISSES, 25e3);
	verdict = table_ask(table, set, "UnbalancedL3DataMissRate", LOOP);
	CHECK(evidence_of(&verdict, "rate") > 0 && evidence_of(&verdict, "rate") < 0.3);
	CHECK_INT(verdict.truth, MS_FALSE);
}

static const struct counts uneven_near = UNEVEN_NEAR, uneven_near_worst = UNEVEN_NEAR_WORST;

/* The initial thread alone has them, and waits for them no longer than that code takes. */
TEST(memory__misses_of_serial_code_are_no_imbalance)
{
	static const struct {
		double serial_ms, severity;
	} cases[] = { { 0, 0.181125 }, { 10, 0.181125 - 3 * 10 / 400.0 }, { 30, 0 } };
	struct property_set *set = shipped_properties();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct table *table = program(&uneven_near, &uneven_near_worst);
		struct ms_verdict verdict;

		table_region(table, PHASE, MS_SERIAL_REGION, 10);
		table_set(table, SERIAL, 0, MS_METRIC_WALL_TIME, cases[i].serial_ms * MS);
		verdict = table_ask(table, set, "UnbalancedL1DataMissRate", PHASE);
		CHECK_NEAR(verdict.severity, cases[i].severity, 1e-9);
		CHECK_INT(verdict.truth, cases[i].severity > 0 ? MS_TRUE : MS_FALSE);
		verdict = table_ask(table, set, "UnbalancedL1DataMissRate", LOOP);
		CHECK_NEAR(verdict.severity, 0.181125, 1e-9);
	}
}

/*
 * Between 4 % at least and a fifth at most nobody knows what misses cost: unknown, for want of a
 * counter of stalls.
 */
TEST(memory__without_stalls_small_misses_are_unknown)
{
	struct property_set *set = shipped_properties();
	struct ms_verdict verdict = table_ask(program(&streaming_blind, &streaming_blind), set,
					      "MemoryBound", LOOP);
	struct counts less = streaming_blind;

	/* what the second level serves, 2.25 % of the time, is less than half */
	CHECK_NEAR(verdict.severity, (1.4 + 16.2) / 16 / 100, 1e-9);
	CHECK_INT(verdict.truth, MS_FALSE); /* 19.85 % at most */
	less.l3 = less.local = 200;
	verdict = table_ask(program(&less, &less), set, "MemoryBound", LOOP);
	/* 2.25 + 1 + 18 = 21.25 */
	CHECK_INT(verdict.truth, MS_UNKNOWN);
	CHECK_INT(verdict.missing, MS_MISSING_UNSUPPORTED);
	CHECK_INT(verdict.missing_metric, MS_METRIC_STALL_CYCLES);
	/* and nobody knows an upper bound */
	less.l1 = NO_EVENT;
	less.l3 = less.local = 1;
	CHECK_INT(table_ask(program(&less, &less), set, "MemoryBound", LOOP).truth, MS_UNKNOWN);
}

/* Loads and stores apart are the sum; loads alone stand for all where there is nothing else. */
TEST(memory__one_thing_under_several_names)
{
	struct property_set *set = shipped_properties();
	struct table *table = program(&chasing, &chasing);
	struct ms_verdict verdict;

	table_missing(table, LOOP, MS_METRIC_L3D_MISSES, MS_MISSING_UNSUPPORTED);
	verdict = table_ask(table, set, "L3DataMissRateInSomeThread", LOOP);
	CHECK_NEAR(evidence_of(&verdict, "misses"), 4 * 750e3, 1e-6);
	table_missing(table, LOOP, MS_METRIC_L3D_WRITE_MISSES, MS_MISSING_UNSUPPORTED);
	verdict = table_ask(table, set, "L3DataMissRateInSomeThread", LOOP);
	CHECK_NEAR(evidence_of(&verdict, "misses"), 4 * 700e3, 1e-6);
	table_missing(table, LOOP, MS_METRIC_L3D_READ_MISSES, MS_MISSING_UNSUPPORTED);
	table_missing(table, LOOP, MS_METRIC_DRAM_LOCAL, MS_MISSING_UNSUPPORTED);
	verdict = table_ask(table, set, "L3DataMissRateInSomeThread", LOOP);
	CHECK_INT(verdict.truth, MS_UNKNOWN);
	CHECK_INT(verdict.missing_metric, MS_METRIC_L3D_MISSES);
}

static const struct {
	enum ms_metric metric;
	double value;
} simulated[] = {
	{ MS_METRIC_SIM_LOADS, 4000e3 },     { MS_METRIC_SIM_STORES, 1000e3 },
	{ MS_METRIC_SIM_L1D_MISSES, 500e3 }, { MS_METRIC_SIM_BYPASSED, 300e3 },
	{ MS_METRIC_SIM_L2D_MISSES, 400e3 }, { MS_METRIC_SIM_L3D_MISSES, 300e3 },
	{ MS_METRIC_SIM_DRAM_LOCAL, 100e3 }, { MS_METRIC_SIM_DRAM_REMOTE, 100e3 },
};

/*
 * CHASING, with the figures of a modelled machine beside; what is listed, up to 0, this CPU has no
 * event for.
 */
static struct table *modelled_program(const enum ms_metric *uncounted)
{
	struct table *table = program(&chasing, &chasing);

	for (size_t i = 0; i < sizeof(simulated) / sizeof(simulated[0]); i++)
		table_set_all(table, LOOP, simulated[i].metric, simulated[i].value);
	for (; *uncounted; uncounted++)
		table_missing(table, LOOP, *uncounted, MS_MISSING_UNSUPPORTED);
	return table;
}

/*
 * Counted and simulated figures are never two sides of one rate or one difference, and each waits
 * as its own machine does.
 */
TEST(memory__rates_are_of_one_source)
{
	static const struct {
		int line;
		enum ms_metric uncounted[8];
		const char *property;
		double misses, rate, high; /* of one thread: thousands, -1: unknown, ms */
	} rows[] = {
		{ __LINE__, { 0 }, "L1DataMissRateInSomeThread", 1000, 0.1, 0.6 },
		{ __LINE__, { MS_METRIC_STORES }, "L1DataMissRateInSomeThread", 1000, -1, 0.6 },
		{ __LINE__, { MS_METRIC_L1D_MISSES }, "L1DataMissRateInSomeThread", 500, 0.1, 0.5 },
		/* all may come from memory */
		{ __LINE__, { MS_METRIC_L2D_MISSES }, "L1DataMissRateInSomeThread", 1000, 0.1, 90 },
		{ __LINE__, { 0 }, "L2DataMissRateInSomeThread", 800, 0.8, 1 },
		{ __LINE__, { MS_METRIC_L1D_MISSES }, "L2DataMissRateInSomeThread", 800, -1, 1 },
		{ __LINE__, { MS_METRIC_L2D_MISSES }, "L2DataMissRateInSomeThread", 400, 0.5, 1 },
		{ __LINE__, { 0 }, "L3DataMissRateInSomeThread", 750, 0.9375, 67.5 },
		{ __LINE__, { MS_METRIC_L2D_MISSES }, "L3DataMissRateInSomeThread", 750, -1, 67.5 },
		{ __LINE__,
		  { MS_METRIC_L3D_MISSES, MS_METRIC_L3D_READ_MISSES, MS_METRIC_L3D_WRITE_MISSES },
		  "L3DataMissRateInSomeThread",
		  750,
		  0.9375,
		  67.5 },
		{ __LINE__,
		  { MS_METRIC_L3D_MISSES, MS_METRIC_L3D_READ_MISSES, MS_METRIC_L3D_WRITE_MISSES,
		    MS_METRIC_DRAM_LOCAL },
		  "L3DataMissRateInSomeThread",
		  300,
		  0.75,
		  45 },
	};
	struct property_set *set = shipped_properties();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct table *table = modelled_program(rows[i].uncounted);
		struct ms_verdict verdict = table_ask(table, set, rows[i].property, LOOP);

		if (fabs(evidence_of(&verdict, "misses") - 4e3 * rows[i].misses) > 1e-6 ||
		    fabs(evidence_of(&verdict, "rate") - rows[i].rate) > 1e-9 ||
		    fabs(evidence_of(&verdict, "high") - 4 * rows[i].high * MS) > 1e-3)
			test_fail(__FILE__, rows[i].line, "%g misses, rate %g, %g ns",
				  evidence_of(&verdict, "misses"), evidence_of(&verdict, "rate"),
				  evidence_of(&verdict, "high"));
	}
}

/* Counters that may not be opened: everything over them is unknown, and says which and why. */
TEST(memory__not_permitted_is_unknown)
{
	struct property_set *set = shipped_properties();
	struct table *table = program(&chasing, &chasing);

	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		if (ms_metric_info(metric)->sensor == MS_SENSOR_COUNTERS)
			table_missing(table, LOOP, metric, MS_MISSING_NOT_PERMITTED);
	table->attainable = table->single = 1e9;
	for (size_t i = 0; i < set->nr; i++) {
		struct ms_verdict verdict;

		if (!counts_memory(set->properties[i]))
			continue;
		table->nodes = 2;
		verdict = table_ask(table, set, property_name(set->properties[i]), LOOP);
		if (verdict.truth != MS_UNKNOWN || verdict.missing != MS_MISSING_NOT_PERMITTED ||
		    verdict.missing_metric < 0)
			test_fail(__FILE__, __LINE__, "%s is %d, missing %d of %d",
				  property_name(set->properties[i]), verdict.truth, verdict.missing,
				  verdict.missing_metric);
	}
}

/*
 * 32 GB/s are 0.8 of what all CPUs get, but no more than four times what one gets; nothing is known
 * without a calibration.
 */
TEST(memory__bandwidth)
{
	struct property_set *set = shipped_properties();
	struct table *table = program(&flooding, &flooding);
	struct ms_verdict verdict = table_ask(table, set, "BandwidthBound", LOOP);

	CHECK_INT(verdict.truth, MS_UNKNOWN);
	CHECK_INT(verdict.missing, MS_MISSING_NOT_CALIBRATED);
	table->attainable = 40e9;
	table->single = 9e9; /* 4 * 9 = 36 */
	verdict = table_ask(table, set, "BandwidthBound", LOOP);
	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_NEAR(verdict.severity, 32.0 / 36, 1e-9);
	CHECK_NEAR(evidence_of(&verdict, "achieved"), 32, 1e-9);
	CHECK_NEAR(evidence_of(&verdict, "attainable"), 36, 1e-9);
	table->single = 15e9;
	table->attainable = 50e9; /* 64 % */
	CHECK_INT(table_ask(table, set, "BandwidthBound", LOOP).truth, MS_FALSE);
}

/* As a CPU of that table would measure it: what has no event there is unsupported. */
static struct table *program_on(const struct event_table *cpu, const struct counts *counts)
{
	struct table *table = program(counts, counts);

	table->nodes = 2;
	table->attainable = table->single = 40e9;
	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		if (ms_metric_info(metric)->sensor == MS_SENSOR_COUNTERS &&
		    !event_table_metric(cpu, metric))
			table_missing(table, LOOP, metric, MS_MISSING_UNSUPPORTED);
	return table;
}

/* Whether MemoryBound has what it needs: stalls in cycles, or all levels for the model. */
static bool tells_waits(const struct event_table *cpu)
{
	return (event_table_metric(cpu, MS_METRIC_STALL_CYCLES) &&
		event_table_metric(cpu, MS_METRIC_CYCLES)) ||
	       (event_table_metric(cpu, MS_METRIC_L1D_MISSES) &&
		event_table_metric(cpu, MS_METRIC_L2D_MISSES) &&
		event_table_metric(cpu, MS_METRIC_L3D_MISSES));
}

static void check_cpu(const struct event_table *cpu, const struct property_set *set)
{
	static const struct counts everything = { .stalls = 0.7,
						  .loads = 10000,
						  .stores = 1000,
						  .l1 = 1000,
						  .l2 = 800,
						  .l3 = 750,
						  .reads_l1 = 900,
						  .writes_l1 = 100,
						  .reads_l2 = 750,
						  .writes_l2 = 50,
						  .reads_l3 = 700,
						  .writes_l3 = 50,
						  .local = 700,
						  .remote = 50,
						  .hitm = 1,
						  .walks = 10,
						  .walk_cycles = 0.001,
						  .prefetches = 100,
						  .lines = 900 };
	static const struct counts computing = COMPUTING;
	struct table *waits = program_on(cpu, &everything), *sound = program_on(cpu, &computing);
	struct ms_verdict verdict;

	CHECK_INT(table_ask(waits, set, "MemoryBound", LOOP).truth,
		  tells_waits(cpu) ? MS_TRUE : MS_UNKNOWN);
	for (size_t i = 0; i < set->nr; i++) {
		const char *name = property_name(set->properties[i]);

		if (!counts_memory(set->properties[i]))
			continue;
		verdict = table_ask(waits, set, name, LOOP);
		if (verdict.truth == MS_UNKNOWN &&
		    (verdict.missing != MS_MISSING_UNSUPPORTED || verdict.missing_metric < 0 ||
		     event_table_metric(cpu, (uint32_t)verdict.missing_metric)))
			test_fail(cpu->file, __LINE__, "%s: %s is unknown, missing %d of %d",
				  cpu->names[0], name, verdict.missing, verdict.missing_metric);
		if (table_ask(sound, set, name, LOOP).truth == MS_TRUE)
			test_fail(cpu->file, __LINE__, "%s: %s is found where nothing is",
				  cpu->names[0], name);
	}
}

/*
 * On every CPU there is a table of, each property has an answer, or names a metric this CPU has no
 * event for.
 */
TEST(memory__on_every_cpu)
{
	struct property_set *set = shipped_properties();
	const struct event_table *const *cpus;
	size_t nr = property_set_event_tables(set, &cpus), tells = 0;

	for (size_t i = 0; i < nr; i++) {
		check_cpu(cpus[i], set);
		tells += tells_waits(cpus[i]);
	}
	/* all but the kernel's own events and a core or two */
	CHECK(nr >= 12 && tells + 2 >= nr);
}

/* Every text can be filled from the property's own evidence. */
TEST(memory__texts_are_complete)
{
	struct property_set *set = shipped_properties();

	for (size_t i = 0; i < PROGRAMS; i++) {
		struct table *table = table_of(&programs[i]);

		for (size_t at = 0; at < PROVEN_MAX && programs[i].proven[at].property; at++) {
			const struct property *property = property_set_find(
				set, programs[i].proven[at].property);
			struct ms_verdict verdict = table_ask(table, set, property_name(property),
							      LOOP);
			const char *text = property_fill(set->arena, property_explanation(property),
							 verdict.evidence, verdict.nr_evidence,
							 NULL, 0);
			const char *advice = property_fill(set->arena, property_advice(property),
							   verdict.evidence, verdict.nr_evidence,
							   NULL, 0);

			if (strstr(text, "unknown") || strpbrk(text, "{}[]") ||
			    strstr(advice, "unknown") || strchr(advice, '{'))
				test_fail(__FILE__, programs[i].line, "%s: %s / %s",
					  property_name(property), text, advice);
		}
	}
}

/*
 * What the CPU counts as waiting is spoken of only where it does; a modelled machine's misses are
 * nobody's stalls.
 */
TEST(memory__stalls_that_are_not_counted_are_not_spoken_of)
{
	struct property_set *set = shipped_properties();

	for (int counted = 0; counted < 2; counted++) {
		struct table *table = program(&chasing, &chasing);
		struct ms_verdict verdict;
		const char *text;

		if (!counted)
			table_missing(table, LOOP, MS_METRIC_STALL_CYCLES, MS_MISSING_UNSUPPORTED);
		verdict = table_ask(table, set, "MemoryBound", LOOP);
		text = property_fill(set->arena,
				     property_explanation(property_set_find(set, "MemoryBound")),
				     verdict.evidence, verdict.nr_evidence, NULL, 0);
		CHECK_INT(verdict.truth, MS_TRUE);
		CHECK_INT(strstr(text, " stall cycles; the definition differs") != NULL, counted);
	}
}

/*
 * Nothing is counted; on a modelled machine with nodes of its own each thread gets 0.4 M lines, 0.1
 * M walks and 0.2 M lines of other cores. Latencies of context.h: 100 ns, 200 ns of another node,
 * 15 ns a walk, 80 ns a transfer.
 */
static struct table *simulated_program(double remote, bool has_prefetchers)
{
	static const struct counts none = { .stalls = NO_EVENT,
					    .loads = NO_EVENT,
					    .stores = NO_EVENT,
					    .l1 = NO_EVENT,
					    .l2 = NO_EVENT,
					    .l3 = NO_EVENT,
					    .reads_l3 = NO_EVENT,
					    .writes_l3 = NO_EVENT,
					    .local = NO_EVENT,
					    .remote = NO_EVENT,
					    .hitm = NO_EVENT,
					    .walks = NO_EVENT,
					    .walk_cycles = NO_EVENT,
					    .prefetches = NO_EVENT,
					    .lines = NO_EVENT };
	struct table *table = program(&none, &none);
	const struct {
		enum ms_metric metric;
		double value;
	} values[] = {
		{ MS_METRIC_SIM_LOADS, 2e6 },
		{ MS_METRIC_SIM_STORES, 0 },
		{ MS_METRIC_SIM_BYPASSED, 0 },
		{ MS_METRIC_SIM_L1D_MISSES, 6e5 },
		{ MS_METRIC_SIM_L1D_READ_MISSES, 6e5 },
		{ MS_METRIC_SIM_L1D_WRITE_MISSES, 0 },
		{ MS_METRIC_SIM_L2D_MISSES, 5e5 },
		{ MS_METRIC_SIM_L2D_READ_MISSES, 1e5 },
		{ MS_METRIC_SIM_L2D_WRITE_MISSES, 4e5 },
		{ MS_METRIC_SIM_L3D_MISSES, 4e5 },
		{ MS_METRIC_SIM_L3D_READ_MISSES, 3.6e5 },
		{ MS_METRIC_SIM_L3D_WRITE_MISSES, 0.4e5 },
		{ MS_METRIC_SIM_DRAM_LOCAL, 4e5 * (1 - remote) },
		{ MS_METRIC_SIM_DRAM_REMOTE, 4e5 * remote },
		{ MS_METRIC_SIM_DRAM_PREFETCHES, 5e4 },
		{ MS_METRIC_SIM_TLB_WALKS, 1e6 },
		{ MS_METRIC_SIM_HITM, 2e5 },
	};

	for (uint32_t region = PHASE; region <= LOOP; region++)
		for (uint32_t thread = 0; thread < 4; thread++)
			for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
				table_set(table, region, thread, values[i].metric, values[i].value);
	for (uint32_t thread = 0; has_prefetchers && thread < 4; thread++)
		table_set(table, LOOP, thread, MS_METRIC_SIM_PREFETCHES, 5e4);
	table->nodes = 1;
	table->modelled_nodes = 2;
	return table;
}

TEST(memory__simulated_values_where_nothing_is_counted)
{
	static const struct {
		int line;
		const char *property;
		double remote;
		enum ms_truth truth;
		double low, high;
	} asked[] = {
		{ __LINE__, "RemoteDramAccesses", 0.75, MS_TRUE, 0.75 * 4e5 * 175 / 16,
		  0.75 * 4e5 * 200 },
		{ __LINE__, "RemoteDramAccesses", 0.1, MS_FALSE, 0, 0 },
		{ __LINE__, "LocalDramAccesses", 0, MS_TRUE, 4e5 * 100 / 16, 4e5 * 100 },
		{ __LINE__, "LocalDramAccesses", 0.75, MS_FALSE, 0, 0 },
		{ __LINE__, "CacheLineSharing", 0, MS_TRUE, 2e5 * 80 / 4, 2e5 * 80 },
		{ __LINE__, "PageTableWalks", 0, MS_TRUE, 1e6 * 15 / 6, 1e6 * 15 },
		{ __LINE__, "L3DataReadMissRate", 0, MS_TRUE, 3.6e5 * 100 / 16, 3.6e5 * 100 },
		{ __LINE__, "L3DataWriteMissRate", 0, MS_FALSE, 0, 0 },
		{ __LINE__, "FewPrefetches", 0, MS_TRUE, 4e5 * 100 / 16, 4e5 * 100 },
	};
	struct property_set *set = shipped_properties();

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		struct table *table = simulated_program(asked[i].remote, true);
		struct ms_verdict verdict = table_ask(table, set, asked[i].property, LOOP);

		if (verdict.truth != asked[i].truth)
			test_fail(__FILE__, asked[i].line, "is %d, missing %d of %d", verdict.truth,
				  verdict.missing, verdict.missing_metric);
		if (verdict.truth != MS_TRUE)
			continue;
		CHECK_INT(verdict.rung, MS_RUNG_SIMULATED);
		if (fabs(verdict.severity - asked[i].low / (100 * MS)) > 1e-6 ||
		    fabs(verdict.severity_high - asked[i].high / (100 * MS)) > 1e-6)
			test_fail(__FILE__, asked[i].line, "%.9g to %.9g, not %.9g to %.9g",
				  verdict.severity, verdict.severity_high,
				  asked[i].low / (100 * MS), asked[i].high / (100 * MS));
	}
}

/* A walk takes fewer cycles of the nominal clock where cores work above it, and no more of them below. */
TEST(memory__walks_at_the_clock_of_the_core)
{
	static const double cycle_ns[] = { 0.25, 1 }, part[] = { 0.5, 1 };

	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		struct table *table = simulated_program(0, true);

		table->core_cycle = cycle_ns[i];
		CHECK_NEAR(table_ask(table, shipped_properties(), "PageTableWalks", LOOP).severity,
			   part[i] * 1e6 * 15 / 6 / (100 * MS), 1e-6);
	}
}

/* A machine without prefetchers prefetches nothing, whatever the program does. */
TEST(memory__prefetches_of_a_machine_without_prefetchers)
{
	struct table *table = simulated_program(0, false);

	CHECK_INT(table_ask(table, shipped_properties(), "FewPrefetches", LOOP).truth, MS_UNKNOWN);
}

/* Counted lines are of this machine, whose nodes count then, whatever is simulated. */
TEST(memory__counted_lines_are_of_this_machines_nodes)
{
	static const struct counts remote = REMOTE;
	struct property_set *set = shipped_properties();
	struct table *table = program(&remote, &remote);

	table->nodes = 1;
	table->modelled_nodes = 16;
	CHECK_INT(table_ask(table, set, "RemoteDramAccesses", LOOP).truth, MS_FALSE);
	table->nodes = 2;
	CHECK_INT(table_ask(table, set, "RemoteDramAccesses", LOOP).truth, MS_TRUE);
}
