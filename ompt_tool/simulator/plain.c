/* SPDX-License-Identifier: Apache-2.0 */
/* A machine that is nothing but an L1 and an L2: its caches, and single accesses. */
#include "ompt_tool/simulator/plain.h"

#include "analysis/base/arena.h"
#include "ompt_tool/simulator/plain_levels.h"
#include "ompt_tool/simulator/walk.h"

#define FIRST_TIME (PLAIN_EMPTY / PLAIN_ROW + 1)

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
	return cache->tags && cache->marks;
}

static size_t places_of(const struct plain_cache *cache)
{
	return ((size_t)cache->set_mask + 1) * PLAIN_ROW;
}

static bool orders_init(struct plain *plain, struct space *space)
{
	size_t places = places_of(&plain->l1), sets = (size_t)plain->l2.set_mask + 1;

	plain->outer = space_take(space, places * sizeof(*plain->outer));
	plain->stamps = space_take(space, places * sizeof(*plain->stamps));
	plain->orders = space_take(space, sets * sizeof(*plain->orders));
	if (!plain->outer || !plain->stamps || !plain->orders)
		return false;
	for (size_t way = 0; way < places; way++)
		plain->stamps[way] = way % PLAIN_ROW < plain->l1.ways ? PLAIN_EMPTY + (int32_t)(way % PLAIN_ROW) : PLAIN_NEVER;
	for (size_t set = 0; set < sets; set++)
		plain->orders[set] = RECENCY_BEGIN;
	plain->clock = FIRST_TIME;
	return true;
}

bool plain_init(struct simulator *simulator)
{
	const struct machine_model *model = &simulator->model;
	struct plain *plain = arena_alloc(simulator->arena, sizeof(*plain));

	simulator->plain = plain;
	if (!plain || !cache_of(&plain->l1, &simulator->space, &model->cache[L1]) || !cache_of(&plain->l2, &simulator->space, &model->cache[L2]))
		return false;
	plain->of = simulator;
	plain->memory_latency = model->distances[0][0] ? model->distances[0][0] : model->memory_latency;
	plain->usual = plain->l1.shift == plain->l2.shift && simulator->pages.nodes == 1;
	plain->oldest_at = 4 * (plain->l2.ways - 1);
	plain->newer = (1ull << plain->oldest_at) - 1;
	plain->unused = ~(plain->newer << 4 | 15);
	plain->l2_cycles = plain_cycles(plain, plain->l2.latency);
	plain->memory_cycles = plain_cycles(plain, plain->memory_latency);
	return orders_init(plain, &simulator->space) && plain_groups_init(plain);
}

/* ------------------------------------------------------------------ time */

static bool is_line(int32_t stamp)
{
	return stamp >= PLAIN_EMPTY + PLAIN_ROW;
}

/* Lines of a set get the earliest stamps that their order allows. */
static void rank_set(int32_t *stamps, uint32_t ways)
{
	int32_t ranks[PLAIN_ROW];

	for (uint32_t way = 0; way < ways; way++) {
		int32_t rank = is_line(stamps[way]);             /* empty ways stay */

		for (uint32_t other = 0; rank && other < ways; other++)
			rank += is_line(stamps[other]) && stamps[other] < stamps[way];
		ranks[way] = PLAIN_EMPTY + (rank << PLAIN_ROW_SHIFT) + (int32_t)way;
	}
	memcpy(stamps, ranks, ways * sizeof(*stamps));
}

void plain_reserve(struct plain *plain, int32_t ticks)
{
	if (plain->clock < (PLAIN_NEVER >> PLAIN_ROW_SHIFT) - ticks)
		return;
	for (size_t way = 0; way < places_of(&plain->l1); way += PLAIN_ROW)
		rank_set(&plain->stamps[way], plain->l1.ways);
	plain->clock = FIRST_TIME + PLAIN_ROW;
}

/* ------------------------------------------------------------------ accesses past the caches */

/* The way is empty then, yields what its tag was. */
static uint64_t empty(struct plain_cache *cache, uint32_t way)
{
	uint64_t tag = cache->tags[way];

	cache->tags[way] = 0;
	return tag;
}

static bool invalidate_l1(struct plain *plain, uint64_t line)
{
	uint32_t way = plain_find(&plain->l1, line);

	if (way == PLAIN_NO_WAY)
		return false;
	plain->stamps[way] = PLAIN_EMPTY + (int32_t)(way % PLAIN_ROW);
	return empty(&plain->l1, way) & 1;
}

static bool invalidate_l2(struct plain *plain, uint64_t line)
{
	uint64_t *order = &plain->orders[plain_set(&plain->l2, line)];
	uint32_t way = plain_find(&plain->l2, line);

	if (way == PLAIN_NO_WAY)
		return false;
	*order = recency_drop(*order, plain->l2.ways, way % PLAIN_ROW);
	return empty(&plain->l2, way) & 1;
}

bool plain_invalidate(struct plain *plain, uint64_t address)
{
	uint64_t line = address >> plain->l2.shift, wider = plain->l2.shift - plain->l1.shift;
	bool dirty = invalidate_l2(plain, line);

	for (uint64_t inner = line << wider; inner < (line + 1) << wider; inner++)
		dirty |= invalidate_l1(plain, inner);
	return dirty;
}

void plain_write_out_far(struct plain *plain, uint64_t line, struct plain_met *met)
{
	uint32_t outer = plain_find(&plain->l2, line);

	if (outer == PLAIN_NO_WAY)
		met->written++;
	else
		plain->l2.tags[outer] |= 1;
}

/* ------------------------------------------------------------------ single accesses */

static inline uint32_t access_line(struct plain *plain, uint64_t address, bool write, struct simulator_counters *counters)
{
	uint64_t line = address >> plain->l1.shift;
	uint32_t way = plain_find(&plain->l1, line);
	int32_t now = plain->clock++;

	if (way == PLAIN_NO_WAY)
		return plain_fill(plain, address, write, plain_oldest(plain, plain_set(&plain->l1, line)), now << PLAIN_ROW_SHIFT, counters);
	plain->stamps[way] = now << PLAIN_ROW_SHIFT | (int32_t)(way % PLAIN_ROW);
	if (write)
		plain->l1.tags[way] |= 1;
	return 0;
}

/* In more than one line. */
static __attribute__((noinline)) uint32_t access_lines(struct plain *plain, uint64_t address, uint64_t last, bool write, struct simulator_counters *counters)
{
	uint32_t shift = plain->l1.shift, met = 0;

	for (;; address = ((address >> shift) + 1) << shift) {
		plain_reserve(plain, 1);
		met = plain_both(met, access_line(plain, address, write, counters));
		if (address >> shift == last >> shift)
			return met;
	}
}

void plain_access(struct plain *plain, const struct simulator_walk *walk, uint64_t address, struct simulator_counters *counters)
{
	uint64_t last = address + walk->bytes - 1;
	uint32_t met;

	if (walk->non_temporal) {
		walk_access(plain->of, &plain->of->cores[0], walk, address);
		return;
	}
	plain_reserve(plain, 1);
	if (address >> plain->l1.shift == last >> plain->l1.shift)
		met = access_line(plain, address, walk->write, counters);
	else
		met = access_lines(plain, address, last, walk->write, counters);
	if (met)
		plain_count(plain, walk->write, met, counters);
}

static struct simulator_counters *count(struct simulator *simulator, const struct simulator_walk *walk)
{
	struct simulator_counters *counters = walk_counters(simulator, &simulator->cores[0], walk);

	*(walk->write ? &counters->writes : &counters->reads) += walk->times;
	return counters;
}

static uint32_t run_group(struct simulator *simulator, const struct simulator_walk *group)
{
	uint32_t nr = group->group ? group->group : 1;

	for (uint32_t i = 0; i < nr; i++)
		count(simulator, &group[i]);
	if (group->times)
		plain_group_run(simulator->plain, group, nr);
	return nr;
}

/* Walks of one access are the same alone, whatever groups they are in. */
void plain_run(struct simulator *simulator, const struct simulator_trace *trace)
{
	const struct simulator_walk *walk, *end;
	size_t nr;

	while ((nr = trace->next(trace->ctx, &walk)) > 0)
		for (end = walk + nr; walk < end;) {
			if (walk->times != 1) {
				walk += run_group(simulator, walk);
				continue;
			}
			plain_access(simulator->plain, walk, walk->address, count(simulator, walk));
			walk++;
		}
}
