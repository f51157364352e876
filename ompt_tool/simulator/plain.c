/* SPDX-License-Identifier: Apache-2.0 */
/* A machine that is nothing but an L1 and an L2: its caches, and single accesses. */
#include "ompt_tool/simulator/plain.h"

#include "analysis/base/arena.h"
#include "ompt_tool/simulator/plain_levels.h"
#include "ompt_tool/simulator/walk.h"

#define FIRST_TIME (PLAIN_EMPTY / PLAIN_ROW + 1)

static bool is_plain(const struct model_cache *cache)
{
	return cache->bytes && cache->ways <= PLAIN_ROW && cache->replacement == MODEL_LRU && !cache->write_around && !cache->write_through && !cache->float_bypasses;
}

bool plain_applies(const struct simulator *simulator)
{
	const struct machine_model *model = &simulator->model;

	return !simulator->shared && !simulator->parts && !simulator->next_line && !simulator->strides && !model->tlb[0].entries && !model->cache[L3].bytes &&
	       is_plain(&model->cache[L1]) && is_plain(&model->cache[L2]);
}

static uint64_t sets_of(const struct model_cache *model)
{
	return model->bytes / model->line / model->ways;
}

static bool l1_of(struct plain_l1 *l1, struct space *space, const struct model_cache *model)
{
	uint64_t sets = sets_of(model);

	*l1 = (struct plain_l1){
		.rows = space_take(space, sets * sizeof(*l1->rows)), .shift = (uint32_t)__builtin_ctz(model->line), .set_mask = (uint32_t)sets - 1, .latency = model->latency, .ways = model->ways,
	};
	for (uint64_t set = 0; l1->rows && set < sets; set++)
		for (uint32_t place = 0; place < PLAIN_ROW; place++)
			l1->rows[set].stamps[place] = place < model->ways ? PLAIN_EMPTY + (int32_t)place : PLAIN_NEVER;
	return l1->rows != NULL;
}

static bool l2_of(struct plain_l2 *l2, struct space *space, const struct model_cache *model)
{
	uint64_t sets = sets_of(model);

	*l2 = (struct plain_l2){
		.heads = space_take(space, sets * sizeof(*l2->heads)), .tags = space_take(space, sets * sizeof(*l2->tags)),
		.shift = (uint32_t)__builtin_ctz(model->line), .set_mask = (uint32_t)sets - 1, .latency = model->latency,
	};
	for (uint64_t set = 0; l2->heads && set < sets; set++) {
		l2->heads[set].clock = PLAIN_ROW;
		for (uint32_t place = 0; place < PLAIN_ROW; place++)
			l2->heads[set].stamps[place] = place < model->ways ? (int16_t)place : INT16_MAX;
	}
	return l2->heads && l2->tags;
}

bool plain_init(struct simulator *simulator)
{
	const struct machine_model *model = &simulator->model;
	struct plain *plain = arena_alloc(simulator->arena, sizeof(*plain));

	simulator->plain = plain;
	if (!plain || !l1_of(&plain->l1, &simulator->space, &model->cache[L1]) || !l2_of(&plain->l2, &simulator->space, &model->cache[L2]))
		return false;
	plain->of = simulator;
	plain->clock = FIRST_TIME;
	plain->memory_latency = model->distances[0][0] ? model->distances[0][0] : model->memory_latency;
	plain->usual = plain->l1.shift == plain->l2.shift && simulator->pages.nodes == 1;
	plain->l2_cycles = plain_cycles(plain, plain->l2.latency);
	plain->memory_cycles = plain_cycles(plain, plain->memory_latency);
	plain->guesses = space_take(&simulator->space, PLAIN_GUESSES);
	return plain->guesses && plain_groups_init(plain);
}

/* ------------------------------------------------------------------ time */

/* How many of a row's stamps from the least of lines on are no more than this one; 0: it is less, of an empty place. */
static int32_t rank_of(const int32_t *stamps, int32_t least, int32_t stamp)
{
	int32_t rank = 0;

	for (uint32_t place = 0; place < PLAIN_ROW; place++)
		rank += stamps[place] >= least && stamps[place] <= stamp;
	return rank;
}

/* Lines of all sets get the earliest stamps that their order allows. */
void plain_renew_clock(struct plain *plain)
{
	for (size_t set = 0; set <= plain->l1.set_mask; set++) {
		int32_t *stamps = plain->l1.rows[set].stamps, before[PLAIN_ROW];

		memcpy(before, stamps, sizeof(before));
		for (uint32_t place = 0; place < plain->l1.ways; place++)
			stamps[place] = PLAIN_EMPTY + plain_stamp(rank_of(before, PLAIN_EMPTY + PLAIN_ROW, before[place])) + (int32_t)place;
	}
	plain->clock = FIRST_TIME + PLAIN_ROW;
}

/* The same of one set of L2, by its own clock. */
void plain_renew_head(struct plain_head *head)
{
	int32_t before[PLAIN_ROW];

	for (uint32_t place = 0; place < PLAIN_ROW; place++)
		before[place] = head->stamps[place];
	for (uint32_t place = 0; place < PLAIN_ROW; place++)
		if (before[place] < INT16_MAX)           /* it is a way */
			head->stamps[place] = (int16_t)(plain_stamp(rank_of(before, PLAIN_ROW, before[place])) + (int32_t)place);
	head->clock = PLAIN_ROW * (PLAIN_ROW + 1);
}

/* ------------------------------------------------------------------ accesses past the caches */

/* True: it was there, and dirty. */
static bool leave_l1(struct plain_l1 *l1, uint64_t line)
{
	struct plain_row *row = plain_row(l1, line);
	uint32_t place;
	bool dirty;

	if (!plain_find(row->marks, row->tags, plain_name(line), &place))
		return false;
	dirty = row->tags[place] & 1;
	row->tags[place] = 0;
	row->stamps[place] = PLAIN_EMPTY + (int32_t)place;
	return dirty;
}

static bool leave_l2(struct plain_l2 *l2, uint64_t line)
{
	uint32_t set = plain_set_l2(l2, line), place;
	uint64_t *tags = l2->tags[set];
	bool dirty;

	if (!plain_find(l2->heads[set].marks, tags, plain_name(line), &place))
		return false;
	dirty = tags[place] & 1;
	tags[place] = 0;
	l2->heads[set].stamps[place] = (int16_t)place;
	return dirty;
}

bool plain_invalidate(struct plain *plain, uint64_t address)
{
	uint64_t line = address >> plain->l2.shift, wider = plain->l2.shift - plain->l1.shift;
	bool dirty = leave_l2(&plain->l2, line);

	for (uint64_t inner = line << wider; inner < (line + 1) << wider; inner++)
		dirty |= leave_l1(&plain->l1, inner);
	return dirty;
}

/* ------------------------------------------------------------------ misses */

/* Its latency. */
static uint32_t from_memory(const struct plain *plain, uint64_t address, struct simulator_counters *counters)
{
	const struct machine_model *model = &plain->of->model;
	const struct core *core = &plain->of->cores[0];
	uint32_t node = pages_node(&plain->of->pages, address >> plain->of->page_shift, core->node, &plain->of->lost);

	if (node == core->node) {
		counters->dram_local++;
		return plain->memory_latency;
	}
	counters->dram_remote++;
	return model->distances[0][0] ? model->distances[core->node][node] : model->remote_latency;
}

/* L2 delivers the line, if need be from memory. */
static uint32_t from_l2(struct plain *plain, uint64_t address, uint32_t *outer, struct simulator_counters *counters)
{
	struct plain_name name = plain_name(address >> plain->l2.shift);
	uint32_t set = plain_set_l2(&plain->l2, name.line);
	struct plain_head *head = &plain->l2.heads[set];

	if (plain_find(head->marks, plain->l2.tags[set], name, outer)) {
		plain_use_l2(head, *outer);
		return plain->l2.latency;
	}
	counters->write_backs += plain_put_l2(head, plain->l2.tags[set], name, outer) & 1;
	return from_memory(plain, address, counters) | PLAIN_MISSED_L2;
}

bool plain_write_out(struct plain *plain, uint64_t tag, uint32_t outer)
{
	struct plain_name name = plain_name((((tag >> 1) - 1) << plain->l1.shift) >> plain->l2.shift);
	uint32_t set = plain_set_l2(&plain->l2, name.line);
	uint64_t *tags = plain->l2.tags[set];

	if (!plain_is_at(tags, name, outer) && !plain_find(plain->l2.heads[set].marks, tags, name, &outer))
		return false;
	tags[outer] |= 1;
	return true;
}

uint32_t plain_fill(struct plain *plain, struct plain_name name, bool write, uint32_t place, int32_t stamp, struct simulator_counters *counters)
{
	struct plain_row *row = plain_row(&plain->l1, name.line);
	uint32_t outer, met = from_l2(plain, name.line << plain->l1.shift, &outer, counters);

	if (row->tags[place] & 1)
		counters->write_backs += !plain_write_out(plain, row->tags[place], row->outer[place]);
	row->outer[place] = (uint8_t)outer;
	plain_put(row, place, name, write, stamp);
	return met;
}

/* ------------------------------------------------------------------ single accesses */

/* L1 has the line now, newest. What was met; 0: L1 had it. */
static uint32_t access_line(struct plain *plain, uint64_t line, bool write, struct simulator_counters *counters)
{
	struct plain_name name = plain_name(line);
	struct plain_row *row = plain_row(&plain->l1, line);
	int32_t now = plain_stamp(plain->clock++);
	uint32_t place;

	if (!plain_find_l1(row, plain->guesses, name, &place))
		return plain_fill(plain, name, write, plain_place(plain_least(&plain->l1, row)), now, counters);
	row->stamps[place] = now | (int32_t)place;
	row->tags[place] |= write;
	return 0;
}

/* In more than one line, or past the caches, or where plain_take does not serve. */
static __attribute__((noinline)) void access_slowly(struct plain *plain, const struct simulator_walk *walk, uint64_t address, struct simulator_counters *counters)
{
	uint64_t line = address >> plain->l1.shift, last = (address + walk->bytes - 1) >> plain->l1.shift;
	uint32_t met = 0;

	if (walk->non_temporal) {
		walk_access(plain->of, &plain->of->cores[0], walk, address);
		return;
	}
	for (;; line = (line + 1) & (UINT64_MAX >> plain->l1.shift)) {
		plain_reserve(plain, 1);
		met = plain_both(met, access_line(plain, line, walk->write, counters));
		if (line == last)
			break;
	}
	if (met)
		plain_count(plain, walk->write, met, counters);
}

/* An access of one line where plain_take serves. */
static inline __attribute__((always_inline)) void access_simply(struct plain *plain, const struct plain_l1 *l1, const struct simulator_walk *walk, uint64_t address,
								struct simulator_counters *counters)
{
	struct plain_name name = plain_name(address >> l1->shift);
	struct plain_row *row = plain_row(l1, name.line);
	int32_t now = plain_stamp(plain->clock++);
	struct plain_met met = { 0 };
	uint32_t place;

	if (plain_find_l1(row, plain->guesses, name, &place)) {
		row->stamps[place] = now | (int32_t)place;
		row->tags[place] |= walk->write;
	} else {
		plain_take(plain, row, name, walk->write, plain_place(plain_least(l1, row)), now, &met);
		plain_tell(plain, walk->write, &met, counters);
	}
}

/* `line`: bytes. */
static inline bool is_simple(const struct simulator_walk *walk, uint64_t address, uint64_t line)
{
	return __builtin_expect((address & (line - 1)) + walk->bytes <= line && !walk->non_temporal, 1);
}

void plain_access(struct plain *plain, const struct simulator_walk *walk, uint64_t address, struct simulator_counters *counters)
{
	plain_reserve(plain, 1);
	if (plain->usual && is_simple(walk, address, 1ull << plain->l1.shift))
		access_simply(plain, &plain->l1, walk, address, counters);
	else
		access_slowly(plain, walk, address, counters);
}

static inline struct simulator_counters *count(struct simulator *simulator, struct core *core, const struct simulator_walk *walk)
{
	struct simulator_counters *counters = walk->slot < core->used_counters ? &core->counters[walk->slot] : walk_counters(simulator, core, walk);

	*(walk->write ? &counters->writes : &counters->reads) += walk->times;
	return counters;
}

/* Those of one access are the same alone, whatever groups they are in. The first one of other ones; or `end`. */
static const struct simulator_walk *run_single(struct simulator *simulator, const struct simulator_walk *walk, const struct simulator_walk *end)
{
	struct plain *plain = simulator->plain;
	const struct plain_l1 l1 = plain->l1; /* a copy, so that no store can change it */
	const uint64_t line = plain->usual ? 1ull << l1.shift : 0;       /* 0: no access is simple */
	struct core *core = &simulator->cores[0];

	for (; walk < end && walk->times == 1; walk++) {
		struct simulator_counters *counters = count(simulator, core, walk);

		plain_reserve(plain, 1);
		if (is_simple(walk, walk->address, line))
			access_simply(plain, &l1, walk, walk->address, counters);
		else
			access_slowly(plain, walk, walk->address, counters);
	}
	return walk;
}

static const struct simulator_walk *run_group(struct simulator *simulator, const struct simulator_walk *group)
{
	uint32_t nr = group->group ? group->group : 1;

	for (uint32_t i = 0; i < nr; i++)
		count(simulator, &simulator->cores[0], &group[i]);
	if (group->times)
		plain_group_run(simulator->plain, group, nr);
	return group + nr;
}

void plain_run(struct simulator *simulator, const struct simulator_trace *trace)
{
	const struct simulator_walk *walk, *end;
	size_t nr;

	while ((nr = trace->next(trace->ctx, &walk)) > 0)
		for (end = walk + nr; walk < end;)
			walk = walk->times == 1 ? run_single(simulator, walk, end) : run_group(simulator, walk);
}
