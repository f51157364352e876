/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated PMU: made, run and read. */
#include "analysis/simulator/simulator.h"

#include <errno.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/machine/model_check.h"
#include "analysis/simulator/schedule.h"
#include "analysis/simulator/stages.h"
#include "analysis/simulator/state.h"
#include "analysis/simulator/fast_path.h"
#include "analysis/simulator/utilisation.h"

/* of one cache: enough for 80 MiB of accessed memory */
#define HISTORY_LEAST ((size_t)1 << 20)
/* share of the history's budget for pages: 700 MiB of accessed memory */
#define PAGE_BYTES ((size_t)8 << 20)

static bool has_level(const struct simulator *simulator, unsigned level)
{
	return simulator->model.cache[level].bytes;
}

static bool level_init(struct simulator *simulator, struct cache *cache, unsigned level,
		       uint32_t number)
{
	const struct model_cache *model = &simulator->model.cache[level];
	struct cache_needs needs = {
		.shadow = simulator->classified >> level & 1,
		.uses = simulator->parts & SIMULATE_UTILISATION && level <= simulator->last_private,
		.outer = level <= simulator->last_private,
		.guesses = level == L1 ||
			   (level == L2 && simulator->model.cache[L1].float_bypasses),
	};

	cache->number = number;
	return cache_init(cache, &simulator->space, model->bytes / model->line, model->ways,
			  model->line, model->replacement, needs);
}

static bool tlbs_init(struct simulator *simulator, struct core *core)
{
	for (unsigned level = 0; level < 2; level++) {
		const struct model_tlb *tlb = &simulator->model.tlb[level];
		struct cache_needs needs = { .guesses = true };

		if (tlb->entries && !cache_init(&core->tlb[level], &simulator->space, tlb->entries,
						tlb->ways, simulator->model.page, MODEL_LRU, needs))
			return false;
	}
	return true;
}

static bool strides_init(struct simulator *simulator, struct core *core)
{
	for (unsigned level = L1; level < MODEL_LEVELS; level++) {
		if (!has_level(simulator, level) || !simulator->model.cache[level].strides)
			continue;
		core->strides[level] = arena_alloc(simulator->arena,
						   SIMULATOR_STRIDES * sizeof(struct stride_row));
		if (!core->strides[level])
			return false;
	}
	return true;
}

static bool caches_init(struct simulator *simulator, struct core *core, uint32_t number)
{
	for (unsigned level = L1; level <= simulator->last_private; level++) {
		if (!level_init(simulator, &core->caches[level], level,
				level * simulator->threads + number))
			return false;
		core->levels[level] = &core->caches[level];
	}
	core->runs_in_way = space_take(&simulator->space,
				       core->levels[L1]->lines * sizeof(*core->runs_in_way));
	if (!core->runs_in_way)
		return false;
	if (simulator->nr_l3) {
		core->l3 = number / simulator->model.cache[L3].cores;
		core->levels[L3] = &simulator->l3s[core->l3];
	}
	return tlbs_init(simulator, core) && strides_init(simulator, core);
}

/* Of the lines by node of that many counters. */
static size_t node_bytes(const struct simulator *simulator, size_t counters)
{
	return counters * simulator->model.nodes * sizeof(uint64_t);
}

bool core_counts(struct simulator *simulator, struct core *core)
{
	size_t slots = (size_t)simulator->slots + 1,
	       bytes = slots * simulator->sampling.entries * sizeof(*core->counters);

	if (core->counters)
		return true;
	core->remotely_written = core->remotely_written
					 ? core->remotely_written
					 : arena_alloc(simulator->arena,
						       slots * sizeof(*core->remotely_written));
	core->counters = core->remotely_written ? arena_alloc(simulator->arena, bytes) : NULL;
	core->outer_counters = core->counters && simulator->stages
				       ? arena_alloc(simulator->arena, bytes)
				       : core->counters;
	core->node_lines = core->outer_counters && simulator->pages.counts
				   ? arena_alloc(simulator->arena,
						 node_bytes(simulator,
							    slots * simulator->sampling.entries))
				   : NULL;
	if (!core->outer_counters || (simulator->pages.counts && !core->node_lines))
		core->counters = NULL;
	simulator->uncounted += !core->counters;
	return core->counters;
}

static bool core_init(struct simulator *simulator, struct core *core, uint32_t number)
{
	const struct machine_model *model = &simulator->model;

	core->number = number;
	core->node = number / (model->cores / model->nodes);
	return caches_init(simulator, core, number);
}

static bool l3s_init(struct simulator *simulator)
{
	simulator->l3s = arena_alloc(simulator->arena,
				     (simulator->nr_l3 + 1) * sizeof(*simulator->l3s));
	for (uint32_t l3 = 0; simulator->l3s && l3 < simulator->nr_l3; l3++)
		if (!level_init(simulator, &simulator->l3s[l3], L3, 2 * simulator->threads + l3))
			return false;
	return simulator->l3s;
}

static void set_sizes(struct simulator *simulator)
{
	const struct machine_model *model = &simulator->model;
	unsigned outermost = has_level(simulator, L3) ? L3 : has_level(simulator, L2) ? L2 : L1;

	for (unsigned level = L1; level < MODEL_LEVELS; level++) {
		simulator->next_line |= has_level(simulator, level) &&
					model->cache[level].next_line;
		simulator->strides |= has_level(simulator, level) && model->cache[level].strides;
	}
	simulator->fast_path = fast_path_applies(simulator);
	simulator->shared = simulator->threads > 1;
	simulator->last_private = has_level(simulator, L2) ? L2 : L1;
	if (simulator->parts & SIMULATE_CLASSES)
		simulator->classified = (1u << MODEL_LEVELS) - 1;
	else if (simulator->parts & SIMULATE_PRIVATE_CLASSES)
		simulator->classified = 1u << L1 | 1u << simulator->last_private;
	simulator->common = fast_path_is_common(simulator);
	simulator->nr_l3 = outermost == L3 ? (simulator->threads - 1) / model->cache[L3].cores + 1
					   : 0;
	simulator->piece_shift = (uint32_t)__builtin_ctz(model->cache[L1].line);
	simulator->coherence_shift = (uint32_t)__builtin_ctz(model->cache[outermost].line);
	simulator->page_shift = (uint32_t)__builtin_ctz(model->page);
	simulator->prefetch_shift = model->prefetch_page
					    ? (uint32_t)__builtin_ctz(model->prefetch_page)
					    : simulator->page_shift;
	simulator->part_shift = simulator->prefetch_shift;
	simulator->page_budget = model->nodes > 1 ? PAGE_BYTES : 0;
	simulator->history_budget = SIMULATOR_HISTORY - simulator->page_budget;
	simulator->defers = outer_applies(simulator);
}

static bool parts_init(struct simulator *simulator)
{
	simulator->cores = arena_alloc(simulator->arena,
				       simulator->threads * sizeof(*simulator->cores));
	simulator->schedule = schedule_new(simulator->arena, simulator->threads);
	simulator->runners = runners_new(simulator->arena, simulator->threads);
	if (!simulator->cores || !simulator->schedule || !simulator->runners ||
	    !l3s_init(simulator) || !directory_init(simulator))
		return false;
	if (simulator->shared)
		remote_writes_init(&simulator->remote_writes, simulator->coherence_shift,
				   simulator->threads, &simulator->history_budget);
	for (uint32_t thread = 0; thread < simulator->threads; thread++)
		if (!core_init(simulator, &simulator->cores[thread], thread))
			return false;
	return true;
}

/* Calls back for each cache of all cores and L3s. */
#define FOR_CACHES(simulator, cache) \
	for (uint32_t holder_ = 0, level_ = L1; \
	     (cache = next_cache(simulator, &holder_, &level_)) != NULL;)

static struct cache *next_cache(const struct simulator *simulator, uint32_t *holder,
				uint32_t *level)
{
	if (*holder >= simulator->threads + simulator->nr_l3)
		return NULL;
	if (*holder >= simulator->threads)
		return &simulator->l3s[(*holder)++ - simulator->threads];
	if (*level < simulator->last_private)
		return &simulator->cores[*holder].caches[(*level)++];
	*level = L1;
	return &simulator->cores[(*holder)++].caches[simulator->last_private];
}

static void init_histories(struct simulator *simulator)
{
	size_t nr = 0, each;
	struct cache *cache;

	FOR_CACHES(simulator, cache)
	nr += cache->log != NULL;
	each = nr ? simulator->history_budget / nr : 0;
	FOR_CACHES(simulator, cache)
	if (cache->log)
		eviction_history_init(&cache->history, each > HISTORY_LEAST ? each : HISTORY_LEAST);
}

static void release_histories(struct simulator *simulator)
{
	struct cache *cache;

	if (!simulator->cores || !simulator->l3s)
		return;
	FOR_CACHES(simulator, cache)
	lookup_release(&cache->history.rows);
}

static size_t history_bytes(const struct simulator *simulator)
{
	struct cache *cache;
	size_t bytes = 0;

	FOR_CACHES(simulator, cache)
	bytes += lookup_bytes(&cache->history.rows);
	return bytes;
}

/* Lines and accesses dropped by full tables, except the table of pages, which may be in use. */
static uint64_t history_lost(const struct simulator *simulator)
{
	uint64_t lost = simulator->lost + simulator->uncounted;
	struct cache *cache;

	FOR_CACHES(simulator, cache)
	lost += cache->history.lost;
	return lost;
}

static bool can_be_simulated(const struct machine_model *model, uint32_t threads)
{
	struct arena *arena = arena_new();
	bool fine = arena && !model_check(arena, model) && threads && threads <= model->cores;

	errno = arena ? EINVAL : ENOMEM;
	arena_free(arena);
	return fine;
}

struct simulator *simulator_new(const struct machine_model *model, uint32_t threads, uint32_t slots,
				unsigned parts)
{
	struct simulator *simulator;
	struct arena *arena;

	if (!can_be_simulated(model, threads) || !(arena = arena_new()))
		return NULL;
	simulator = arena_alloc(arena, sizeof(*simulator));
	if (!simulator) {
		arena_free(arena);
		return NULL;
	}
	simulator->model = *model;
	simulator->arena = arena;
	simulator->threads = threads;
	simulator->slots = slots;
	simulator->parts = parts;
	sampling_init(&simulator->sampling, model, 1);
	set_sizes(simulator);
	pages_init(&simulator->pages, model->nodes, model->interleave,
		   simulator->page_shift - simulator->part_shift, &simulator->page_budget);
	simulator->pages.counts = parts & SIMULATE_PAGES;
	if (parts_init(simulator)) {
		init_histories(simulator);
		return simulator;
	}
	simulator_free(simulator);
	errno = ENOMEM;
	return NULL;
}

bool simulator_use_threads(struct simulator *simulator, uint32_t jobs)
{
	if (!simulator->stages)
		simulator->stages = stages_new(simulator, jobs ? jobs : 1);
	return simulator->stages;
}

void simulator_free(struct simulator *simulator)
{
	if (!simulator)
		return;
	stages_free(simulator);
	directory_release(simulator);
	release_histories(simulator);
	pages_release(&simulator->pages);
	remote_writes_release(&simulator->remote_writes);
	space_release(&simulator->space);
	arena_free(simulator->arena);
}

size_t simulator_memory(const struct simulator *simulator)
{
	return arena_bytes(simulator->arena) + simulator->space.bytes +
	       directory_bytes(&simulator->directory) + history_bytes(simulator) +
	       lookup_bytes(&simulator->pages.homes) + lookup_bytes(&simulator->pages.lines) +
	       remote_writes_bytes(&simulator->remote_writes);
}

void simulator_place(struct simulator *simulator, uint64_t address, uint64_t bytes, uint32_t node)
{
	uint64_t first = address >> simulator->page_shift,
		 last = (address + bytes - 1) >> simulator->page_shift;

	if (bytes && (node < simulator->model.nodes || node == SIMULATOR_EVERYWHERE) &&
	    simulator->model.nodes > 1)
		stages_place(simulator, first, last, node);
}

/* A shadow cache of the sampled sets. */
static void sample_shadow(const struct simulator *simulator, struct cache *cache)
{
	cache->shadow_lines = cache->lines / (simulator->sampling.mask + 1) *
			      sampling_looked_at(&simulator->sampling);
	if (cache->log)
		cache_trim_shadow(cache);
}

static void sample_shadows(struct simulator *simulator)
{
	for (uint32_t thread = 0; thread < simulator->threads; thread++)
		for (unsigned level = L1; level <= simulator->last_private; level++)
			sample_shadow(simulator, &simulator->cores[thread].caches[level]);
	for (uint32_t l3 = 0; l3 < simulator->nr_l3; l3++)
		sample_shadow(simulator, &simulator->l3s[l3]);
}

bool simulator_sample(struct simulator *simulator, uint32_t one_in)
{
	if (!sampling_init(&simulator->sampling, &simulator->model, one_in))
		return false;
	simulator->defers = outer_applies(simulator);
	if (one_in > 1)
		sample_shadows(simulator);
	return true;
}

bool simulator_thin(struct simulator *simulator, uint32_t one_in)
{
	struct sampling thinner;

	if (!sampling_init(&thinner, &simulator->model, one_in) ||
	    !sampling_is_within(&thinner, &simulator->sampling))
		return false;
	simulator_clear_counters(simulator);
	for (uint32_t thread = 0;
	     thinner.entries != simulator->sampling.entries && thread < simulator->threads;
	     thread++)
		simulator->cores[thread].counters = NULL; /* a slot has more of them now */
	simulator->sampling = thinner;
	simulator->defers = outer_applies(simulator);
	sample_shadows(simulator);
	return true;
}

uint32_t simulator_replicates(const struct simulator *simulator)
{
	return sampling_is_on(&simulator->sampling) ? SIMULATOR_REPLICATES : 1;
}

static bool run_now(void *ctx, const struct step *step)
{
	run_step(ctx, step);
	return true;
}

bool simulator_window(struct simulator *simulator, const struct simulator_trace *traces)
{
	uint64_t lost = history_lost(simulator);

	simulator->settled = false;
	schedule_begin(simulator, traces);
	if (simulator->stages)
		stages_run(simulator);
	else
		schedule_run(simulator, run_now, simulator);
	return history_lost(simulator) == lost;
}

/* Clears one core's counters, and the prefetched and fetched marks of its lines. */
static void clear_core(struct simulator *simulator, struct core *core)
{
	struct cache *cache = core->levels[simulator->last_private];

	memset(core->counters, 0, core->used_counters * sizeof(*core->counters));
	memset(core->outer_counters, 0, core->used_counters * sizeof(*core->counters));
	memset(core->remotely_written, 0,
	       core->used_remotely_written * sizeof(*core->remotely_written));
	if (core->node_lines)
		memset(core->node_lines, 0, node_bytes(simulator, core->used_counters));
	core->used_counters = core->used_remotely_written = 0;
	for (uint32_t way = 0; way < cache->lines; way++)
		cache->states[way] &= (uint8_t)~LINE_PREFETCHED;
	if (simulator->parts & SIMULATE_UTILISATION)
		utilisation_forget(cache);
}

void simulator_clear_counters(struct simulator *simulator)
{
	stages_wait(simulator);
	for (uint32_t thread = 0; thread < simulator->threads; thread++)
		if (simulator->cores[thread].used_counters)
			clear_core(simulator, &simulator->cores[thread]);
	pages_clear(&simulator->pages);
}

/* Adds the counters of outer.c to the core's `counters`. */
static void add_outer(const struct core *core)
{
	uint64_t *to = (uint64_t *)core->counters, *from = (uint64_t *)core->outer_counters;
	size_t nr = core->used_counters * sizeof(*core->counters) / sizeof(*to);

	for (size_t i = 0; i < nr; i++)
		to[i] += from[i];
	memset(from, 0, nr * sizeof(*from));
}

/* Adds counters that are kept separately until they are read. */
static void settle(struct simulator *simulator)
{
	stages_wait(simulator);
	if (simulator->parts & SIMULATE_UTILISATION)
		utilisation_settle(simulator);
	for (uint32_t thread = 0; thread < simulator->threads; thread++) {
		struct core *core = &simulator->cores[thread];

		if (core->outer_counters != core->counters)
			add_outer(core);
		for (uint32_t slot = 0; slot < core->used_remotely_written; slot++)
			core->counters[slot * simulator->sampling.entries].remotely_written +=
				core->remotely_written[slot];
		if (core->remotely_written)
			memset(core->remotely_written, 0,
			       core->used_remotely_written * sizeof(*core->remotely_written));
	}
	simulator->settled = true;
}

const struct simulator_counters *simulator_counters(struct simulator *simulator, uint32_t thread,
						    uint32_t slot)
{
	static const struct simulator_counters none;

	if (thread >= simulator->threads || slot >= simulator->slots)
		return NULL;
	if (!simulator->settled)
		settle(simulator);
	return simulator->cores[thread].counters
		       ? &simulator->cores[thread].counters[slot * simulator->sampling.entries]
		       : &none;
}

/* Estimates a count of all lines from the sampled ones of a replicate. */
static uint64_t all_lines(const struct sampling *sampling, uint64_t counted)
{
	return (counted * sampling->groups + sampling->runs / 2) / sampling->runs;
}

bool simulator_estimate(struct simulator *simulator, uint32_t thread, uint32_t slot,
			uint32_t replicate, struct simulator_counters *out)
{
	const struct simulator_counters *counters = simulator_counters(simulator, thread, slot);
	const struct sampling *sampling = &simulator->sampling;
	const uint64_t *counted;
	uint64_t *all = (uint64_t *)out;

	if (!counters || replicate >= simulator_replicates(simulator))
		return false;
	*out = *counters;
	if (!sampling_is_on(sampling) || !simulator->cores[thread].counters)
		return true;
	counted = (const uint64_t *)&counters[1 + replicate];
	for (size_t i = 0; i < sizeof(*out) / sizeof(*all); i++)
		all[i] += all_lines(sampling, counted[i]);
	return true;
}

bool simulator_node_lines(struct simulator *simulator, uint32_t thread, uint32_t slot,
			  uint32_t replicate, uint64_t *lines_out)
{
	const struct sampling *sampling = &simulator->sampling;
	uint32_t nodes = simulator->model.nodes;
	const uint64_t *lines;

	if (!simulator->pages.counts || !simulator_counters(simulator, thread, slot) ||
	    replicate >= simulator_replicates(simulator))
		return false;
	memset(lines_out, 0, nodes * sizeof(*lines_out));
	lines = simulator->cores[thread].node_lines;
	if (!lines)
		return true;
	lines += (size_t)slot * sampling->entries * nodes;
	for (uint32_t node = 0; node < nodes; node++)
		lines_out[node] = lines[node] +
				  (sampling_is_on(sampling)
					   ? all_lines(sampling,
						       lines[(1 + replicate) * nodes + node])
					   : 0);
	return true;
}

void simulator_mark_pages(struct simulator *simulator)
{
	stages_wait(simulator);
	pages_mark(&simulator->pages);
}

struct simulator_pages simulator_pages(const struct simulator *simulator)
{
	return (struct simulator_pages){ simulator->pages.accessed, simulator->pages.placed };
}

struct each_page {
	const struct simulator *simulator;
	simulator_page *visit;
	void *ctx;
};

static void visit_page(void *ctx, uint64_t page, uint32_t home, uint32_t from, uint64_t lines)
{
	const struct each_page *each = ctx;

	each->visit(each->ctx, page << each->simulator->page_shift, home, from, lines);
}

void simulator_each_page(struct simulator *simulator, simulator_page *visit, void *ctx)
{
	struct each_page each = { simulator, visit, ctx };

	stages_wait(simulator);
	pages_each(&simulator->pages, visit_page, &each);
}

uint64_t simulator_lost(struct simulator *simulator)
{
	stages_wait(simulator);
	return history_lost(simulator) + simulator->outer.lost;
}
