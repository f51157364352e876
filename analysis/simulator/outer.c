/* SPDX-License-Identifier: Apache-2.0 */
/* L3 and memory, from the events of the private levels. */
#include "analysis/simulator/outer.h"

#include "analysis/simulator/access.h"
#include "analysis/simulator/cache_lines.h"
#include "analysis/simulator/cache_search.h"
#include "analysis/simulator/memory_lines.h"
#include "analysis/simulator/stages.h"
#include "analysis/simulator/state.h"

/* events: host memory that one needs takes about that long to arrive */
#define AHEAD 8

bool outer_applies(const struct simulator *simulator)
{
	return simulator->fast_path && simulator->nr_l3 == 1 &&
	       !(simulator->classified >> L3 & 1) && !simulator->model.cache[L3].next_line &&
	       !sampling_is_on(&simulator->sampling);
}

/* The line enters L3, in place of another. */
static void enter(struct cache *l3, uint64_t line, struct simulator_counters *counters)
{
	uint32_t way = cache_victim(l3, line);

	counters->write_backs += l3->states[way] & LINE_DIRTY; /* an empty way is clean */
	if (l3->tags[way])
		cache_empty(l3, way);
	cache_fill(l3, way, line, 0);
}

/* True: L3 had the line. It has it now. */
static bool look_up(struct cache *l3, uint64_t line)
{
	uint32_t way = cache_find(l3, line);

	if (way == NO_WAY)
		return false;
	cache_touch(l3, way);
	return true;
}

static uint32_t from_memory(struct simulator *simulator, const struct core *core,
			    const struct outer_event *event, struct simulator_counters *counters)
{
	const struct machine_model *model = &simulator->model;
	uint64_t address = event->line << simulator->coherence_shift;
	uint32_t node = pages_node(&simulator->pages, address >> simulator->page_shift, core->node,
				   &simulator->outer.lost);

	core_got_line(simulator, core, event->slot, counters, address, node,
		      &simulator->outer.lost);
	if (model->distances[0][0])
		return model->distances[core->node][node];
	return node == core->node ? model->memory_latency : model->remote_latency;
}

/* Cycles of an access are those of its slowest piece. */
static void count_cycles(struct outer *outer, struct simulator_counters *counters, uint32_t more)
{
	if (more <= outer->cycles)
		return;
	counters->cycles += more - outer->cycles;
	outer->cycles = more;
}

static void fetch(struct simulator *simulator, const struct outer_event *event,
		  struct simulator_counters *counters)
{
	const struct core *core = &simulator->cores[event->core];
	struct cache *l3 = simulator->l3s;
	struct outer *outer = &simulator->outer;
	bool found = look_up(l3, event->line), transferred = event->flags & OUTER_TRANSFERRED;
	uint32_t least = simulator->model.cache[L1].latency,
		 cycles = simulator->model.cache[L3].latency;

	if (!(event->flags & OUTER_JOINED)) {
		outer->cycles = 0;
		outer->missed = false;
	}
	if (!found && !outer->missed) {
		++*(event->flags & OUTER_WRITE ? &counters->write_misses[L3]
					       : &counters->read_misses[L3]);
		outer->missed = true;
	}
	if (!found && !transferred)
		cycles = from_memory(simulator, core, event, counters);
	if (!found)
		enter(l3, event->line, counters);
	if (!transferred && cycles > least)
		count_cycles(outer, counters, cycles - least);
}

static void prefetch(struct simulator *simulator, const struct outer_event *event,
		     struct simulator_counters *counters)
{
	struct cache *l3 = simulator->l3s;
	bool found = look_up(l3, event->line);

	if (!found)
		enter(l3, event->line, counters);
	if (found || event->flags & OUTER_TRANSFERRED)
		return;
	core_prefetched_line(simulator, &simulator->cores[event->core], event->slot, counters,
			     event->line << simulator->coherence_shift, &simulator->outer.lost);
}

static void write_back(struct simulator *simulator, const struct outer_event *event,
		       struct simulator_counters *counters)
{
	struct cache *l3 = simulator->l3s;
	uint32_t way = cache_find(l3, event->line);

	if (way != NO_WAY)
		l3->states[way] |= LINE_DIRTY;
	else
		counters->write_backs++;
}

static void bypass(struct simulator *simulator, const struct outer_event *event,
		   struct simulator_counters *counters)
{
	struct cache *l3 = simulator->l3s;
	uint32_t way = cache_find(l3, event->line);
	bool dirty = way != NO_WAY && l3->states[way] & LINE_DIRTY;

	if (way != NO_WAY)
		cache_remove(l3, way);
	pages_node(&simulator->pages,
		   event->line >> (simulator->page_shift - simulator->coherence_shift),
		   simulator->cores[event->core].node, &simulator->outer.lost);
	counters->write_backs += dirty;
	simulator->outer.missed = !dirty;
}

static void run_event(struct simulator *simulator, const struct outer_event *event)
{
	struct simulator_counters *counters = simulator->cores[event->core].outer_counters +
					      event->slot;

	switch (event->kind) {
	case OUTER_FETCH: fetch(simulator, event, counters); break;
	case OUTER_PREFETCH: prefetch(simulator, event, counters); break;
	case OUTER_WRITE_BACK: write_back(simulator, event, counters); break;
	case OUTER_BYPASS: bypass(simulator, event, counters); break;
	case OUTER_BYPASS_DIRTY: counters->write_backs += simulator->outer.missed; break;
	default: count_cycles(&simulator->outer, counters, (uint32_t)event->line); break;
	}
}

void outer_run(struct simulator *simulator, const struct outer_event *events, uint32_t nr,
	       uint32_t known)
{
	for (uint32_t i = 0; i < nr; i++) {
		if (i + AHEAD < known && events[i + AHEAD].kind <= OUTER_WRITE_BACK)
			cache_expect(simulator->l3s, events[i + AHEAD].line);
		run_event(simulator, &events[i]);
	}
}

static void emit(struct simulator *simulator, struct outer_event event)
{
	struct core *core = &simulator->cores[event.core];

	if (!core->event)
		run_event(simulator, &event);
	else if (core->event < core->events_end || stages_more_events(simulator, core))
		*core->event++ = event;
}

void outer_emit(struct simulator *simulator, const struct access *access, enum outer_kind kind,
		uint64_t address, unsigned flags)
{
	emit(simulator, (struct outer_event){ address >> simulator->coherence_shift, access->slot,
					      access->core, (uint8_t)kind, (uint8_t)flags });
}

void outer_fetch(struct simulator *simulator, struct access *access, uint64_t address,
		 bool transferred)
{
	unsigned flags = (access->write ? OUTER_WRITE : 0) | (access->deferred ? OUTER_JOINED : 0) |
			 (transferred ? OUTER_TRANSFERRED : 0);

	access->deferred = true;
	access->looked |= 1u << L3;
	outer_emit(simulator, access, OUTER_FETCH, address, flags);
}

void outer_slowest(struct simulator *simulator, const struct access *access, uint32_t cycles)
{
	emit(simulator,
	     (struct outer_event){ cycles, access->slot, access->core, OUTER_SLOWEST, 0 });
}
