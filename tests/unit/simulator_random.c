/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random machines and random traces: every counter of every thread and slot is what the plain
 * simulator counts. SIMULATOR_SEEDS="FIRST NUMBER" takes other seeds (bench/simulator_random.sh:
 * many of them). A case that fails is made smaller and printed.
 */
#include "analysis/base/arena.h"
#include "analysis/machine/model_check.h"
#include "analysis/simulator/stages.h"
#include "tests/unit/simulated.h"

#define SLOTS 4u
#define MAX_GROUP 4u
#define MOST_RUNS 100u
#define WINDOWS 3u

static uint64_t state;

static void seed_with(uint64_t seed)
{
	state = seed * 0x9e3779b97f4a7c15u + 88172645463325252u;
}

static uint64_t pick(uint64_t below) /* Marsaglia's xorshift64 */
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 16) % below;
}

static bool chance(uint64_t percent)
{
	return pick(100) < percent;
}
static uint32_t power_of_two(uint64_t from, uint64_t to)
{
	return 1u << (from + pick(to - from + 1));
}

/* -- machines */

/* small: real ones, but for L2 and L3 that a short trace fills */
enum size { TINY, SMALL, REAL };
/*
 * plain: L1 and L2 alone; overflowed: so, with many runs in a group; bare: usual, without
 * prefetchers
 */
enum kind { ANY, PLAIN, CROWDED, USUAL, BARE, SAMPLED };
static const char *const size_names[] = { "tiny", "small", "real" };

/* Line sizes rise outward, mostly they are all the same. */
static void random_lines(struct machine_model *model, enum size size)
{
	uint32_t line = size ? 64 : power_of_two(4, 7);

	for (uint32_t level = 0; level < MODEL_LEVELS; level++) {
		model->cache[level].line = line;
		if (chance(15) && line < 256)
			line *= 2;
	}
}

static void random_size(struct model_cache *cache, uint64_t sets, uint32_t ways)
{
	cache->ways = ways;
	cache->bytes = sets * ways * cache->line;
}

static void random_private(struct model_cache *cache, uint32_t level, enum size size)
{
	cache->cores = 1;
	cache->replacement = chance(40) ? MODEL_TREE_PLRU : MODEL_LRU;
	if (size && !level)
		random_size(cache, 64, 8);
	else if (size)
		random_size(cache, (size == SMALL ? 64ull : 512ull) << pick(2),
			    8 + 8 * (uint32_t)pick(2));
	else
		random_size(cache, power_of_two(0, 2),
			    cache->replacement ? power_of_two(0, 2 + level)
					       : 1 + (uint32_t)pick(3 + 3 * level));
	cache->next_line = chance(20);
	cache->strides = chance(20);
	cache->write_through = chance(15);
	cache->write_around = chance(15);
}

static uint32_t divisor(uint32_t of)
{
	uint32_t found;

	do
		found = 1 + (uint32_t)pick(of);
	while (of % found);
	return found;
}

/* The cache whose lines an exclusive L3 takes in. */
static const struct model_cache *inner(const struct machine_model *model)
{
	return &model->cache[model->cache[1].bytes ? 1 : 0];
}

static void random_l3(struct machine_model *model, enum size size)
{
	struct model_cache *cache = &model->cache[2];
	const struct model_cache *inside = inner(model);

	cache->cores = divisor(model->cores);
	cache->replacement = chance(30) ? MODEL_TREE_PLRU : MODEL_LRU;
	cache->inclusion = (enum model_inclusion)pick(3);
	if (cache->inclusion == MODEL_EXCLUSIVE &&
	    (inside->line != cache->line || inside->write_around || inside->write_through))
		cache->inclusion = MODEL_NON_INCLUSIVE;
	if (size)
		random_size(cache, size == SMALL ? 80 + pick(100) : 4096 + 1000 * pick(3), 16);
	else
		random_size(cache, 1 + pick(6),
			    cache->replacement ? power_of_two(0, 4) : 1 + (uint32_t)pick(12));
	cache->next_line = chance(10);
	cache->strides = chance(10);
}

/* No smaller than what is inside, and than all of it where it is inclusive. */
static void make_room(struct model_cache *cache, const struct model_cache *inside)
{
	uint64_t needed = cache->inclusion == MODEL_INCLUSIVE ? cache->cores * inside->bytes
							      : inside->bytes;

	while (cache->inclusion != MODEL_EXCLUSIVE && cache->bytes < needed)
		cache->bytes *= 2;
}

static void random_latencies(struct machine_model *model)
{
	uint32_t latency = 1 + (uint32_t)pick(5);

	for (uint32_t level = 0; level < MODEL_LEVELS; level++) {
		model->cache[level].latency = latency;
		latency += 1 + (uint32_t)pick(30);
	}
	model->memory_latency = latency + (uint32_t)pick(200);
	model->remote_latency = model->memory_latency + (uint32_t)pick(200);
	model->transfer_latency = latency + (uint32_t)pick(100);
	model->remote_transfer_latency = model->transfer_latency + (uint32_t)pick(100);
}

/* From each node to each memory, the own one the nearest. */
static void random_distances(struct machine_model *model)
{
	for (uint32_t i = 0; i < model->nodes; i++)
		for (uint32_t j = 0; j < model->nodes; j++)
			model->distances[i][j] = model->memory_latency +
						 (i == j ? 0 : (uint32_t)pick(300));
}

static void random_tlbs(struct machine_model *model)
{
	for (uint32_t i = 0; i < 2 && chance(75); i++) {
		struct model_tlb *tlb = &model->tlb[i];

		tlb->ways = 1 + (uint32_t)pick(6);
		tlb->entries = tlb->ways * power_of_two(0, 2 + i);
		tlb->latency = i * (1 + (uint32_t)pick(9));
		while (i && tlb->entries < model->tlb[0].entries)
			tlb->entries *= 2;
	}
	model->walk_latency = 20 + (uint32_t)pick(30);
}

static struct machine_model random_machine(enum size size)
{
	struct machine_model model = { .name = "random",
				       .cores = power_of_two(0, chance(20) ? 5 : 2) };

	if (chance(10))
		model.cores *= 3;
	if (model.cores > 32)
		model.cores = 32;
	model.nodes = divisor(model.cores);
	random_lines(&model, size);
	random_private(&model.cache[0], 0, size);
	if (chance(70)) {
		random_private(&model.cache[1], 1, size);
		make_room(&model.cache[1], &model.cache[0]);
	}
	model.cache[0].float_bypasses = model.cache[1].bytes && model.cache[0].write_through &&
					chance(70);
	if (chance(70)) {
		random_l3(&model, size);
		make_room(&model.cache[2], inner(&model));
	}
	random_latencies(&model);
	if (chance(40))
		random_distances(&model);
	random_tlbs(&model);
	model.page = size ? power_of_two(12, 14) : power_of_two(8, 12);
	if (pick(3) == 0) {
		model.prefetch_page = model.page;
		model.page <<= pick(4);
	}
	model.interleave = chance(20);
	return model;
}

static void print_cache(const struct model_cache *cache, uint32_t level)
{
	if (!cache->bytes)
		return;
	printf("  L%u: %llu bytes, %u ways, line %u, for %u cores, latency %u, %s, %s%s%s%s%s%s\n",
	       level + 1, (unsigned long long)cache->bytes, cache->ways, cache->line, cache->cores,
	       cache->latency, cache->replacement ? "plru" : "lru",
	       cache->inclusion == MODEL_INCLUSIVE   ? "inclusive"
	       : cache->inclusion == MODEL_EXCLUSIVE ? "exclusive"
						     : "non-inclusive",
	       cache->write_around ? ", write_around" : "",
	       cache->write_through ? ", write_through" : "",
	       cache->float_bypasses ? ", float_bypasses" : "",
	       cache->next_line ? ", next_line" : "", cache->strides ? ", strides" : "");
}

static void print_machine(const struct machine_model *model)
{
	printf("  %u cores, %u nodes, page %u of %u, memory %u %u, transfer %u %u, distance %u%s\n",
	       model->cores, model->nodes, model->page, model->prefetch_page, model->memory_latency,
	       model->remote_latency, model->transfer_latency, model->remote_transfer_latency,
	       model->distances[0][0], model->interleave ? ", interleaved" : "");
	for (uint32_t level = 0; level < MODEL_LEVELS; level++)
		print_cache(&model->cache[level], level);
	for (uint32_t i = 0; i < 2; i++)
		printf("  TLB %u: %u entries, %u ways, latency %u\n", i + 1, model->tlb[i].entries,
		       model->tlb[i].ways, model->tlb[i].latency);
}

/* -- traces */

struct group {
	uint32_t window, thread, nr;
	struct stride_run runs[MOST_RUNS];
};

struct trial {
	uint64_t seed;
	struct machine_model model;
	uint32_t threads, most_runs; /* of a group */
	uint32_t one_in;             /* lines looked at; 1: all */
	/* threads that simulate, 0: without stages; accesses of a chunk */
	uint32_t jobs, chunk;
	uint32_t thinned, thin_before; /* fewer from this window on; 0: not */
	unsigned parts;
	struct {
		uint64_t address, bytes;
		uint32_t node;
		bool done;
	} placed[WINDOWS];
	bool marked[WINDOWS];  /* pages, before the window … */
	bool cleared[WINDOWS]; /* … and counters */
	struct group *groups;
	uint32_t nr;
	uint32_t non_temporal; /* of 100 writes */
	bool overflowed;       /* groups of many runs, for long */
};

/* What threads share, densely and sparsely, and what is theirs alone. */
static uint64_t random_address(const struct trial *trial, uint32_t thread)
{
	uint64_t caches = trial->model.cache[0].bytes * 2 + trial->model.cache[1].bytes +
			  trial->model.cache[2].bytes;

	switch (pick(5)) {
	case 0: return 0x10000 + pick(256);
	case 1: return 0x10000 + pick(caches + caches / 2);
	case 2: return 0x40000000ull * (thread + 1) + pick(256);
	case 3: return 0x40000000ull * (thread + 1) + pick(caches);
	default: return 0x7f0000000000ull + pick(4 * caches);
	}
}

static int64_t random_stride(const struct trial *trial)
{
	static const int64_t strides[] = { 0, 1, 4, 8, 8, 8, 16, 64, 64, 200, 1024, 4096 };
	int64_t stride = strides[pick(sizeof(strides) / sizeof(*strides))];

	if (chance(10))
		stride = (int64_t)pick(2 * trial->model.page);
	return chance(25) ? -stride : stride;
}

static uint32_t random_bytes(void)
{
	return chance(80)   ? power_of_two(2, 3)
	       : chance(70) ? power_of_two(0, 6)
			    : 1 + (uint32_t)pick(100);
}

static uint32_t random_site(void)
{
	return chance(5) ? (uint32_t)pick(1 << 20)
			 : (uint32_t)pick(6) + (chance(10) ? SIMULATOR_STRIDES : 0);
}

/*
 * Half of the groups are of sites that have rows of their own in the prefetchers' tables, as loops
 * of programs do.
 */
static struct group random_group(const struct trial *trial, uint64_t most)
{
	uint32_t first_site = chance(50) ? 1 + (uint32_t)pick(100) : 0;
	struct group group = {
		.window = (uint32_t)pick(WINDOWS),
		.thread = (uint32_t)pick(trial->threads),
		.nr = chance(50) ? 1
				 : 1 + (uint32_t)pick(trial->most_runs > MAX_GROUP && chance(10)
							      ? trial->most_runs
							      : MAX_GROUP),
	};
	uint64_t times;

	if (trial->overflowed && chance(20)) {
		group.nr = 40 + (uint32_t)pick(MOST_RUNS - 40);
		most = 100;
	}
	times = chance(2) ? 0
			  : 1 + pick(chance(60) || (group.nr > MAX_GROUP && !trial->overflowed)
					     ? 10
					     : most);

	for (uint32_t i = 0; i < group.nr; i++)
		group.runs[i] = (struct stride_run){
			.address = random_address(trial, group.thread),
			.stride = random_stride(trial),
			.times = times,
			.bytes = random_bytes(),
			.slot = (uint32_t)pick(SLOTS + chance(3)),
			.site = first_site ? first_site + i : random_site(),
			.group = i ? 0 : (uint8_t)group.nr,
			.write = chance(35),
			.is_float = chance(50),
		};
	for (uint32_t i = 0; i < group.nr; i++)
		group.runs[i].non_temporal = group.runs[i].write && chance(trial->non_temporal);
	return group;
}

static void check_machine(const struct machine_model *model)
{
	struct arena *arena = arena_new();
	const char *why = model_check(arena, model);

	if (why) {
		print_machine(model);
		test_fail(__FILE__, __LINE__, "%s", why);
	}
	arena_free(arena);
}

/* Nothing but L1 and L2, as simply as they come. */
static void make_plain(struct trial *trial, enum size size)
{
	struct machine_model *model = &trial->model;

	if (!model->cache[1].bytes) {
		random_private(&model->cache[1], 1, size);
		make_room(&model->cache[1], &model->cache[0]);
	}
	model->cache[2] = (struct model_cache){ .latency = model->cache[2].latency };
	for (unsigned level = 0; level < 2; level++) {
		struct model_cache *cache = &model->cache[level];

		cache->replacement = MODEL_LRU;
		cache->next_line = cache->strides = cache->float_bypasses = cache->write_around =
			cache->write_through = false;
	}
	for (unsigned level = 0, none = chance(80); none && level < 2; level++)
		model->tlb[level] = (struct model_tlb){ 0 };
	trial->threads = 1;
	trial->parts = 0;
	trial->most_runs = MOST_RUNS;
}

/* What most machines are: analysis/simulator/fast_path.h. */
static void make_common(struct trial *trial, enum size size)
{
	struct machine_model *model = &trial->model;

	if (!model->cache[1].bytes)
		random_private(&model->cache[1], 1, size);
	for (unsigned level = 0; level < MODEL_LEVELS; level++) {
		struct model_cache *cache = &model->cache[level];
		uint64_t sets = cache->bytes ? cache->bytes / cache->ways / cache->line : 0;

		cache->line = model->cache[0].line;
		cache->bytes = sets * cache->ways * cache->line;
		cache->write_around = cache->write_through = cache->float_bypasses = false;
		cache->inclusion = MODEL_NON_INCLUSIVE;
	}
	make_room(&model->cache[1], &model->cache[0]);
	if (model->cache[2].bytes)
		make_room(&model->cache[2], inner(model));
	trial->most_runs = MOST_RUNS;
}

/* Nothing is fetched ahead. */
static void make_bare(struct trial *trial, enum size size)
{
	struct machine_model *model = &trial->model;

	make_common(trial, size);
	for (unsigned level = 0; level < MODEL_LEVELS; level++)
		model->cache[level].next_line = model->cache[level].strides = false;
	model->cache[0].replacement = MODEL_LRU;
	if (trial->parts & SIMULATE_CLASSES)
		trial->parts ^= SIMULATE_CLASSES | SIMULATE_PRIVATE_CLASSES;
}

/* Lines that can be sampled: sampling.h. */
static void make_sampled(struct trial *trial)
{
	struct machine_model *model = &trial->model;

	if (model->cache[2].bytes) {
		random_size(&model->cache[2], 64ull << pick(6), 16);
		make_room(&model->cache[2], inner(model));
	}
	model->cache[0].strides |= model->cache[1].strides || model->cache[2].strides;
	if (simulator_sparsest(model) > 1)
		trial->one_in = chance(50) && simulator_sparsest(model) >= 8
					? simulator_sparsest(model) / 2
					: simulator_sparsest(model);
	if (simulator_sparsest(model) <= 1 || chance(50))
		return;
	trial->thinned = trial->one_in; /* later, and more before */
	trial->one_in = trial->thinned >= 8 && chance(50) ? trial->thinned / 2 : 1;
	trial->thin_before = 1 + (uint32_t)pick(WINDOWS - 1);
}

static struct trial random_trial(uint64_t seed, enum size size, enum kind kind)
{
	static const uint64_t most[] = { 60, 2000, 400 };
	struct trial trial = { .seed = seed,
			       .one_in = 1,
			       .jobs = seed % 5,
			       .chunk = 100 + (uint32_t)(seed * 37 % 900) };

	seed_with(seed);
	trial.model = random_machine(size);
	trial.threads = chance(70) ? trial.model.cores : 1 + (uint32_t)pick(trial.model.cores);
	trial.parts = chance(70) ? ALL_PARTS : (unsigned)pick(ALL_PARTS + 1);
	if (trial.parts & SIMULATE_CLASSES && seed % 3 == 0)
		trial.parts ^= SIMULATE_CLASSES | SIMULATE_PRIVATE_CLASSES;
	trial.overflowed = kind == CROWDED;
	if (kind == PLAIN || kind == CROWDED)
		make_plain(&trial, size);
	else if (kind == USUAL || (kind == SAMPLED && chance(20)))
		make_common(&trial, size);
	else if (kind == BARE)
		make_bare(&trial, size);
	if (kind == SAMPLED)
		make_sampled(&trial);
	check_machine(&trial.model);
	trial.nr = 10 + (uint32_t)pick(size ? 60 : 120);
	trial.non_temporal = chance(60) ? 0 : 1 + (uint32_t)pick(40);
	trial.groups = calloc(trial.nr, sizeof(*trial.groups));
	CHECK(trial.groups != NULL);
	for (uint32_t i = 0; i < trial.nr; i++)
		trial.groups[i] = random_group(&trial, most[size]);
	for (uint32_t i = 0; i < WINDOWS; i++) {
		trial.cleared[i] = i && chance(20);
		trial.marked[i] = i && trial.seed % 2 && trial.model.nodes > 1;
		trial.placed[i].done = chance(30);
		trial.placed[i].address = random_address(&trial, 0);
		trial.placed[i].bytes = pick(3 * trial.model.page);
		trial.placed[i].node = (uint32_t)pick(trial.model.nodes);
	}
	return trial;
}

/* -- running a trial */

static void run_window(struct both *both, const struct trial *trial, uint32_t window)
{
	struct script scripts[SIMULATOR_MAX_THREADS];
	struct stride_run *runs = malloc((trial->nr + 1) * MOST_RUNS * sizeof(*runs));
	size_t nr = 0;

	CHECK(runs != NULL);
	for (uint32_t thread = 0; thread < trial->threads; thread++) {
		scripts[thread] = (struct script){ .runs = runs + nr,
						   .by_groups = trial->seed % 2 };
		for (uint32_t i = 0; i < trial->nr; i++) {
			const struct group *group = &trial->groups[i];

			if (group->window != window || group->thread != thread)
				continue;
			memcpy(runs + nr, group->runs, group->nr * sizeof(*runs));
			nr += group->nr;
		}
		scripts[thread].nr = (size_t)(runs + nr - scripts[thread].runs);
	}
	both_window(both, scripts);
	free(runs);
}

struct totals {
	uint64_t numbers[SIMULATED_NUMBERS];
};

static void add_up(struct both *both, struct totals *totals)
{
	for (uint32_t thread = 0; totals && thread < both->threads; thread++)
		for (uint32_t slot = 0; slot < both->slots; slot++)
			for (size_t i = 0; i < SIMULATED_NUMBERS; i++)
				totals->numbers[i] += simulated_number(
					reference_counters(both->plain, thread, slot), i);
}

/* Lines by the nodes that they come to, and that they come from. */
struct node_lines {
	uint64_t to[MODEL_NODES], from[MODEL_NODES];
};

/* As pages count them. */
static void add_page(void *ctx, uint64_t address, uint32_t home, uint32_t from, uint64_t lines)
{
	struct node_lines *all = ctx;

	(void)address;
	CHECK(home < MODEL_NODES && from < MODEL_NODES);
	all->to[from] += lines;
	all->from[home] += lines;
}

/* As counters have them. */
static void add_counted(const struct both *both, const struct trial *trial, uint32_t thread,
			uint32_t slot, struct node_lines *all)
{
	const struct simulator_counters *of = simulator_counters(both->fast, thread, slot);
	uint64_t from[MODEL_NODES];

	all->to[thread / (trial->model.cores / trial->model.nodes)] += of->dram_local +
								       of->dram_remote +
								       of->dram_prefetches;
	CHECK(simulator_node_lines(both->fast, thread, slot, 0, from));
	for (uint32_t node = 0; node < trial->model.nodes; node++)
		all->from[node] += from[node];
}

static bool has_uncounted(const struct trial *trial)
{
	for (uint32_t i = 0; i < trial->nr; i++)
		for (size_t run = 0; run < trial->groups[i].nr; run++)
			if (trial->groups[i].runs[run].slot >= SLOTS)
				return true;
	return false;
}

/* Pages have the lines that the counters have. */
static void check_pages(const struct both *both, const struct trial *trial)
{
	struct node_lines lines = { 0 }, counted = { 0 };

	if (!(both->parts & SIMULATE_PAGES) || trial->one_in > 1 || trial->thinned ||
	    has_uncounted(trial))
		return;
	simulator_each_page(both->fast, add_page, &lines);
	for (uint32_t thread = 0; thread < both->threads; thread++)
		for (uint32_t slot = 0; slot < both->slots; slot++)
			add_counted(both, trial, thread, slot, &counted);
	for (uint32_t node = 0; node < trial->model.nodes; node++) {
		CHECK_INT(lines.to[node], counted.to[node]);
		CHECK_INT(lines.from[node], counted.from[node]);
	}
}

static bool differs(const struct trial *trial, struct simulated_difference *difference_out,
		    struct totals *totals)
{
	bool found = false;
	struct both both;

	CHECK(both_init(&both, &trial->model, trial->threads, SLOTS,
			trial->parts |
				(trial->model.nodes > 1 && trial->seed % 2 ? SIMULATE_PAGES : 0)));
	if (trial->jobs)
		CHECK(simulator_use_threads(both.fast, trial->jobs));
	stages_cut(both.fast, trial->chunk);
	if (trial->one_in > 1)
		both_sample(&both, &trial->model, trial->one_in);
	for (uint32_t window = 0; window < WINDOWS && !found; window++) {
		if (trial->placed[window].done)
			both_place(&both, trial->placed[window].address,
				   trial->placed[window].bytes, trial->placed[window].node);
		if (trial->marked[window])
			both_mark_pages(&both);
		if (trial->cleared[window])
			both_clear(&both);
		if (trial->thinned && trial->thin_before == window)
			both_thin(&both, &trial->model, trial->thinned);
		run_window(&both, trial, window);
		found = both_differ(&both, difference_out);
		check_pages(&both, trial);
	}
	CHECK_INT(simulator_lost(both.fast), 0);
	add_up(&both, totals);
	both_release(&both);
	return found;
}

/* -- a failing trial, made smaller */

/* Without groups [from, from + nr), if it fails then, too. */
static bool without(struct trial *trial, uint32_t from, uint32_t nr)
{
	struct simulated_difference difference;
	struct trial smaller = *trial;

	smaller.groups = malloc((trial->nr + 1) * sizeof(*smaller.groups));
	CHECK(smaller.groups != NULL);
	memcpy(smaller.groups, trial->groups, from * sizeof(*smaller.groups));
	memcpy(smaller.groups + from, trial->groups + from + nr,
	       (trial->nr - from - nr) * sizeof(*smaller.groups));
	smaller.nr = trial->nr - nr;
	if (!differs(&smaller, &difference, NULL)) {
		free(smaller.groups);
		return false;
	}
	free(trial->groups);
	*trial = smaller;
	return true;
}

static bool halve_times(struct trial *trial, struct group *group)
{
	struct simulated_difference difference;
	struct group before = *group;

	for (uint32_t i = 0; i < group->nr; i++)
		group->runs[i].times /= 2;
	if (differs(trial, &difference, NULL))
		return before.runs[0].times != 0;
	*group = before;
	return false;
}

static bool drop_run(struct trial *trial, struct group *group)
{
	struct simulated_difference difference;
	struct group before = *group;

	if (group->nr < 2)
		return false;
	group->nr--;
	memmove(group->runs, group->runs + 1, group->nr * sizeof(*group->runs));
	group->runs[0].group = (uint8_t)group->nr;
	if (differs(trial, &difference, NULL))
		return true;
	*group = before;
	return false;
}

static void shrink(struct trial *trial)
{
	for (uint32_t part = trial->nr / 2 + 1; part; part /= 2)
		for (uint32_t from = 0; from + part <= trial->nr;)
			if (!without(trial, from, part))
				from += part;
	for (uint32_t i = 0; i < trial->nr; i++) {
		while (halve_times(trial, &trial->groups[i]) || drop_run(trial, &trial->groups[i]))
			;
	}
}

static void print_group(const struct group *group)
{
	for (uint32_t i = 0; i < group->nr; i++) {
		const struct stride_run *run = &group->runs[i];

		printf("  window %u thread %u: %s%s %#llx stride %lld × %llu, %u bytes, slot %u, site %u, group %u\n",
		       group->window, group->thread,
		       run->non_temporal ? "non-temporal write"
		       : run->write      ? "write"
					 : "read",
		       run->is_float ? " float" : "", (unsigned long long)run->address,
		       (long long)run->stride, (unsigned long long)run->times, run->bytes,
		       run->slot, run->site, run->group);
	}
}

static void explain(struct trial *trial, enum size size)
{
	struct simulated_difference difference;

	shrink(trial);
	printf("seed %llu (%s machine, %u threads, parts %u, one line in %u, %u jobs, chunks of %u), made smaller:\n",
	       (unsigned long long)trial->seed, size_names[size], trial->threads, trial->parts,
	       trial->one_in, trial->jobs, trial->chunk);
	print_machine(&trial->model);
	if (trial->thinned)
		printf("  before window %u: one line in %u\n", trial->thin_before, trial->thinned);
	for (uint32_t i = 0; i < WINDOWS; i++)
		if (trial->placed[i].done || trial->cleared[i])
			printf("  before window %u: place %#llx %llu on %u (%d), clear %d\n", i,
			       (unsigned long long)trial->placed[i].address,
			       (unsigned long long)trial->placed[i].bytes, trial->placed[i].node,
			       trial->placed[i].done, trial->cleared[i]);
	for (uint32_t i = 0; i < trial->nr; i++)
		print_group(&trial->groups[i]);
	if (differs(trial, &difference, NULL))
		both_print(&difference);
}

/*
 * Both count the same for these seeds, a third of them in a sample. Returns the sums of all
 * counters.
 */
static struct totals try_seeds(uint64_t first, uint64_t all, enum size size, enum kind kind)
{
	const char *asked = getenv("SIMULATOR_SEEDS");
	uint64_t nr = test_sample((all + 2) / 3, all);
	struct simulated_difference difference;
	struct totals totals = { { 0 } };

	if (asked && sscanf(asked, "%llu %llu", (unsigned long long *)&first,
			    (unsigned long long *)&nr) != 2)
		test_fail(__FILE__, __LINE__, "SIMULATOR_SEEDS=\"FIRST NUMBER\"");
	for (uint64_t seed = first; seed < first + nr; seed++) {
		struct trial trial = random_trial(seed, size, kind);

		if (differs(&trial, &difference, &totals)) {
			explain(&trial, size);
			test_fail(__FILE__, __LINE__, "the simulator and the plain one differ");
		}
		free(trial.groups);
	}
	printf("%llu accesses on %llu machines\n",
	       (unsigned long long)(totals.numbers[0] + totals.numbers[1]), (unsigned long long)nr);
	return totals;
}

/* Everything that can be counted was: no counter agrees because nothing ever happened. */
TEST(simulator_random__tiny_machines)
{
	struct totals totals = try_seeds(1, 600, TINY, ANY);

	for (size_t i = 0; i < SIMULATED_NUMBERS; i++)
		if (!totals.numbers[i] && !getenv("SIMULATOR_SEEDS"))
			test_fail(__FILE__, __LINE__, "no %s in all of the trials",
				  simulated_names[i]);
}

TEST(simulator_random__small_machines)
{
	struct totals totals = try_seeds(1, 20, SMALL, ANY);

	CHECK_THAT(totals.numbers[0], >, 0);
	CHECK_THAT(totals.numbers[1], >, 0);
}

TEST(simulator_random__real_machines)
{
	struct totals totals = try_seeds(1, 30, REAL, ANY);

	CHECK_THAT(totals.numbers[0], >, 0);
	CHECK_THAT(totals.numbers[1], >, 0);
}

TEST(simulator_random__plain_machines)
{
	CHECK_THAT(try_seeds(1, 300, TINY, PLAIN).numbers[0], >, 0);
	CHECK_THAT(try_seeds(1, 20, SMALL, PLAIN).numbers[0], >, 0);
	CHECK_THAT(try_seeds(1, 20, REAL, PLAIN).numbers[1], >, 0);
}

TEST(simulator_random__plain_machines_with_large_groups)
{
	CHECK_THAT(try_seeds(1, 15, SMALL, CROWDED).numbers[0], >, 0);
	CHECK_THAT(try_seeds(1, 15, REAL, CROWDED).numbers[1], >, 0);
}

TEST(simulator_random__usual_machines)
{
	struct totals tiny = try_seeds(1, 300, TINY, USUAL), small = try_seeds(1, 25, SMALL, USUAL),
		      real = try_seeds(1, 25, REAL, USUAL);

	CHECK(tiny.numbers[0] > 0 && small.numbers[0] > 0 && real.numbers[0] > 0);
}

TEST(simulator_random__machines_without_prefetchers)
{
	struct totals tiny = try_seeds(1, 400, TINY, BARE), small = try_seeds(1, 40, SMALL, BARE),
		      real = try_seeds(1, 40, REAL, BARE);

	CHECK(tiny.numbers[0] > 0 && small.numbers[0] > 0 && real.numbers[0] > 0);
}

/* Pages that several nodes use stay in the caches of all but tiny machines. */
static bool of_marked(size_t number)
{
	size_t offset = number * sizeof(uint64_t);

	return offset == offsetof(struct simulator_counters, shared_lines) ||
	       offset == offsetof(struct simulator_counters, split_remote);
}

/* One line in a few, on machines large enough for it. */
TEST(simulator_random__sampled_machines)
{
	struct totals totals = try_seeds(1, 30, SMALL, SAMPLED),
		      more = try_seeds(1, 40, REAL, SAMPLED);

	for (size_t i = 0; i < SIMULATED_NUMBERS; i++)
		if (totals.numbers[i] + more.numbers[i] == 0 && !of_marked(i) &&
		    !getenv("SIMULATOR_SEEDS"))
			test_fail(__FILE__, __LINE__, "no %s in all of the trials",
				  simulated_names[i]);
}
