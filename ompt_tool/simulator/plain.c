/* SPDX-License-Identifier: Apache-2.0 */
/* A machine that is nothing but an L1 and an L2: its caches, and single accesses. */
#include "ompt_tool/simulator/plain.h"

#include "analysis/base/arena.h"
#include "ompt_tool/simulator/walk.h"

static bool is_plain(const struct model_cache *cache)
{
	return cache->bytes && cache->ways <= RECENCY_WAYS && cache->replacement == MODEL_LRU && !cache->write_around && !cache->write_through && !cache->float_bypasses;
}

bool plain_applies(const struct simulator *simulator)
{
	const struct machine_model *model = &simulator->model;

	return !simulator->shared && !simulator->parts && !simulator->next_line && !simulator->strides && !model->tlb[0].entries && !model->cache[L3].bytes &&
	       is_plain(&model->cache[L1]) && is_plain(&model->cache[L2]);
}

static bool cache_of(struct plain_cache *cache, struct space *space, const struct model_cache *model)
{
	uint64_t sets = model->bytes / model->line / model->ways;

	cache->shift = (uint32_t)__builtin_ctz(model->line);
	cache->set_mask = (uint32_t)sets - 1;
	cache->ways = model->ways;
	cache->latency = model->latency;
	cache->tags = space_take(space, sets * PLAIN_ROW * sizeof(*cache->tags));
	cache->marks = space_take(space, sets * PLAIN_ROW);
	cache->orders = space_take(space, sets * sizeof(*cache->orders));
	if (!cache->tags || !cache->marks || !cache->orders)
		return false;
	for (uint64_t set = 0; set < sets; set++)
		cache->orders[set] = RECENCY_BEGIN;
	return true;
}

bool plain_init(struct simulator *simulator)
{
	struct plain *plain = arena_alloc(simulator->arena, sizeof(*plain));

	simulator->plain = plain;
	if (!plain || !cache_of(&plain->l1, &simulator->space, &simulator->model.cache[L1]) || !cache_of(&plain->l2, &simulator->space, &simulator->model.cache[L2]))
		return false;
	plain->of = simulator;
	plain->outer = space_take(&simulator->space, ((size_t)plain->l1.set_mask + 1) * PLAIN_ROW * sizeof(*plain->outer));
	return plain->outer && plain_groups_init(plain);
}

/* ------------------------------------------------------------------ misses */

/* Its latency. */
static uint32_t from_memory(struct simulator *simulator, uint64_t address, struct simulator_counters *counters)
{
	const struct machine_model *model = &simulator->model;
	const struct core *core = &simulator->cores[0];
	uint32_t node = pages_node(&simulator->pages, address >> simulator->page_shift, core->node, &simulator->lost);

	++*(node == core->node ? &counters->dram_local : &counters->dram_remote);
	if (model->distances[0][0])
		return model->distances[core->node][node];
	return node == core->node ? model->memory_latency : model->remote_latency;
}

/* L2 delivers the line, if need be from memory. */
static inline uint32_t from_l2(struct plain *plain, uint64_t address, uint32_t *way_out, struct simulator_counters *counters)
{
	struct plain_cache *l2 = &plain->l2;
	uint64_t line = address >> l2->shift;
	uint32_t way = plain_find(l2, line);

	if (way != PLAIN_NO_WAY) {
		plain_touch(l2, *way_out = way);
		return l2->latency;
	}
	*way_out = way = plain_oldest(l2, plain_set(l2, line));
	counters->write_backs += l2->tags[way] & 1;
	plain_put(l2, way, line, false);
	return from_memory(plain->of, address, counters) | PLAIN_MISSED_L2;
}

/* L2 takes what L1 displaces, which lay there in it, as a rule. */
static inline void write_out(struct plain *plain, uint64_t tag, uint32_t outer, struct simulator_counters *counters)
{
	uint64_t line = (tag >> 1) - 1;

	if (plain->l2.tags[outer] >> 1 != (line << plain->l1.shift >> plain->l2.shift) + 1)
		outer = plain_find(&plain->l2, line << plain->l1.shift >> plain->l2.shift);
	if (outer == PLAIN_NO_WAY)
		counters->write_backs++;
	else
		plain->l2.tags[outer] |= 1;
}

uint32_t plain_fill(struct plain *plain, uint64_t address, bool write, uint32_t way, struct simulator_counters *counters)
{
	uint64_t tag = plain->l1.tags[way];
	uint32_t outer, met = from_l2(plain, address, &outer, counters);

	if (tag & 1)
		write_out(plain, tag, plain->outer[way], counters);
	plain->outer[way] = outer;
	plain_put(&plain->l1, way, address >> plain->l1.shift, write);
	return met;
}

static bool invalidate_line(struct plain_cache *cache, uint64_t line)
{
	uint32_t way = plain_find(cache, line);
	uint64_t *order, tag;

	if (way == PLAIN_NO_WAY)
		return false;
	order = &cache->orders[way >> PLAIN_ROW_SHIFT];
	*order = recency_drop(*order, cache->ways, way % PLAIN_ROW);
	tag = cache->tags[way];
	cache->tags[way] = 0;
	return tag & 1;
}

bool plain_invalidate(struct plain *plain, uint64_t address)
{
	uint64_t line = address >> plain->l2.shift, wider = plain->l2.shift - plain->l1.shift;
	bool dirty = invalidate_line(&plain->l2, line);

	for (uint64_t inner = line << wider; inner < (line + 1) << wider; inner++)
		dirty |= invalidate_line(&plain->l1, inner);
	return dirty;
}

void plain_count(const struct plain *plain, bool write, uint32_t met, struct simulator_counters *counters)
{
	uint64_t *misses = write ? counters->write_misses : counters->read_misses;
	uint32_t latency = met & ~PLAIN_MISSED_L2;

	misses[L1]++;
	misses[L2] += met / PLAIN_MISSED_L2;
	counters->cycles += latency > plain->l1.latency ? latency - plain->l1.latency : 0;
}

/* ------------------------------------------------------------------ single accesses */

static inline uint32_t access_line(struct plain *plain, uint64_t address, bool write, struct simulator_counters *counters)
{
	struct plain_cache *l1 = &plain->l1;
	uint64_t line = address >> l1->shift;
	uint32_t way = plain_find(l1, line);

	if (way == PLAIN_NO_WAY)
		return plain_fill(plain, address, write, plain_oldest(l1, plain_set(l1, line)), counters);
	plain_touch(l1, way);
	if (write)
		l1->tags[way] |= 1;
	return 0;
}

void plain_access(struct plain *plain, const struct simulator_walk *walk, uint64_t address, struct simulator_counters *counters)
{
	uint32_t shift = plain->l1.shift, met;
	uint64_t last = (address + walk->bytes - 1) >> shift;

	if (walk->non_temporal) {
		walk_access(plain->of, &plain->of->cores[0], walk, address);
		return;
	}
	met = access_line(plain, address, walk->write, counters);
	while (address >> shift != last) {
		address = ((address >> shift) + 1) << shift;
		met = plain_both(met, access_line(plain, address, walk->write, counters));
	}
	if (met)
		plain_count(plain, walk->write, met, counters);
}

static void run_group(struct simulator *simulator, const struct simulator_walk *group, uint32_t nr)
{
	struct simulator_counters *counters;

	for (uint32_t i = 0; i < nr; i++) {
		counters = walk_counters(simulator, &simulator->cores[0], &group[i]);
		*(group[i].write ? &counters->writes : &counters->reads) += group->times;
		if (group->times == 1)
			plain_access(simulator->plain, &group[i], group[i].address, counters);
	}
	if (group->times > 1)
		plain_group_run(simulator->plain, group, nr);
}

void plain_run(struct simulator *simulator, const struct simulator_trace *trace)
{
	const struct simulator_walk *walks;
	size_t nr;

	while ((nr = trace->next(trace->ctx, &walks)) > 0)
		for (size_t at = 0; at < nr; at += walks[at].group ? walks[at].group : 1)
			run_group(simulator, &walks[at], walks[at].group ? walks[at].group : 1);
}
