/* SPDX-License-Identifier: Apache-2.0 */
/* Misses of a machine that is nothing but an L1 and an L2. */
#include "ompt_tool/simulator/plain.h"

static bool is_plain(const struct model_cache *cache)
{
	return cache->bytes && cache->replacement == MODEL_LRU && !cache->write_around && !cache->write_through && !cache->float_bypasses;
}

bool plain_applies(const struct simulator *simulator)
{
	const struct machine_model *model = &simulator->model;

	return !simulator->shared && !simulator->parts && !simulator->next_line && !simulator->strides && !model->cache[L3].bytes &&
	       is_plain(&model->cache[L1]) && is_plain(&model->cache[L2]);
}

/* Its latency. */
static uint32_t from_memory(struct simulator *simulator, struct core *core, uint64_t address, bool write, struct simulator_counters *counters)
{
	const struct machine_model *model = &simulator->model;
	uint32_t node = pages_node(&simulator->pages, address >> simulator->page_shift, core->node, &simulator->lost);

	++*(write ? &counters->write_misses[L2] : &counters->read_misses[L2]);
	++*(node == core->node ? &counters->dram_local : &counters->dram_remote);
	if (model->distances[0][0])
		return model->distances[core->node][node];
	return node == core->node ? model->memory_latency : model->remote_latency;
}

static void enter_l2(struct cache *l2, uint64_t line, struct simulator_counters *counters)
{
	uint32_t way = cache_oldest(l2, line);

	counters->write_backs += l2->states[way] & LINE_DIRTY;
	plain_fill(l2, way, line, LINE_OWNED);
}

/* L2 delivers the line, if need be from memory: its latency. */
static uint32_t from_l2(struct simulator *simulator, struct core *core, uint64_t address, bool write, struct simulator_counters *counters)
{
	struct cache *l2 = core->levels[L2];
	uint64_t line = address >> l2->shift;
	uint32_t way = cache_find(l2, line), latency;

	if (way != NO_WAY) {
		plain_touch(l2, way);
		return simulator->model.cache[L2].latency;
	}
	latency = from_memory(simulator, core, address, write, counters);
	enter_l2(l2, line, counters);
	return latency;
}

/* L2 takes what L1 displaces. */
static void write_out(struct cache *l1, uint32_t way, struct cache *l2, struct simulator_counters *counters)
{
	uint32_t outer = cache_find(l2, cache_line(l1, way) << l1->shift >> l2->shift);

	if (outer == NO_WAY)
		counters->write_backs++;
	else
		l2->states[outer] |= LINE_DIRTY;
}

void plain_miss(struct simulator *simulator, struct core *core, uint64_t address, bool write, struct simulator_counters *counters, uint32_t way)
{
	uint32_t latency = from_l2(simulator, core, address, write, counters), least = simulator->model.cache[L1].latency;
	struct cache *l1 = core->levels[L1];

	++*(write ? &counters->write_misses[L1] : &counters->read_misses[L1]);
	counters->cycles += latency > least ? latency - least : 0;
	if (l1->states[way] & LINE_DIRTY)
		write_out(l1, way, core->levels[L2], counters);
	plain_fill(l1, way, address >> l1->shift, write ? LINE_WRITABLE : LINE_OWNED);
}
