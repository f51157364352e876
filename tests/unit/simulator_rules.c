/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every rule of simulator.h by cases whose counts follow from it on paper, on the simulated PMU and
 * on the plain one.
 */
#include "tests/unit/simulated.h"

#define LINE 64u
#define PAGE 4096u

static struct model_cache cache(uint32_t lines, uint32_t ways, uint32_t latency)
{
	return (struct model_cache){ .bytes = (uint64_t)lines * LINE,
				     .ways = ways,
				     .line = LINE,
				     .cores = 1,
				     .latency = latency };
}

static struct machine_model machine(uint32_t cores, uint32_t nodes)
{
	return (struct machine_model){
		.name = "test",
		.cores = cores,
		.nodes = nodes,
		.page = PAGE,
		.walk_latency = 30,
		.memory_latency = 200,
		.remote_latency = 300,
		.transfer_latency = 70,
		.remote_transfer_latency = 170,
	};
}

/* One core with one cache, fully associative. */
static struct machine_model one_cache(uint32_t lines)
{
	struct machine_model model = machine(1, 1);

	model.cache[0] = cache(lines, lines, 4);
	return model;
}

/* Private L1 and L2 of 4 and 16 lines, and L3 of 64 lines for all, where asked for. */
static struct machine_model three_levels(uint32_t cores, uint32_t nodes, bool l3)
{
	struct machine_model model = machine(cores, nodes);

	model.cache[0] = cache(4, 4, 4);
	model.cache[1] = cache(16, 16, 14);
	if (l3) {
		model.cache[2] = cache(64, 64, 40);
		model.cache[2].cores = cores;
	}
	return model;
}

static struct both both_new(const struct machine_model *model, uint32_t threads)
{
	struct both both;

	CHECK(both_init(&both, model, threads, 2, ALL_PARTS));
	return both;
}

static struct stride_run run(uint64_t address, int64_t stride, uint64_t times)
{
	return (struct stride_run){
		.address = address, .stride = stride, .times = times, .bytes = 8, .group = 1
	};
}

/* A window in which only this thread does something. */
static void play(struct both *both, uint32_t thread, const struct stride_run *runs, size_t nr)
{
	struct script scripts[SIMULATOR_MAX_THREADS] = { { .nr = 0 } };

	scripts[thread] = (struct script){ .runs = runs, .nr = nr };
	both_window(both, scripts);
}

static void reads(struct both *both, uint32_t thread, uint64_t address, int64_t stride,
		  uint64_t times)
{
	struct stride_run reading = run(address, stride, times);

	play(both, thread, &reading, 1);
}

static void writes(struct both *both, uint32_t thread, uint64_t address, int64_t stride,
		   uint64_t times)
{
	struct stride_run writing = run(address, stride, times);

	writing.write = true;
	play(both, thread, &writing, 1);
}

static void read_one(struct both *both, uint32_t thread, uint64_t address)
{
	reads(both, thread, address, 0, 1);
}
static void write_one(struct both *both, uint32_t thread, uint64_t address)
{
	writes(both, thread, address, 0, 1);
}

static struct simulator_counters of(struct both *both, uint32_t thread)
{
	return both_counters(both, thread, 0);
}

TEST(simulator_rules__a_stream_misses_once_a_line)
{
	struct machine_model model = one_cache(64);
	struct both both = both_new(&model, 1);
	struct simulator_counters counted;

	reads(&both, 0, 0x100000, 8, 8192);
	counted = of(&both, 0);
	CHECK_INT(counted.reads, 8192);
	CHECK_INT(counted.read_misses[0], 1024);
	CHECK_INT(counted.classes[0][CLASS_COLD], 1024);
	CHECK_INT(counted.dram_local, 1024);
	CHECK_INT(counted.cycles, 1024 * (200 - 4));
	CHECK_INT(counted.fetched_bytes, 65536);
	CHECK_INT(counted.used_bytes, 65536);
	reads(&both, 0, 0x100000, 8, 8192);
	counted = of(&both, 0);
	CHECK_INT(counted.read_misses[0], 2048);
	CHECK_INT(counted.classes[0][CLASS_CAPACITY], 1024);
	CHECK_INT(counted.classes[0][CLASS_CONFLICT], 0);
	both_release(&both);
}

TEST(simulator_rules__a_wide_stride_uses_little_of_a_line)
{
	struct machine_model model = one_cache(64);
	struct both both = both_new(&model, 1);

	reads(&both, 0, 0x100000, LINE, 1000);
	CHECK_INT(of(&both, 0).fetched_bytes, 64000);
	CHECK_INT(of(&both, 0).used_bytes, 8000);
	both_release(&both);
}

/* 4 sets of 4 ways: a line more than ways that fall into one set displace each other for ever. */
TEST(simulator_rules__one_line_more_than_ways_thrashes)
{
	struct machine_model model = one_cache(16);
	struct both both;
	struct simulator_counters counted;

	model.cache[0].ways = 4;
	both = both_new(&model, 1);
	for (int i = 0; i < 10; i++)
		reads(&both, 0, 0, 4 * LINE, 4);
	CHECK_INT(of(&both, 0).read_misses[0], 4);
	both_release(&both);
	both = both_new(&model, 1);
	for (int i = 0; i < 10; i++)
		reads(&both, 0, 0, 4 * LINE, 5);
	counted = of(&both, 0);
	CHECK_INT(counted.read_misses[0], 50);
	CHECK_INT(counted.classes[0][CLASS_COLD], 5);
	CHECK_INT(counted.classes[0][CLASS_CONFLICT], 45);
	both_release(&both);
	/*
	 * 17 lines in a row: 5 of them in set 0, and a fully associative cache of 16 would lose
	 * them, too.
	 */
	both = both_new(&model, 1);
	for (int i = 0; i < 10; i++)
		reads(&both, 0, 0, LINE, 17);
	counted = of(&both, 0);
	CHECK_INT(counted.read_misses[0], 17 + 9 * 5);
	CHECK_INT(counted.classes[0][CLASS_CAPACITY], 9 * 5);
	both_release(&both);
}

/*
 * A to D, A again: LRU gives up B, the oldest; the tree points to the half of C and D, and there to
 * C.
 */
static bool is_evicted(enum model_replacement replacement, uint64_t line)
{
	struct machine_model model = one_cache(4);
	struct both both;
	bool missed;

	model.cache[0].replacement = replacement;
	both = both_new(&model, 1);
	reads(&both, 0, 0, LINE, 4);
	read_one(&both, 0, 0);
	read_one(&both, 0, 4 * LINE);
	CHECK_INT(of(&both, 0).read_misses[0], 5);
	read_one(&both, 0, line * LINE);
	missed = of(&both, 0).read_misses[0] == 6;
	both_release(&both);
	return missed;
}

TEST(simulator_rules__the_tree_gives_up_another_line_than_lru)
{
	for (uint64_t line = 0; line < 4; line++) {
		CHECK_INT(is_evicted(MODEL_LRU, line), line == 1);
		CHECK_INT(is_evicted(MODEL_TREE_PLRU, line), line == 2);
	}
}

/*
 * Reineke, Grund, Berg, Wilhelm, "Timing predictability of cache replacement policies", Real-Time
 * Systems 37 (2007), for k ways: pairwise different accesses after which nothing older is in the
 * set: LRU k, PLRU k/2 log2 k + 1; fewest that can displace a line just accessed (minimal life
 * span): LRU k, PLRU log2 k + 1. Found here for k = 4 by all sequences.
 */
struct predictability {
	int evict, life_span;
};

static int power(int base, int exponent)
{
	return exponent ? base * power(base, exponent - 1) : 1;
}

static bool still_holds(struct both *both, uint64_t line)
{
	uint64_t before = of(both, 0).read_misses[0];

	read_one(both, 0, line * LINE);
	return of(both, 0).read_misses[0] == before;
}

/*
 * In base 5: 0 a new line, n the line n - 1 of the four in the cache. Pairwise different, and not
 * `old`?
 */
static bool is_sequence(int sequence, int length, int old)
{
	bool seen[4] = { false };

	seen[old] = true;
	for (int i = 0; i < length; i++, sequence /= 5) {
		int next = sequence % 5;

		if (next && seen[next - 1])
			return false;
		if (next)
			seen[next - 1] = true;
	}
	return true;
}

/* State: in base 4, two hits that turn the tree after it was filled. */
static void play_sequence(struct both *both, int state, int sequence, int length)
{
	struct stride_run runs[3 + 5] = { run(0, LINE, 4), run(state % 4 * LINE, 0, 1),
					  run(state / 4 * LINE, 0, 1) };

	for (int i = 0; i < length; i++, sequence /= 5)
		runs[3 + i] = run((uint64_t)(sequence % 5 ? sequence % 5 - 1 : 100 + i) * LINE, 0,
				  1);
	play(both, 0, runs, 3 + (size_t)length);
}

static bool survives(enum model_replacement replacement, int state, int sequence, int length,
		     int old)
{
	struct machine_model model = one_cache(4);
	struct both both;
	bool held;

	model.cache[0].replacement = replacement;
	both = both_new(&model, 1);
	play_sequence(&both, state, sequence, length);
	held = still_holds(&both, (uint64_t)old);
	both_release(&both);
	return held;
}

static struct predictability predictability(enum model_replacement replacement)
{
	struct predictability found = { 0, 0 };

	for (int length = 1; length <= 5 && !found.evict; length++) {
		int surviving = 0;

		for (int i = 0; i < 16 * power(5, length) * 4; i++) {
			int old = i % 4, state = i / 4 % 16, sequence = i / 64;

			if (!is_sequence(sequence, length, old))
				continue;
			if (survives(replacement, state, sequence, length, old))
				surviving++;
			else if (old == state / 4 && !found.life_span)
				found.life_span = length;
		}
		if (!surviving)
			found.evict = length;
	}
	return found;
}

TEST(simulator_rules__replacement_is_as_predictable_as_published)
{
	struct predictability lru = predictability(MODEL_LRU),
			      tree = predictability(MODEL_TREE_PLRU);

	CHECK_INT(lru.evict, 4);
	CHECK_INT(lru.life_span, 4);
	CHECK_INT(tree.evict, 5);
	CHECK_INT(tree.life_span, 3);
}

/*
 * The lowest empty way is filled first: a line taken away leaves room, so nothing else is
 * displaced.
 */
TEST(simulator_rules__empty_ways_are_filled_first)
{
	struct machine_model model = three_levels(2, 1, false);
	struct both both = both_new(&model, 2);

	reads(&both, 0, 0, LINE, 4);
	write_one(&both, 1, LINE);
	read_one(&both, 0, 4 * LINE);
	CHECK_INT(of(&both, 0).read_misses[0], 5);
	read_one(&both, 0, 0);
	read_one(&both, 0, 2 * LINE);
	read_one(&both, 0, 3 * LINE);
	CHECK_INT(of(&both, 0).read_misses[0], 5);
	both_release(&both);
}

static void ping_pong(uint64_t apart, enum simulator_class class)
{
	struct machine_model model = three_levels(2, 1, false);
	struct both both = both_new(&model, 2);
	struct simulator_counters first, second;

	for (int i = 0; i < 5; i++) {
		write_one(&both, 0, 0);
		write_one(&both, 1, apart);
	}
	first = of(&both, 0);
	second = of(&both, 1);
	for (int level = 0; level < 2; level++) {
		CHECK_INT(first.write_misses[level], 5);
		CHECK_INT(second.write_misses[level], 5);
		CHECK_INT(first.classes[level][CLASS_COLD], 1);
		CHECK_INT(second.classes[level][CLASS_COLD], 1);
		CHECK_INT(first.classes[level][class], 4);
		CHECK_INT(second.classes[level][class], 4);
	}
	CHECK_INT(first.transfers, 4);
	CHECK_INT(second.transfers, 5);
	CHECK_INT(first.dram_local, 1);
	CHECK_INT(second.dram_local, 0);
	CHECK_INT(first.upgrades + second.upgrades, 0);
	CHECK_INT(first.write_backs + second.write_backs, 0);
	CHECK_INT(first.cycles, 200 - 4 + 4 * (70 - 4));
	both_release(&both);
}

TEST(simulator_rules__true_sharing_goes_back_and_forth)
{
	ping_pong(0, CLASS_TRUE_SHARING);
}
/* Cores 0 and 1 are on one node, 2 on another. */
TEST(simulator_rules__transfers_between_nodes)
{
	struct machine_model model = three_levels(4, 2, true);
	struct both both = both_new(&model, 4);

	write_one(&both, 0, 0);
	read_one(&both, 1, 0);
	CHECK_INT(of(&both, 1).transfers, 1);
	CHECK_INT(of(&both, 1).remote_transfers, 0);
	write_one(&both, 1, 0);
	write_one(&both, 2, 0);
	CHECK_INT(of(&both, 2).transfers, 1);
	CHECK_INT(of(&both, 2).remote_transfers, 1);
	both_release(&both);
}

TEST(simulator_rules__false_sharing_goes_back_and_forth)
{
	ping_pong(8, CLASS_FALSE_SHARING);
}

/* By the access that gets them back: others' reads, and one's own writes, change nothing. */
TEST(simulator_rules__remote_writes_are_counted)
{
	struct machine_model model = three_levels(2, 1, false);
	struct both both = both_new(&model, 2);

	writes(&both, 0, 0, LINE, 100);
	CHECK_INT(of(&both, 0).remotely_written, 0);
	reads(&both, 1, 0, 8, 80); /* ten lines, also of caches that never had them */
	CHECK_INT(of(&both, 1).remotely_written, 10);
	reads(&both, 1, 0, 8, 80);
	CHECK_INT(of(&both, 1).remotely_written, 10);
	writes(&both, 0, 0, 8, 24); /* three of them */
	CHECK_INT(of(&both, 0).remotely_written, 0);
	reads(&both, 1, 60, 64, 10);                  /* in two lines each */
	CHECK_INT(of(&both, 1).remotely_written, 13); /* and one that it never had */
	writes(&both, 1, 63 * LINE, 8, 16);           /* of two blocks */
	CHECK_INT(of(&both, 1).remotely_written, 15);
	reads(&both, 0, 60 * LINE, 8, 64);
	CHECK_INT(of(&both, 0).remotely_written, 2);
	both_release(&both);
}

TEST(simulator_rules__a_shared_line_is_upgraded)
{
	struct machine_model model = three_levels(2, 1, false);
	struct both both = both_new(&model, 2);

	write_one(&both, 0, 0);
	read_one(&both, 1, 0); /* from the other, which writes it back to memory */
	CHECK_INT(of(&both, 1).transfers, 1);
	CHECK_INT(of(&both, 1).write_backs, 1);
	CHECK_INT(of(&both, 1).dram_local, 0);
	write_one(&both, 0, 0);
	CHECK_INT(of(&both, 0).upgrades, 1);
	CHECK_INT(of(&both, 0).write_misses[0], 1);
	write_one(&both, 0, 0); /* nobody else has it any more */
	CHECK_INT(of(&both, 0).upgrades, 1);
	read_one(&both, 1, 32); /* nobody wrote this word */
	CHECK_INT(of(&both, 1).classes[0][CLASS_FALSE_SHARING], 1);
	write_one(&both, 0, 32);
	read_one(&both, 1, 32);
	CHECK_INT(of(&both, 1).classes[0][CLASS_TRUE_SHARING], 1);
	both_release(&both);
}

/* Written since it was taken, but by whom reads it: no news from others. */
TEST(simulator_rules__own_writes_are_no_true_sharing)
{
	struct machine_model model = machine(2, 1);
	struct both both;

	model.cache[0] = cache(4, 4, 4);
	model.cache[0].write_around = true;
	both = both_new(&model, 2);
	read_one(&both, 0, 0);
	write_one(&both, 1, 16);
	write_one(&both, 0, 32); /* goes past its cache */
	read_one(&both, 0, 32);
	CHECK_INT(of(&both, 0).classes[0][CLASS_FALSE_SHARING], 2);
	CHECK_INT(of(&both, 0).classes[0][CLASS_TRUE_SHARING], 0);
	both_release(&both);
}

/* Coherence goes by the largest line: a write to the other half of it takes the small line, too. */
TEST(simulator_rules__the_largest_line_is_what_is_shared)
{
	struct machine_model model = three_levels(2, 1, false);
	struct both both;

	model.cache[1] = (struct model_cache){
		.bytes = 2048, .ways = 16, .line = 128, .cores = 1, .latency = 14
	};
	both = both_new(&model, 2);
	read_one(&both, 0, 0);
	write_one(&both, 1, 64);
	read_one(&both, 0, 0);
	CHECK_INT(of(&both, 0).read_misses[0], 2);
	CHECK_INT(of(&both, 0).classes[0][CLASS_FALSE_SHARING], 1);
	CHECK_INT(of(&both, 0).classes[1][CLASS_FALSE_SHARING], 1);
	CHECK_INT(of(&both, 0).transfers, 1);
	CHECK_INT(of(&both, 0).fetched_bytes, 256);
	both_release(&both);
}

/*
 * Across two small lines of one large one: both miss L1, which counts once, the second hits what
 * the first brought to L2.
 */
TEST(simulator_rules__an_access_over_a_boundary_counts_once)
{
	struct machine_model model = three_levels(1, 1, false);
	struct both both;

	model.cache[1] = (struct model_cache){
		.bytes = 2048, .ways = 16, .line = 128, .cores = 1, .latency = 14
	};
	both = both_new(&model, 1);
	read_one(&both, 0, 60);
	CHECK_INT(of(&both, 0).read_misses[0], 1);
	CHECK_INT(of(&both, 0).read_misses[1], 1);
	CHECK_INT(of(&both, 0).dram_local, 1);
	read_one(&both, 0, 64);
	CHECK_INT(of(&both, 0).read_misses[0], 1);
	read_one(&both, 0, 1020); /* two lines of both */
	CHECK_INT(of(&both, 0).read_misses[0], 2);
	CHECK_INT(of(&both, 0).read_misses[1], 2);
	CHECK_INT(of(&both, 0).dram_local, 3);
	CHECK_INT(of(&both, 0).cycles, 2 * 196);
	CHECK_INT(of(&both, 0).used_bytes, 20);
	CHECK_INT(of(&both, 0).fetched_bytes, 3 * 128);
	both_release(&both);
}

/*
 * The line above leaves L2 when the one below enters it, so that its first word is touched too late
 * to count.
 */
TEST(simulator_rules__an_access_over_a_boundary_touches_the_lower_line_first)
{
	struct stride_run runs[] = { run(0x40000006, -4096, 6), run(0x101de, -8, 6) };
	struct machine_model model = machine(1, 1);
	struct both both;

	model.cache[0] = cache(2, 1, 4);
	model.cache[1] = cache(5, 5, 14);
	CHECK(both_init(&both, &model, 1, 2, SIMULATE_UTILISATION));
	runs[0].bytes = runs[1].bytes = 4;
	runs[0].group = 2;
	runs[1].group = 0;
	play(&both, 0, runs, 2);
	CHECK_INT(of(&both, 0).used_bytes, 92);
	both_release(&both);
}

TEST(simulator_rules__addresses_wrap)
{
	struct machine_model model = one_cache(4);
	struct both both = both_new(&model, 1);

	read_one(&both, 0, UINT64_MAX - 3);
	CHECK_INT(of(&both, 0).dram_local, 2);
	read_one(&both, 0, 0);
	read_one(&both, 0, UINT64_MAX - 7);
	CHECK_INT(of(&both, 0).read_misses[0], 1);
	CHECK_INT(of(&both, 0).used_bytes, 16);
	both_release(&both);
}

/*
 * The last line there is leaves caches as others do: all of it, where lines of several sizes hold
 * it.
 */
TEST(simulator_rules__the_last_line_is_taken_back)
{
	struct machine_model model = machine(2, 1);
	struct both both;

	model.cache[0] = cache(4, 4, 4);
	model.cache[2] = (struct model_cache){ .bytes = 1024,
					       .ways = 8,
					       .line = 128,
					       .cores = 2,
					       .latency = 40,
					       .inclusion = MODEL_INCLUSIVE };
	both = both_new(&model, 2);
	write_one(&both, 0, UINT64_MAX - 7);
	read_one(&both, 1, UINT64_MAX - 7);
	CHECK_INT(of(&both, 1).transfers, 1);
	write_one(&both, 0, UINT64_MAX - 7);
	reads(&both, 1, 1 << 20, 128, 8);
	CHECK_INT(of(&both, 1).write_backs, 1);
	read_one(&both, 0, UINT64_MAX - 7);
	CHECK_INT(of(&both, 0).read_misses[0], 1);
	read_one(&both, 1, UINT64_MAX - 7);
	CHECK_INT(of(&both, 1).classes[0][CLASS_TRUE_SHARING], 1);
	both_release(&both);
}

/* 12 lines round and round through 4 and 8. */
static uint64_t l3_misses(enum model_inclusion inclusion, uint64_t lines)
{
	struct machine_model model = one_cache(4);
	struct both both;
	uint64_t misses;

	model.cache[2] = cache(8, 8, 40);
	model.cache[2].inclusion = inclusion;
	both = both_new(&model, 1);
	for (int i = 0; i < 5; i++)
		reads(&both, 0, 0, LINE, lines);
	CHECK_INT(of(&both, 0).read_misses[0], 5 * lines);
	misses = of(&both, 0).read_misses[2];
	CHECK_INT(of(&both, 0).dram_local, misses);
	both_release(&both);
	return misses;
}

TEST(simulator_rules__an_exclusive_l3_adds_to_l1)
{
	CHECK_INT(l3_misses(MODEL_EXCLUSIVE, 12), 12);
	CHECK_INT(l3_misses(MODEL_EXCLUSIVE, 13), 65);
	CHECK_INT(l3_misses(MODEL_NON_INCLUSIVE, 8), 8);
	CHECK_INT(l3_misses(MODEL_NON_INCLUSIVE, 9), 45);
	CHECK_INT(l3_misses(MODEL_INCLUSIVE, 8), 8);
}

/* What comes dirty from an exclusive L3 stays dirty in L2. */
TEST(simulator_rules__dirty_lines_survive_an_exclusive_l3)
{
	struct machine_model model = three_levels(1, 1, true);
	struct both both;

	model.cache[2].inclusion = MODEL_EXCLUSIVE;
	both = both_new(&model, 1);
	writes(&both, 0, 0, LINE, 40); /* 16 in L2, 24 in L3 */
	CHECK_INT(of(&both, 0).write_backs, 0);
	reads(&both, 0, 0, LINE, 40);
	CHECK_INT(of(&both, 0).read_misses[2], 0);
	CHECK_INT(of(&both, 0).write_backs, 0);
	reads(&both, 0, 1 << 20, LINE, 80); /* 80 others are all that fit */
	CHECK_INT(of(&both, 0).write_backs, 40);
	both_release(&both);
}

static struct both evict_from_l3(enum model_inclusion inclusion, bool dirty)
{
	struct machine_model model = machine(2, 1);
	struct both both;

	model.cache[0] = cache(4, 4, 4);
	model.cache[2] = cache(8, 8, 40);
	model.cache[2].cores = 2;
	model.cache[2].inclusion = inclusion;
	both = both_new(&model, 2);
	if (dirty)
		write_one(&both, 0, 0);
	else
		read_one(&both, 0, 0);
	reads(&both, 1, 1 << 20, LINE, 8);
	return both;
}

TEST(simulator_rules__an_inclusive_l3_takes_lines_back)
{
	struct both both = evict_from_l3(MODEL_INCLUSIVE, false);

	read_one(&both, 0, 0);
	CHECK_INT(of(&both, 0).read_misses[0], 2);
	CHECK_INT(of(&both, 0).classes[0][CLASS_CAPACITY], 1);
	CHECK_INT(of(&both, 1).write_backs, 0);
	both_release(&both);
	both = evict_from_l3(MODEL_INCLUSIVE, true);
	CHECK_INT(of(&both, 1).write_backs, 1);
	both_release(&both);
	both = evict_from_l3(MODEL_NON_INCLUSIVE, true);
	read_one(&both, 0, 0);
	CHECK_INT(of(&both, 0).read_misses[0], 0);
	CHECK_INT(of(&both, 1).write_backs, 0);
	both_release(&both);
}

/* A write takes the line from the L3 of others, too. */
TEST(simulator_rules__a_write_takes_lines_from_other_l3s)
{
	struct machine_model model = three_levels(2, 2, true);
	struct both both;

	model.cache[2].cores = 1;
	both = both_new(&model, 2);
	read_one(&both, 0, 0);
	write_one(&both, 1, 0);
	read_one(&both, 0, 0);
	CHECK_INT(of(&both, 0).read_misses[2], 2);
	CHECK_INT(of(&both, 0).classes[2][CLASS_TRUE_SHARING], 1);
	CHECK_INT(of(&both, 0).transfers, 1);
	CHECK_INT(of(&both, 0).cycles, 196 + 166);
	both_release(&both);
}

static uint64_t runs_of(uint64_t pages, uint64_t *misses)
{
	struct machine_model model = one_cache(64);
	struct both both;
	uint64_t walked;

	model.tlb[0] = (struct model_tlb){ .entries = 4, .ways = 4 };
	model.tlb[1] = (struct model_tlb){ .entries = 8, .ways = 8, .latency = 7 };
	both = both_new(&model, 1);
	for (int i = 0; i < 5; i++)
		reads(&both, 0, 0, PAGE, pages);
	*misses = of(&both, 0).tlb_misses;
	walked = of(&both, 0).tlb_walks;
	CHECK_INT(of(&both, 0).cycles, pages * 196 + (*misses - walked) * 7 + walked * 30);
	both_release(&both);
	return walked;
}

TEST(simulator_rules__tlbs_reach_as_far_as_their_entries)
{
	uint64_t misses;

	CHECK_INT(runs_of(4, &misses), 4);
	CHECK_INT(misses, 4);
	CHECK_INT(runs_of(8, &misses), 8);
	CHECK_INT(misses, 40);
	CHECK_INT(runs_of(9, &misses), 45);
	CHECK_INT(misses, 45);
}

TEST(simulator_rules__an_access_over_two_pages_asks_for_both)
{
	struct machine_model model = one_cache(64);
	struct both both;

	model.tlb[0] = (struct model_tlb){ .entries = 4, .ways = 1 };
	both = both_new(&model, 1);
	read_one(&both, 0, PAGE - 4);
	CHECK_INT(of(&both, 0).tlb_misses, 2);
	CHECK_INT(of(&both, 0).tlb_walks, 2);
	CHECK_INT(of(&both, 0).cycles, 196 + 60);
	read_one(&both, 0, 4 * PAGE); /* page 4 falls on page 0 */
	read_one(&both, 0, PAGE - 4);
	CHECK_INT(of(&both, 0).tlb_misses, 4);
	both_release(&both);
}

/*
 * Lines that are looked at no more stay where they are, and nobody uses them: in the shadow, too.
 */
TEST(simulator_rules__lines_left_out_are_used_no_more)
{
	struct machine_model model = machine(1, 1);
	struct both both;

	model.cache[0] = cache(512, 8, 4);
	model.cache[1] = cache(1024, 8, 14);
	both = both_new(&model, 1);
	reads(&both, 0, 0, LINE, 100);
	both_thin(&both, &model, 8);
	/* of one set: the shadow has room for them, … */
	reads(&both, 0, PAGE * 100, LINE * 64, 80);
	reads(&both, 0, 44, 4, 1600); /* … and for what is looked at of a hundred lines */
	reads(&both, 0, PAGE * 100, LINE * 64, 80);
	CHECK_INT(of(&both, 0).classes[0][CLASS_CONFLICT], 80);
	both_release(&both);
}

/* 4 cores on 2 nodes. */
static struct machine_model two_nodes(void)
{
	struct machine_model model = machine(4, 2);

	model.cache[0] = cache(64, 64, 4);
	return model;
}

TEST(simulator_rules__pages_are_where_they_were_touched_first)
{
	struct machine_model model = two_nodes();
	struct both both = both_new(&model, 4);

	both_place(&both, 20 * PAGE, 5 * PAGE, 1);
	reads(&both, 0, 0, PAGE, 10);
	reads(&both, 1, LINE, PAGE, 10);
	reads(&both, 2, 2 * LINE, PAGE, 10);
	CHECK_INT(of(&both, 0).dram_local, 10);
	CHECK_INT(of(&both, 1).dram_local, 10);
	CHECK_INT(of(&both, 2).dram_local, 0);
	CHECK_INT(of(&both, 2).dram_remote, 10);
	CHECK_INT(of(&both, 2).cycles, 10 * 296);
	reads(&both, 0, 20 * PAGE, PAGE, 6);
	CHECK_INT(of(&both, 0).dram_remote, 5);
	CHECK_INT(of(&both, 0).dram_local, 11);
	both_place(&both, 0, 10 * PAGE, 1); /* too late */
	reads(&both, 0, 3 * LINE, PAGE, 10);
	CHECK_INT(of(&both, 0).dram_remote, 5);
	both_release(&both);
}

/* Lines of slot 0 from the memory of nodes 0 and 1. */
static void check_node_lines(struct simulator *simulator, uint32_t thread, uint64_t zero,
			     uint64_t one)
{
	uint64_t lines[2] = { 99, 99 };

	CHECK(simulator_node_lines(simulator, thread, 0, 0, lines));
	CHECK_INT(lines[0], zero);
	CHECK_INT(lines[1], one);
}

TEST(simulator_rules__lines_by_node_of_the_page)
{
	struct machine_model model = two_nodes();
	struct both both;
	uint64_t lines[2];

	model.cache[0].next_line = true;
	CHECK(both_init(&both, &model, 4, 2, SIMULATE_PAGES | ALL_PARTS));
	both_place(&both, 0, PAGE, 0);
	both_place(&both, PAGE, PAGE, 1);
	reads(&both, 0, 0, LINE, 4); /* two by accesses, two by prefetches */
	CHECK_INT(of(&both, 0).dram_prefetches, 2);
	reads(&both, 0, PAGE, LINE, 6);
	reads(&both, 2, PAGE, LINE, 8);
	check_node_lines(both.fast, 0, 4, 6);
	check_node_lines(both.fast, 1, 0, 0);
	check_node_lines(both.fast, 2, 0, 8);
	CHECK(!simulator_node_lines(both.fast, 4, 0, 0, lines));
	CHECK(!simulator_node_lines(both.fast, 0, 2, 0, lines));
	CHECK(!simulator_node_lines(both.fast, 0, 0, 1, lines));
	both_clear(&both);
	check_node_lines(both.fast, 0, 0, 0);
	both_release(&both);
	both = both_new(&model, 4); /* not counted */
	CHECK(!simulator_node_lines(both.fast, 0, 0, 0, lines));
	both_release(&both);
}

/* Reads a page twice as large as what the caches hold; of `parts` halves of pages of 8 KiB. */
static struct simulator_counters marked(const struct machine_model *model, uint32_t thread,
					uint64_t offset, uint64_t others, uint32_t lines)
{
	struct simulator_counters counters;
	struct both both;

	CHECK(both_init(&both, model, 4, 2, SIMULATE_PAGES | ALL_PARTS));
	both_place(&both, 0, 2 * PAGE, 0);
	reads(&both, 0, 0, LINE, 64);
	reads(&both, thread, offset, LINE, others);
	CHECK_INT(of(&both, 0).shared_lines + of(&both, thread).shared_lines, 0);
	both_mark_pages(&both);
	both_clear(&both);
	reads(&both, 3, PAGE, LINE, lines);
	counters = of(&both, 3);
	CHECK_INT(counters.dram_remote, lines);
	both_release(&both);
	return counters;
}

TEST(simulator_rules__pages_that_nodes_share_are_marked)
{
	struct machine_model model = two_nodes();

	model.cache[0] = cache(4, 4, 4);
	model.page = 2 * PAGE;
	/* both nodes read the first half; node 1 less than a tenth of it; only node 0 */
	CHECK_INT(marked(&model, 2, 0, 64, 10).shared_lines, 10);
	CHECK_INT(marked(&model, 2, 0, 6, 10).shared_lines, 0);
	CHECK_INT(marked(&model, 1, 0, 64, 10).shared_lines, 0);
	/* each has a half, which is no part */
	CHECK_INT(marked(&model, 2, PAGE, 64, 10).shared_lines, 10);
	CHECK_INT(marked(&model, 2, PAGE, 64, 10).split_remote, 0);
	model.prefetch_page = PAGE;
	CHECK_INT(marked(&model, 2, PAGE, 64, 10).split_remote, 10);
	CHECK_INT(marked(&model, 2, PAGE, 64, 10).shared_lines, 0);
	CHECK_INT(marked(&model, 2, 0, 64, 10).split_remote, 0);
	CHECK_INT(marked(&model, 2, 0, 64, 10).shared_lines, 10);
}

TEST(simulator_rules__pages_go_round_the_nodes)
{
	struct machine_model model = two_nodes();
	struct both both;

	model.interleave = true;
	model.distances[0][0] = model.distances[1][1] = 100;
	model.distances[0][1] = 250;
	model.distances[1][0] = 260;
	both = both_new(&model, 4);
	reads(&both, 3, 0, PAGE, 9);
	CHECK_INT(of(&both, 3).dram_local, 4);
	CHECK_INT(of(&both, 3).dram_remote, 5);
	CHECK_INT(of(&both, 3).cycles, 4 * 96 + 5 * 256);
	both_release(&both);
}

TEST(simulator_rules__dirty_lines_are_written_when_displaced)
{
	struct machine_model model = one_cache(16);
	struct both both = both_new(&model, 1);

	writes(&both, 0, 0, LINE, 100);
	CHECK_INT(of(&both, 0).write_misses[0], 100);
	CHECK_INT(of(&both, 0).write_backs, 84);
	reads(&both, 0, 1 << 20, LINE, 16);
	CHECK_INT(of(&both, 0).write_backs, 100);
	reads(&both, 0, 1 << 21, LINE, 16);
	CHECK_INT(of(&both, 0).write_backs, 100);
	both_release(&both);
}

TEST(simulator_rules__writes_go_through_and_around)
{
	struct machine_model model = one_cache(16);
	struct both both;

	model.cache[0].write_through = true;
	both = both_new(&model, 1);
	writes(&both, 0, 0, 0, 10);
	CHECK_INT(of(&both, 0).write_misses[0], 1);
	CHECK_INT(of(&both, 0).write_backs, 10);
	both_release(&both);
	model.cache[0].write_through = false;
	model.cache[0].write_around = true;
	both = both_new(&model, 1);
	writes(&both, 0, 0, 0, 10);
	CHECK_INT(of(&both, 0).write_misses[0], 10);
	CHECK_INT(of(&both, 0).classes[0][CLASS_COLD], 10);
	CHECK_INT(of(&both, 0).dram_local, 10);
	CHECK_INT(of(&both, 0).write_backs, 10);
	CHECK_INT(of(&both, 0).fetched_bytes, 0);
	read_one(&both, 0, 0);
	write_one(&both, 0, 0);
	CHECK_INT(of(&both, 0).write_misses[0], 10);
	CHECK_INT(of(&both, 0).write_backs, 10);
	both_release(&both);
}

/* A line written through L1 is dirty in L2, and goes to memory once when L2 loses it. */
TEST(simulator_rules__writes_through_l1_make_l2_dirty)
{
	struct machine_model model = three_levels(1, 1, false);
	struct both both;

	model.cache[0].write_through = true;
	both = both_new(&model, 1);
	writes(&both, 0, 0, 0, 10);
	CHECK_INT(of(&both, 0).write_backs, 0);
	CHECK_INT(of(&both, 0).write_misses[1], 1);
	reads(&both, 0, 1 << 20, LINE, 16);
	CHECK_INT(of(&both, 0).write_backs, 1);
	both_release(&both);
}

TEST(simulator_rules__floating_point_goes_past_l1)
{
	struct machine_model model = three_levels(1, 1, false);
	struct stride_run loads = run(0, 8, 64);
	struct both both;

	model.cache[0].write_through = model.cache[0].float_bypasses = true;
	both = both_new(&model, 1);
	loads.is_float = true;
	play(&both, 0, &loads, 1);
	CHECK_INT(of(&both, 0).bypassed, 64);
	CHECK_INT(of(&both, 0).read_misses[0], 0);
	CHECK_INT(of(&both, 0).read_misses[1], 8);
	CHECK_INT(of(&both, 0).cycles, 8 * 196 + 56 * 10);
	reads(&both, 0, 0, 8, 64);
	CHECK_INT(of(&both, 0).read_misses[0], 8);
	CHECK_INT(of(&both, 0).read_misses[1], 8);
	both_release(&both);
}

/*
 * Each line once to memory, of however many writes, and in no cache: what was there has gone, dirty
 * lines to memory.
 */
TEST(simulator_rules__non_temporal_writes_go_past_all_caches)
{
	struct machine_model model = three_levels(2, 1, false);
	struct stride_run past = run(0, 8, 64), writes = run(0, 8, 64);
	struct both both = both_new(&model, 2);

	past.write = past.non_temporal = writes.write = true;
	play(&both, 0, &past, 1);
	CHECK_INT(of(&both, 0).writes, 64);
	CHECK_INT(of(&both, 0).write_misses[0], 0);
	CHECK_INT(of(&both, 0).dram_local, 0);
	CHECK_INT(of(&both, 0).write_backs, 8);
	CHECK_INT(of(&both, 0).fetched_bytes, 0);
	reads(&both, 0, 0, 8, 64);
	CHECK_INT(of(&both, 0).read_misses[0], 8);
	play(&both, 1, &writes, 1);
	play(&both, 0, &past, 1); /* of which the other has all, dirty */
	/* to lines that were among the last: only what was dirty */
	CHECK_INT(of(&both, 0).write_backs, 8 + 8);
	reads(&both, 1, 0, 8, 64);
	CHECK_INT(of(&both, 1).classes[1][CLASS_TRUE_SHARING], 8);
	both_release(&both);
}

/* Every other line of a stream comes before it is asked for, up to the end of the page. */
TEST(simulator_rules__the_next_line_is_prefetched)
{
	struct machine_model model = three_levels(1, 1, false);
	struct both both;

	model.cache[1].next_line = true;
	both = both_new(&model, 1);
	reads(&both, 0, 0, LINE, 64);
	CHECK_INT(of(&both, 0).read_misses[0], 64);
	CHECK_INT(of(&both, 0).read_misses[1], 32);
	CHECK_INT(of(&both, 0).prefetches, 32);
	CHECK_INT(of(&both, 0).prefetched, 32);
	CHECK_INT(of(&both, 0).dram_prefetches, 32);
	CHECK_INT(of(&both, 0).dram_local, 32);
	CHECK_INT(of(&both, 0).fetched_bytes, 4096);
	read_one(&both, 0, 127 * LINE); /* the last one of its page */
	CHECK_INT(of(&both, 0).prefetches, 32);
	both_release(&both);
}

/* What L3 has, or another core modified, does not come from memory. */
TEST(simulator_rules__prefetches_from_memory_are_told)
{
	struct machine_model model = three_levels(2, 1, true);
	struct both both;

	model.cache[1].next_line = true;
	both = both_new(&model, 2);
	reads(&both, 1, 0, LINE, 8); /* into the L3 of both: 4 of 8 come by prefetch */
	CHECK_INT(of(&both, 1).dram_prefetches, 4);
	reads(&both, 0, 0, LINE, 8);
	CHECK_INT(of(&both, 0).prefetches, 4);
	CHECK_INT(of(&both, 0).dram_prefetches, 0);
	both_release(&both);
}

/* At 256 bytes the third access confirms the distance: it asks for the fifth line. */
TEST(simulator_rules__strides_are_prefetched)
{
	struct machine_model model = three_levels(1, 1, false);
	struct both both;

	model.cache[1].strides = true;
	both = both_new(&model, 1);
	reads(&both, 0, 0, 256, 16);
	CHECK_INT(of(&both, 0).prefetches, 12);
	CHECK_INT(of(&both, 0).prefetched, 12);
	CHECK_INT(of(&both, 0).read_misses[1], 4);
	reads(&both, 0, 1 << 20, 2056, 8); /* more than half a page */
	CHECK_INT(of(&both, 0).prefetches, 12);
	both_release(&both);
}

/*
 * Backwards by 8 bytes: L2 sees the first access of each line only, and the one after two such is
 * asked two lines ahead.
 */
TEST(simulator_rules__short_strides_go_backwards_by_lines)
{
	struct machine_model model = three_levels(1, 1, false);
	struct both both;

	model.cache[1].strides = true;
	both = both_new(&model, 1);
	reads(&both, 0, PAGE - 8, -8, 512);
	CHECK_INT(of(&both, 0).read_misses[0], 64);
	CHECK_INT(of(&both, 0).prefetches, 60);
	CHECK_INT(of(&both, 0).read_misses[1], 4);
	both_release(&both);
	model.cache[1].strides = false;
	model.cache[0].strides = true; /* L1 sees them all: from the third on a line ahead */
	both = both_new(&model, 1);
	reads(&both, 0, PAGE - 8, -8, 512);
	CHECK_INT(of(&both, 0).prefetches, 63);
	CHECK_INT(of(&both, 0).read_misses[1], 1);
	both_release(&both);
}

/*
 * Thread 0 writes a line as its access number `access`, thread 1 reads the line behind `before`
 * accesses of its own.
 */
static uint64_t transfers_when_written_at(uint64_t access, uint64_t before)
{
	struct machine_model model = three_levels(2, 1, false);
	struct both both = both_new(&model, 2);
	struct stride_run first[] = { run(1 << 20, 0, access - 1), run(0, 0, 1) },
			  second[] = { run(2 << 20, 0, before), run(0, 0, 1) };
	struct script scripts[] = { { .runs = first, .nr = 2 }, { .runs = second, .nr = 2 } };
	uint64_t transfers;

	first[1].write = true;
	both_window(&both, scripts);
	transfers = of(&both, 1).transfers;
	both_release(&both);
	return transfers;
}

TEST(simulator_rules__threads_run_in_time_slices)
{
	CHECK_INT(SIMULATOR_SLICE, 256);
	CHECK_INT(SIMULATOR_SHARED_SLICE, 32);
	CHECK_INT(transfers_when_written_at(32, 0), 1); /* the first slice is short */
	CHECK_INT(transfers_when_written_at(33, 0), 0);
	CHECK_INT(transfers_when_written_at(32 + 256, 32), 1);
	CHECK_INT(transfers_when_written_at(32 + 257, 32), 0);
}

/*
 * Two threads increment neighbouring words. Thread 0's slices are 32, 256 and 91 times 32 accesses,
 * thread 1's are all of 32, and each moves the line but for the very first.
 */
TEST(simulator_rules__slices_are_short_where_lines_are_shared)
{
	struct machine_model model = three_levels(2, 1, false);
	struct both both = both_new(&model, 2);
	struct stride_run runs[] = { run(0, 0, 3200), run(8, 0, 3200) };
	struct script scripts[] = { { .runs = &runs[0], .nr = 1 }, { .runs = &runs[1], .nr = 1 } };

	runs[0].write = runs[1].write = true;
	both_window(&both, scripts);
	CHECK_INT(of(&both, 0).transfers, 92);
	CHECK_INT(of(&both, 1).transfers, 93);
	both_release(&both);
}

/* Two runs of a group fight for the one way, one after the other do not. */
TEST(simulator_rules__runs_of_a_group_alternate)
{
	struct machine_model model = one_cache(1);
	struct stride_run runs[] = { run(0, 8, 8), run(1 << 20, 8, 8) };
	struct both both = both_new(&model, 1);

	play(&both, 0, runs, 2);
	CHECK_INT(of(&both, 0).read_misses[0], 2);
	runs[0].group = 2;
	runs[1].group = 0;
	play(&both, 0, runs, 2);
	CHECK_INT(of(&both, 0).read_misses[0], 2 + 16);
	both_release(&both);
}

TEST(simulator_rules__slots_are_counted_apart)
{
	struct machine_model model = one_cache(4);
	struct stride_run runs[] = { run(0, 8, 16), run(0, 8, 8), run(0, 8, 8) };
	struct both both = both_new(&model, 1);

	runs[1].slot = 1;
	runs[2].slot = 2; /* not one of the two */
	play(&both, 0, runs, 3);
	CHECK_INT(both_counters(&both, 0, 0).reads, 16);
	CHECK_INT(both_counters(&both, 0, 0).read_misses[0], 2);
	CHECK_INT(both_counters(&both, 0, 1).reads, 8);
	CHECK_INT(both_counters(&both, 0, 1).read_misses[0], 0);
	CHECK_INT(both_counters(&both, 0, 1).fetched_bytes, 0);
	CHECK(!simulator_counters(both.fast, 0, 2));
	CHECK(!simulator_counters(both.fast, 1, 0));
	both_release(&both);
}

TEST(simulator_rules__a_warm_cache_stays_warm)
{
	struct machine_model model = one_cache(16);
	struct both both = both_new(&model, 1);

	reads(&both, 0, 0, LINE, 16);
	both_clear(&both);
	reads(&both, 0, 0, 8, 128);
	CHECK_INT(of(&both, 0).reads, 128);
	CHECK_INT(of(&both, 0).read_misses[0], 0);
	CHECK_INT(of(&both, 0).used_bytes, 0);
	CHECK_INT(of(&both, 0).fetched_bytes, 0);
	both_release(&both);
}

/*
 * Lines 16 apart, prefetched, written and read, in an L1 of three: where one is looked for must not
 * be where the other was found.
 */
TEST(simulator_rules__runs_know_where_their_lines_are)
{
	struct machine_model model = {
		.name = "small", .cores = 1, .nodes = 1, .page = 2048, .memory_latency = 98, .cache = {
			{ .bytes = 384, .ways = 3, .line = 128, .cores = 1, .latency = 1, .next_line = true, .strides = true },
			{ .bytes = 768, .ways = 6, .line = 128, .cores = 1, .latency = 18 },
		},
	};
	struct stride_run runs[] = {
		{ .address = 0x100ba,
		  .stride = 200,
		  .times = 50,
		  .bytes = 8,
		  .site = 5,
		  .group = 3 },
		{ .address = 0x10261,
		  .stride = 16,
		  .times = 50,
		  .bytes = 8,
		  .slot = 1,
		  .site = 3,
		  .write = true },
		{ .address = 0x100a5,
		  .stride = 1024,
		  .times = 50,
		  .bytes = 4,
		  .site = 4,
		  .write = true },
	};
	struct both both;

	CHECK(both_init(&both, &model, 1, 2, SIMULATE_UTILISATION));
	play(&both, 0, runs, 3);
	CHECK_THAT(both_counters(&both, 0, 1).write_misses[0], >, 0);
	both_release(&both);
}
