/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulated PMU by itself: what it refuses, what it does when memory is short, its memory, and
 * what its parts cost or do not. Known answers for the rules are in simulator_rules.c, the
 * comparison with a plain one in simulator_random.c.
 */
#include "analysis/simulator/cache_lines.h"
#include "analysis/simulator/cache_search.h"
#include "analysis/simulator/simulator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "analysis/simulator/cache.h"
#include "analysis/simulator/state.h"
#include "analysis/simulator/shadow_cache.h"
#include "tests/unit/test.h"

static const struct machine_model small = {
	.name = "small", .cores = 4, .nodes = 2, .page = 4096, .memory_latency = 100, .remote_latency = 200, .transfer_latency = 60,
	.remote_transfer_latency = 120, .cache = {
		{ .bytes = 1024, .ways = 2, .line = 64, .cores = 1, .latency = 4 }, { .bytes = 8192, .ways = 4, .line = 64, .cores = 1, .latency = 12 },
	},
};

struct list {
	const struct stride_run *runs;
	size_t nr;
};

static size_t next_of_list(void *ctx, const struct stride_run **runs_out)
{
	struct list *list = ctx;
	size_t nr = list->nr;

	*runs_out = list->runs;
	list->nr = 0;
	return nr;
}

/* One thread's runs; the others rest. */
static bool simulate(struct simulator *simulator, const struct stride_run *runs, size_t nr,
		     uint32_t threads, uint32_t thread)
{
	struct simulator_trace traces[SIMULATOR_MAX_THREADS];
	struct list lists[SIMULATOR_MAX_THREADS] = { { NULL, 0 } };

	lists[thread] = (struct list){ runs, nr };
	for (uint32_t i = 0; i < threads; i++)
		traces[i] = (struct simulator_trace){ next_of_list, &lists[i] };
	return simulator_window(simulator, traces);
}

static struct stride_run stream(uint64_t address, uint64_t times, uint32_t slot, bool write)
{
	return (struct stride_run){ .address = address,
				    .stride = 8,
				    .times = times,
				    .bytes = 8,
				    .slot = slot,
				    .group = 1,
				    .write = write };
}

static uint64_t misses(const struct simulator_counters *counters, unsigned level)
{
	return counters->read_misses[level] + counters->write_misses[level];
}

static void refused(const struct machine_model *model, uint32_t threads)
{
	errno = 0;
	CHECK(!simulator_new(model, threads, 1, 0));
	CHECK_INT(errno, EINVAL);
}

TEST(simulator__impossible_machines_are_refused)
{
	struct machine_model model = small;

	refused(&small, 0);
	refused(&small, 5);
	model.cache[0].bytes = 1024 + 128;
	refused(&model, 1);
	model = small;
	model.cache[0].bytes = 16384;
	refused(&model, 1);
	model = small;
	model.cache[1].latency = 0;
	refused(&model, 1);
	model = small;
	model.nodes = 3;
	refused(&model, 1);
	model = small;
	model.cache[0].float_bypasses = true;
	refused(&model, 1);
}

TEST(simulator__no_memory_is_said)
{
	struct machine_model model = small;
	struct rlimit limit = { 1 << 20, 1 << 20 };

	if (SANITIZED)
		test_skip("a sanitizer needs more address space than the limit leaves");
	model.cache[2] = (struct model_cache){
		.bytes = 1u << 30, .ways = 16, .line = 64, .cores = 4, .latency = 40
	};
	CHECK(!setrlimit(RLIMIT_AS, &limit));
	errno = 0;
	CHECK(!simulator_new(&model, 4, 1, SIMULATE_CLASSES | SIMULATE_UTILISATION));
	CHECK_INT(errno, ENOMEM);
}

/* The counters of a core are allocated when it first runs. */
TEST(simulator__no_memory_for_counters)
{
	struct simulator *simulator = simulator_new(&small, 2, 1u << 22, 0);
	struct stride_run runs[2] = { stream(0x10000, 1, 1, false),
				      stream(0x20000, 100, 1, false) };
	struct rlimit before, none;

	if (SANITIZED)
		test_skip("a sanitizer needs more address space than the limit leaves");
	CHECK(simulator && !getrlimit(RLIMIT_AS, &before));
	none = (struct rlimit){ 1 << 20, before.rlim_max };
	CHECK(!setrlimit(RLIMIT_AS, &none));
	CHECK(!simulate(simulator, runs, 2, 2, 0));
	CHECK(!simulate(simulator, runs, 2, 2, 0));
	CHECK_INT(simulator_lost(simulator), 2);
	CHECK(!setrlimit(RLIMIT_AS, &before));
	CHECK(simulate(simulator, runs, 2, 2, 0));
	CHECK_INT(simulator_counters(simulator, 0, 1)->reads, 101);
	simulator_free(simulator);
}

TEST(simulator__what_is_not_asked_for_is_not_counted)
{
	struct simulator *simulator = simulator_new(&small, 1, 2, 0);
	struct stride_run run = stream(0x10000, 1000, 1, false);
	const struct simulator_counters *counters;

	CHECK(simulator && simulate(simulator, &run, 1, 1, 0));
	counters = simulator_counters(simulator, 0, 1);
	CHECK_INT(counters->reads, 1000);
	CHECK_INT(misses(counters, 0), 125);
	CHECK_INT(misses(counters, 1), 125);
	CHECK_INT(counters->dram_local, 125);
	CHECK_INT(counters->cycles, 125 * 96);
	CHECK_INT(counters->classes[0][CLASS_COLD], 0);
	CHECK_INT(counters->fetched_bytes, 0);
	CHECK(!simulator_counters(simulator, 0, 2) && !simulator_counters(simulator, 1, 0));
	simulator_free(simulator);
}

TEST(simulator__slots_beyond_the_last_run_but_are_not_counted)
{
	struct simulator *simulator = simulator_new(&small, 1, 1,
						    SIMULATE_CLASSES | SIMULATE_UTILISATION);
	struct stride_run runs[2] = { stream(0x10000, 16, 7, false),
				      stream(0x10000, 16, 0, false) };

	CHECK(simulator && simulate(simulator, runs, 2, 1, 0));
	CHECK_INT(simulator_counters(simulator, 0, 0)->reads, 16);
	CHECK_INT(misses(simulator_counters(simulator, 0, 0), 0), 0);
	CHECK_INT(simulator_lost(simulator), 0);
	simulator_free(simulator);
}

/*
 * A line of each page in turn: a row of what is remembered for each, which 64 MiB hold not three
 * million of.
 */
TEST(simulator__what_finds_no_room_is_counted_as_lost)
{
	struct simulator *simulator = simulator_new(&small, 1, 1, SIMULATE_CLASSES);
	struct stride_run run = stream(0, 3000000, 0, false);
	const struct simulator_counters *counters;
	size_t before;

	CHECK(simulator);
	before = simulator_memory(simulator);
	run.stride = 4096;
	CHECK(!simulate(simulator, &run, 1, 1, 0));
	counters = simulator_counters(simulator, 0, 0);
	CHECK_THAT(simulator_lost(simulator), >, 0);
	CHECK_INT(misses(counters, 0), 3000000);
	CHECK_INT(counters->classes[0][CLASS_COLD] + counters->classes[0][CLASS_CAPACITY], 3000000);
	CHECK_THAT(counters->classes[0][CLASS_COLD], >, 100000);
	CHECK_THAT(simulator_memory(simulator), <=, before + SIMULATOR_HISTORY);
	simulator_free(simulator);
}

TEST(simulator__memory_is_the_modelled_caches)
{
	struct simulator *one = simulator_new(&small, 1, 1, 0);
	struct machine_model model = small;
	struct simulator *large;

	model.cache[2] = (struct model_cache){
		.bytes = 64u << 20, .ways = 16, .line = 64, .cores = 4, .latency = 40
	};
	large = simulator_new(&model, 1, 1, SIMULATE_CLASSES);
	CHECK(one && large);
	CHECK_THAT(simulator_memory(large), >=, simulator_memory(one) + (8u << 20));
	CHECK_THAT(simulator_memory(large), <, simulator_memory(one) + (160u << 20));
	simulator_free(one);
	simulator_free(large);
	simulator_free(NULL);
}

/* Cores on which nothing runs, and slots that nothing counts in, are never touched. */
TEST(simulator__idle_cores_take_no_memory)
{
	struct stride_run read = stream(0x10000, 64, 0, false);
	struct machine_model model = small;
	struct simulator *simulator;
	long before = test_resident_kib();

	model.cores = 256;
	simulator = simulator_new(&model, 256, 1u << 14, SIMULATE_CLASSES | SIMULATE_UTILISATION);
	CHECK(simulator && simulate(simulator, &read, 1, 256, 0));
	CHECK_INT(simulator_counters(simulator, 0, 0)->used_bytes, 512);
	simulator_clear_counters(simulator);
	CHECK_THAT(test_resident_kib() - before, <, 64 << 10);
	simulator_free(simulator);
}

/*
 * What a line's history says goes on over windows, and caches stay as they are where counters are
 * cleared.
 */
TEST(simulator__clearing_counters_leaves_caches)
{
	struct simulator *simulator = simulator_new(&small, 2, 1,
						    SIMULATE_CLASSES | SIMULATE_UTILISATION);
	struct stride_run read = stream(0x10000, 64, 0, false),
			  write = stream(0x10000, 64, 0, true);

	CHECK(simulator && simulate(simulator, &read, 1, 2, 0));
	CHECK_INT(simulator_counters(simulator, 0, 0)->used_bytes, 512);
	simulator_clear_counters(simulator);
	CHECK_INT(simulator_counters(simulator, 0, 0)->reads, 0);
	CHECK(simulate(simulator, &read, 1, 2, 0));
	CHECK_INT(misses(simulator_counters(simulator, 0, 0), 0), 0);
	CHECK_INT(simulator_counters(simulator, 0, 0)->used_bytes, 0);
	CHECK(simulate(simulator, &write, 1, 2, 1) && simulate(simulator, &read, 1, 2, 0));
	CHECK_INT(simulator_counters(simulator, 0, 0)->classes[0][CLASS_TRUE_SHARING], 8);
	CHECK_INT(simulator_counters(simulator, 0, 0)->transfers, 8);
	simulator_free(simulator);
}

/* Threads that share everything, to the last core there can be. */
TEST(simulator__256_threads)
{
	static struct list lists[SIMULATOR_MAX_THREADS];
	static struct simulator_trace traces[SIMULATOR_MAX_THREADS];
	struct machine_model model = small;
	struct stride_run run = stream(0x10000, 8, 0, true);
	struct simulator *simulator;
	uint64_t transfers = 0, true_sharing = 0;

	model.cores = 256;
	simulator = simulator_new(&model, 256, 1, SIMULATE_CLASSES);
	CHECK(simulator);
	for (uint32_t window = 0; window < 2; window++) {
		for (uint32_t i = 0; i < 256; i++) {
			lists[i] = (struct list){ &run, 1 };
			traces[i] = (struct simulator_trace){ next_of_list, &lists[i] };
		}
		CHECK(simulator_window(simulator, traces));
	}
	for (uint32_t i = 0; i < 256; i++) {
		transfers += simulator_counters(simulator, i, 0)->transfers;
		true_sharing += simulator_counters(simulator, i, 0)->classes[0][CLASS_TRUE_SHARING];
	}
	CHECK_INT(transfers, 511);
	CHECK_INT(true_sharing, 256);
	simulator_free(simulator);
}

/* What this processor has a way of its own for; with and without empty ways. */
TEST(simulator__the_oldest_way_is_the_same_by_all_ways)
{
	uint32_t stamps[64], compared = 0;
	uint64_t state = 1;

	for (uint32_t ways = 1; ways <= 64; ways++)
		for (int trial = 0; trial < 1000; trial++) {
			uint32_t oldest = 0;

			for (uint32_t way = 0; way < ways; way++) {
				state = state * 6364136223846793005ull + 1442695040888963407ull;
				stamps[way] = (uint32_t)(state >> 33) >> (trial % 3 ? 0 : 28);
			}
			for (uint32_t way = 1; way < ways; way++)
				oldest = stamps[way] < stamps[oldest] ? way : oldest;
			CHECK_INT(lru_way_portable(stamps, ways), oldest);
			CHECK_INT(lru_way_select(ways)(stamps, ways), oldest);
			compared++;
		}
	CHECK_INT(compared, 64000);
}

/* The clock of a cache is set back every two thousand million uses; nobody sees it. */
TEST(simulator__a_cache_outlives_its_clock)
{
	struct cache caches[2] = { { 0 } };
	struct space space = { 0 };
	struct cache_needs needs = { .shadow = true };
	uint64_t state = 1;

	for (int i = 0; i < 2; i++)
		CHECK(cache_init(&caches[i], &space, 64, 4, 64, MODEL_LRU, needs));
	for (int step = 0; step < 200000; step++) {
		uint64_t line;

		state = state * 6364136223846793005ull + 1442695040888963407ull;
		line = (state >> 40) % 150;
		if (step == 100000) { /* far into its life: all stamps move up together */
			uint32_t by = (INT32_MAX - 20000 - caches[1].clock) / 8192 * 8192;

			for (uint32_t way = 0; way < 64; way++)
				caches[1].stamps[way] += caches[1].stamps[way] ? by : 0;
			for (uint32_t shadow_line = 0; shadow_line < caches[1].shadow.used;
			     shadow_line++)
				caches[1].shadow.all[shadow_line].stamp +=
					caches[1].shadow.all[shadow_line].stamp ? by : 0;
			caches[1].clock += by;
			caches[1].oldest += by;
			caches[1].due = INT32_MAX - 8192 > caches[1].oldest
						? caches[1].oldest + caches[1].log_mask + 1
						: INT32_MAX;
		}
		for (int i = 0; i < 2; i++) {
			uint32_t way = cache_find(&caches[i], line);

			if (way != NO_WAY) {
				cache_touch(&caches[i], way);
				continue;
			}
			way = cache_victim(&caches[i], line);
			cache_forget(&caches[i], line);
			if (caches[i].tags[way])
				cache_evict(&caches[i], way);
			cache_fill(&caches[i], way, line, 0);
		}
		CHECK(!memcmp(caches[0].tags, caches[1].tags, 64 * sizeof(uint64_t)));
		CHECK_INT(cache_find_shadow(&caches[0], line + 1) != NO_SHADOW,
			  cache_find_shadow(&caches[1], line + 1) != NO_SHADOW);
	}
	CHECK(caches[0].clock != caches[1].clock && caches[1].clock < 200000);
	space_release(&space);
}

/* Of one set of 64 and of 128. */
static struct stride_run line_of_set(uint64_t number, uint32_t slot)
{
	return stream(number * 8192, 1, slot, false);
}

/* Its clock is `by` later, and so are the stamps of its lines; the log keeps its places. */
static void make_later(struct cache *cache, uint32_t by)
{
	by -= cache->log ? by % (cache->log_mask + 1) : 0;
	for (uint32_t way = 0; cache->log && way < cache->lines; way++)
		cache->stamps[way] += cache->stamps[way] ? by : 0;
	for (uint32_t i = 0; cache->log && i < cache->shadow.used; i++)
		cache->shadow.all[i].stamp += cache->shadow.all[i].stamp ? by : 0;
	cache->oldest += cache->log ? by : 0;
	cache->clock += by;
	if (cache->log)
		cache_tidy(cache);
}

/*
 * Lines and pages of a usual machine are stamped ahead: whatever the time is when a group begins,
 * L1 and the TLB have what they have at the beginning.
 */
TEST(simulator__a_usual_machine_has_time_left_behind_a_group)
{
	enum { ROUNDS = 2000, RUNS = 6, LEAST = 1000 };
	struct stride_run before[8], group[RUNS], later[8];
	struct machine_model model = small;
	struct simulator *simulators[2];

	model.cache[0].bytes = 1024; /* two sets of eight */
	model.cache[0].ways = 8;
	model.tlb[0] = (struct model_tlb){ .entries = 16, .ways = 16 };
	model.walk_latency = 30;
	for (uint32_t i = 0; i < 8; i++) {
		before[i] = stream(0x800000 + i * 4096 + i * 64, 1, 0, true);
		later[i] = stream(i < RUNS ? (i + 1) * 0x10000 + 8 * (ROUNDS - 1)
					   : before[i].address,
				  1, 2, false);
	}
	for (uint32_t i = 0; i < RUNS; i++) {
		group[i] = stream((i + 1) * 0x10000 + i * 64, ROUNDS, 1, i % 2);
		group[i].group = i ? 0 : RUNS;
	}
	for (int late = 0; late < 2; late++) {
		struct simulator *simulator = simulators[late] = simulator_new(
			&model, 1, 3, SIMULATE_PRIVATE_CLASSES | SIMULATE_UTILISATION);
		struct core *core;

		CHECK(simulator != NULL && simulator->fast_path);
		CHECK(simulate(simulator, before, 8, 1, 0));
		core = &simulator->cores[0];
		if (late) {
			make_later(core->levels[0], INT32_MAX - LEAST - core->levels[0]->clock);
			make_later(&core->tlb[0], INT32_MAX - LEAST - core->tlb[0].clock);
		}
		CHECK(simulate(simulator, group, RUNS, 1, 0));
		CHECK(simulate(simulator, later, 8, 1, 0));
		CHECK(core->levels[0]->clock < 100000 && core->tlb[0].clock < 100000);
	}
	for (uint32_t slot = 0; slot < 3; slot++)
		CHECK(!memcmp(simulator_counters(simulators[1], 0, slot),
			      simulator_counters(simulators[0], 0, slot),
			      sizeof(struct simulator_counters)));
	CHECK_INT(misses(simulator_counters(simulators[1], 0, 1), 0),
		  RUNS * (ROUNDS / 8 + (ROUNDS % 8 != 0)));
	CHECK(simulator_counters(simulators[1], 0, 2)->reads == 8 &&
	      misses(simulator_counters(simulators[1], 0, 2), 0) > 0 &&
	      misses(simulator_counters(simulators[1], 0, 2), 0) < 8);
	simulator_free(simulators[0]);
	simulator_free(simulators[1]);
}

/* The clock is set back after many million accesses. What then is newest is so in both levels. */
TEST(simulator__the_newest_line_outlives_the_clock)
{
	static const struct {
		uint32_t line, slot;
	} later[] = { { 8, 2 }, { 9, 2 }, { 8, 3 }, { 9, 3 }, { 0, 3 },
		      { 4, 3 }, { 5, 3 }, { 6, 3 }, { 7, 3 }, { 1, 2 } };
	struct stride_run first[9], elsewhere = stream(64, 80000000, 1, false), then[10];
	struct machine_model model = small;
	struct simulator *simulator;

	model.cache[0].bytes = 32768;
	model.cache[0].ways = 8;
	model.cache[1].bytes = 65536;
	model.cache[1].ways = 8;
	simulator = simulator_new(&model, 1, 4, 0);
	CHECK(simulator != NULL);
	for (uint32_t i = 0; i < 9; i++) /* line 1 is the oldest then, in L2 line 0 */
		first[i] = line_of_set(i % 8, 0);
	elsewhere.stride = 0;
	for (uint32_t i = 0; i < 10; i++)
		then[i] = line_of_set(later[i].line, later[i].slot);
	CHECK(simulate(simulator, &elsewhere, 1, 1, 0));
	CHECK(simulate(simulator, first, 9, 1, 0));
	/* set back, the clock is behind what it was when they came */
	CHECK(simulate(simulator, &elsewhere, 1, 1, 0));
	CHECK(simulate(simulator, then, 10, 1, 0));
	CHECK_INT(misses(simulator_counters(simulator, 0, 0), 0), 8);
	CHECK_INT(simulator_counters(simulator, 0, 1)->reads, 160000000);
	CHECK_INT(misses(simulator_counters(simulator, 0, 1), 0), 1);
	CHECK_INT(misses(simulator_counters(simulator, 0, 2), 0), 3);
	CHECK_INT(misses(simulator_counters(simulator, 0, 2), 1), 3);
	CHECK_INT(misses(simulator_counters(simulator, 0, 3), 0), 0);
	simulator_free(simulator);
}
