/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates the traces of all threads, window by window. */
#include "analysis/trace/simulation.h"

#include <string.h>

#include "analysis/base/hash.h"
#include "analysis/base/own_stack.h"
#include "analysis/base/reserve.h"
#include "analysis/base/spin.h"
#include "analysis/base/thread_clock.h"
#include "analysis/trace/page_touches.h"
#include "analysis/trace/simulation_places.h"
#include "analysis/trace/stretches.h"
#include "analysis/trace/trace_runs.h"
#include "analysis/trace/windows.h"

#define SLOTS 16384 /* a power of two */
/* blocks of memory placed in the modelled machine; a power of two */
#define BLOCKS (1u << 18)
#define PAGE 4096u
#define COLOURS 16u
/* minimum distance of blocks: two never share a line or a large page */
#define APART (PAGE * COLOURS)
#define NEXT_COLOUR 5u /* odd: visits every colour */
#define FIRST_FRAME (1ull << 32)

/* A thread's stream as it is read. */
struct reading {
	struct simulation *of;
	struct trace_stream *stream;
	struct trace_runs runs;
	uint64_t before, now; /* array_time range of the accesses being read */
	uint32_t region, call;
	struct window_thread *at;
	bool ran; /* accesses of it were simulated since the last clear */
};

/* start 0: free; bytes and start are the program's; layout NULL: as it was */
struct block {
	uint64_t start, bytes, at;
	uint32_t array;
	const struct simulation_layout *layout;
};

struct simulation {
	struct simulation_places places;
	struct simulator *simulator;
	struct trace_streams *traces;
	uint32_t threads;
	uint32_t cores; /* simulated cores: up to that of the last thread */
	/* cores of a node; 0: pages are not placed by first touch */
	uint32_t node_cores;
	bool real_addresses, by_calls;
	uint64_t merged_at,
		merged_bytes;     /* of the first of the arrays that are merged; 0: none yet */
	uint64_t frames;          /* of the modelled machine, allocated so far … */
	uint32_t placed;          /* … to this number of blocks */
	uint32_t busy;            /* a thread is simulating; atomic */
	bool (*go_on)(void *ctx); /* see simulation_between */
	void *go_on_ctx;
	uint64_t deadline_ns; /* of simulation_run; 0: none */
	bool late;            /* the deadline has passed */
	struct simulation_order order;
	struct windows windows;
	struct reading *readings; /* by thread; behind them the windows' threads */
	uint32_t nr_slots, nr_blocks;
	uint32_t slot_index[2 * SLOTS];
	struct simulation_key slots[SLOTS];
	struct block blocks[BLOCKS];
};

static size_t readings_bytes(uint32_t threads)
{
	return threads * (sizeof(struct reading) + sizeof(struct window_thread));
}

static void find_place(void *ctx, uint32_t site, uint64_t address, struct runs_place *out);
static void run_early(void *ctx, struct trace_stream *stream);

static void read_from(struct simulation *simulation)
{
	windows_init(&simulation->windows, simulation->traces,
		     (struct window_thread *)(simulation->readings + simulation->threads));
	for (uint32_t i = 0; i < simulation->threads; i++) {
		struct reading *reading = &simulation->readings[i];

		*reading = (struct reading){ .of = simulation,
					     .stream = &simulation->traces->streams[i],
					     .at = &simulation->windows.threads[i] };
		trace_runs_init(&reading->runs, &reading->stream->trace, find_place, reading);
	}
}

/* The core of the number-th thread of a team. */
static uint32_t core_of(const struct simulation_places *places, uint32_t number)
{
	return places->cores ? places->cores[number] : number;
}

static uint32_t cores_of(const struct simulation_places *places, uint32_t threads)
{
	uint32_t cores = 0;

	for (uint32_t i = 0; i < threads; i++)
		cores = core_of(places, i) >= cores ? core_of(places, i) + 1 : cores;
	return cores;
}

struct simulation *simulation_new(const struct machine_model *model, struct trace_streams *traces,
				  unsigned parts, const struct simulation_places *places)
{
	uint32_t threads = traces->threads, cores = cores_of(places, threads);
	struct simulation *simulation = reserve(sizeof(*simulation));
	struct reading *readings = reserve(readings_bytes(threads));
	struct simulator *simulator = simulator_new(model, cores, SLOTS, parts);

	if (!simulation || !readings || !simulator) {
		reserve_undo(simulation, simulation ? sizeof(*simulation) : 0);
		reserve_undo(readings, readings ? readings_bytes(threads) : 0);
		simulator_free(simulator);
		return NULL;
	}
	simulation->places = *places;
	simulation->simulator = simulator;
	simulation->threads = threads;
	simulation->cores = cores;
	simulation->node_cores = model->nodes > 1 && !model->interleave
					 ? model->cores / model->nodes
					 : 0;
	simulation->traces = traces;
	simulation->readings = readings;
	simulation->frames = FIRST_FRAME;
	read_from(simulation);
	traces->full = run_early;
	traces->full_ctx = simulation;
	return simulation;
}

void simulation_use_calls(struct simulation *simulation)
{
	simulation->by_calls = true;
}

void simulation_use_real_addresses(struct simulation *simulation)
{
	simulation->real_addresses = true;
}

bool simulation_use_threads(struct simulation *simulation, uint32_t jobs)
{
	return simulator_use_threads(simulation->simulator, jobs);
}

bool simulation_sample(struct simulation *simulation, uint32_t one_in)
{
	return simulator_sample(simulation->simulator, one_in);
}

void simulation_free(struct simulation *simulation)
{
	if (!simulation)
		return;
	simulator_free(simulation->simulator);
	simulation->traces->full = NULL;
	reserve_undo(simulation->readings, readings_bytes(simulation->threads));
	reserve_undo(simulation, sizeof(*simulation));
}

/* ------------------------------------------------------------------ places and slots */

/* SLOTS: the table is full. */
static uint32_t slot_of(struct simulation *simulation, struct simulation_key key)
{
	uint64_t where = hash_word(hash_word((uint64_t)key.region << 32 | key.site) ^ key.array),
		 hash = hash_word(where ^ key.call) >> 32;

	for (uint32_t i = 0; i < 2 * SLOTS; i++) {
		uint32_t *entry = &simulation->slot_index[(hash + i) % (2 * SLOTS)];

		if (!*entry) {
			if (simulation->nr_slots == SLOTS)
				return SLOTS;
			simulation->slots[simulation->nr_slots] = key;
			*entry = ++simulation->nr_slots;
			return *entry - 1;
		}
		if (!memcmp(&simulation->slots[*entry - 1], &key, sizeof(key)))
			return *entry - 1;
	}
	return SLOTS;
}

/*
 * The block's offset from the next free frame, at most `most_out`. The kernel randomises the
 * stack's address by some pages, and the environment's size varies: so the stack's begin gets a
 * fixed address.
 */
static uint64_t offset_of(const struct simulation *simulation, uint64_t start, uint64_t bytes,
			  uint64_t *most_out)
{
	uint64_t stack = simulation->places.stack_end - start;

	*most_out = stack < bytes ? bytes + 2 * PAGE : start % PAGE;
	return stack < bytes ? (bytes + 2 * PAGE - 1) / PAGE * PAGE - stack : start % PAGE;
}

static const struct simulation_layout *layout_of(const struct simulation *simulation,
						 uint32_t array)
{
	for (size_t i = 0; i < simulation->places.nr_layouts; i++)
		if (simulation->places.layouts[i].array == array)
			return &simulation->places.layouts[i];
	return NULL;
}

static uint64_t units_of(const struct simulation_layout *layout, uint64_t bytes)
{
	return (bytes + layout->unit - 1) / layout->unit;
}

/* Upper bound of the block's size on the modelled machine. */
static uint64_t laid_out_bytes(const struct simulation_layout *layout, uint64_t bytes)
{
	if (!layout)
		return bytes;
	if (layout->part)
		return units_of(layout, bytes) * layout->unit + layout->align;
	return (layout->unit ? bytes / layout->unit * layout->padded + layout->padded : bytes) +
	       layout->align;
}

/* The modelled address of a byte of the program's block. */
static uint64_t place_in(const struct block *block, uint64_t address)
{
	const struct simulation_layout *layout = block->layout;
	uint64_t offset = address - block->start;

	if (layout && layout->part)
		return block->at +
		       (offset % layout->unit / layout->part * units_of(layout, block->bytes) +
			offset / layout->unit) *
			       layout->part +
		       offset % layout->part;
	return block->at + (layout && layout->unit
				    ? offset / layout->unit * layout->padded + offset % layout->unit
				    : offset);
}

struct placing {
	struct simulation *simulation;
	const struct block *block;
};

/* Of each part's array what is in these units. */
static void place_parts(const struct placing *placing, uint64_t low, uint64_t high, uint32_t node)
{
	const struct block *block = placing->block;
	const struct simulation_layout *layout = block->layout;
	uint64_t first = (low - block->start) / layout->unit,
		 units = (high - 1 - block->start) / layout->unit + 1 - first;

	for (uint64_t part = 0; part < layout->unit; part += layout->part)
		simulator_place(placing->simulation->simulator,
				place_in(block, block->start + first * layout->unit + part),
				units * layout->part, node);
}

static void place_on(const struct placing *placing, uint64_t low, uint64_t high, uint32_t node)
{
	const struct simulation_layout *layout = placing->block->layout;
	uint64_t first = place_in(placing->block, low);

	if (layout && layout->part)
		place_parts(placing, low, high, node);
	else
		simulator_place(placing->simulation->simulator, first,
				place_in(placing->block, high - 1) + 1 - first, node);
}

/* `core`: the thread that touched them. */
static void place_pages(void *ctx, uint64_t low, uint64_t high, uint32_t core)
{
	const struct placing *placing = ctx;
	const struct simulation *simulation = placing->simulation;

	place_on(placing, low, high,
		 core_of(&simulation->places, core % simulation->threads) / simulation->node_cores);
}

static void place_by_touches(const struct placing *placing, uint32_t array)
{
	const struct simulation_places *places = &placing->simulation->places;
	uint64_t start = placing->block->start, end = start + placing->block->bytes;
	uint32_t toucher = places->toucher ? places->toucher(places->ctx, array) : UINT32_MAX;

	if (toucher != UINT32_MAX)
		place_pages((void *)placing, start, end, toucher);
	page_touches_each(array, start, end, place_pages, (void *)placing);
}

/* The first home that ends behind the address. */
static size_t home_behind(const struct simulation_places *places, uint64_t address)
{
	size_t low = 0, high = places->nr_homes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (places->homes[middle].high > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void place_homes(const struct placing *placing)
{
	const struct simulation_places *places = &placing->simulation->places;
	uint64_t start = placing->block->start, end = start + placing->block->bytes;

	for (size_t i = home_behind(places, start);
	     i < places->nr_homes && places->homes[i].low < end; i++) {
		const struct simulation_home *home = &places->homes[i];

		place_on(placing, home->low > start ? home->low : start,
			 home->high < end ? home->high : end, home->node);
	}
}

/* Places pages by the program's first touches, with the threads' modelled cores. */
static void place_touched(struct simulation *simulation, const struct block *block, uint32_t array)
{
	struct placing placing = { simulation, block };

	if (simulation->node_cores && simulation->places.on_node)
		simulator_place(simulation->simulator, block->at,
				laid_out_bytes(block->layout, block->bytes),
				simulation->places.node);
	else if (simulation->node_cores && array != ARRAY_NONE)
		place_by_touches(&placing, array);
	if (simulation->node_cores && !simulation->places.on_node)
		place_homes(&placing);
}

/*
 * Blocks begin in pages of all colours, as on a real machine: else equal offsets in blocks would
 * map to the same sets of TLBs and caches.
 */
static uint64_t next_frame(struct simulation *simulation)
{
	uint64_t colour = simulation->placed++ * NEXT_COLOUR % COLOURS;

	return simulation->frames += colour * PAGE;
}

/* Merged with blocks that have their place; else it is the first of them, or stays as it is. */
static bool is_merged(const struct simulation *simulation, const struct block *block)
{
	return block->layout && block->layout->merged && simulation->merged_at &&
	       block->bytes == simulation->merged_bytes;
}

/*
 * Allocates modelled addresses to blocks in the order of first accesses and keeps the offset in the
 * page, so that results do not depend on the host's addresses. A block that has grown is a new one.
 */
static const struct block *place_block(struct simulation *simulation, uint64_t start,
				       uint64_t bytes, uint32_t array)
{
	const struct simulation_layout *layout = layout_of(simulation, array);
	uint32_t at = (uint32_t)(hash_word(start) >> 32) % BLOCKS;
	struct block *block = &simulation->blocks[at];
	uint64_t most;

	while (block->start && block->start != start) /* half of them are free */
		block = &simulation->blocks[++at % BLOCKS];
	if (block->start && bytes <= block->bytes) {
		block->array = array;
		return block;
	}
	if (!block->start && simulation->nr_blocks == BLOCKS / 2)
		return NULL; /* keeps the host's address */
	simulation->nr_blocks += !block->start;
	*block = (struct block){ start, bytes,
				 next_frame(simulation) +
					 offset_of(simulation, start, bytes, &most),
				 array, layout };
	if (layout && layout->align)
		block->at = (block->at + layout->align - 1) / layout->align * layout->align;
	if (simulation->real_addresses)
		block->at = start;
	if (layout && layout->merged && !simulation->merged_at) {
		simulation->merged_at = block->at;
		simulation->merged_bytes = bytes;
	}
	if (is_merged(simulation, block))
		block->at = simulation->merged_at + layout->at;
	simulation->frames += (most + laid_out_bytes(layout, bytes) + 2 * APART - 1) / APART *
			      APART;
	place_touched(simulation, block, array);
	return block;
}

/* What stays together. */
static uint64_t whole_bytes(const struct simulation_layout *layout)
{
	return layout->part ? layout->part : layout->unit;
}

/* Narrows a place to the unit of its layout, or the part of one, that the address is in. */
static void narrow_to_unit(const struct block *block, uint64_t address, struct runs_place *out)
{
	const struct simulation_layout *layout = block->layout;
	uint64_t low, high;

	out->shift = place_in(block, address) - address;
	if (!layout || !layout->unit)
		return;
	low = address - (address - block->start) % whole_bytes(layout);
	high = low + whole_bytes(layout);
	out->low = out->low > low ? out->low : low;
	out->high = out->high < high ? out->high : high;
}

/* Small blocks share pages and lines with other memory: each page of them is placed as a unit. */
static void place_in_page(struct simulation *simulation, uint64_t address,
			  const struct array_place *place, struct runs_place *out)
{
	uint64_t page = address / PAGE * PAGE;
	const struct block *block = place_block(simulation, page, PAGE, place->array);

	out->shift = block ? block->at - page : 0;
	out->low = page;
	out->high = page + PAGE;
}

/* A block with a new layout is placed separately, however small. */
static void place_whole(struct simulation *simulation, uint64_t address,
			const struct array_place *place, struct runs_place *out)
{
	const struct block *block;

	if (place->block_bytes < PAGE && !layout_of(simulation, place->array)) {
		place_in_page(simulation, address, place, out);
		return;
	}
	block = place_block(simulation, out->low, place->block_bytes, place->array);
	out->shift = 0;
	if (block)
		narrow_to_unit(block, address, out);
}

static void find_place(void *ctx, uint32_t site, uint64_t address, struct runs_place *out)
{
	struct reading *reading = ctx;
	const struct simulation_places *places = &reading->of->places;
	struct array_place place;

	places->at(places->ctx, address, reading->before, reading->now, &place);
	out->low = address - place.offset;
	out->high = out->low + place.block_bytes;
	place_whole(reading->of, address, &place, out);
	if (places->narrow)
		places->narrow(places->ctx, address, &place);
	out->low = address - place.offset > out->low ? address - place.offset : out->low;
	out->high = address - place.offset + place.block_bytes < out->high
			    ? address - place.offset + place.block_bytes
			    : out->high;
	out->slot = slot_of(reading->of, (struct simulation_key){ reading->region, site,
								  place.array, reading->call });
	reading->of->order.lost_accesses += out->slot == SLOTS;
}

/* ------------------------------------------------------------------ windows */

static bool is_begun(const struct reading *reading)
{
	return trace_stream_is_begun(reading->stream);
}

/* The outermost construct of a team begins or ends. */
static void follow_call(struct reading *reading, const struct trace_entry *entry)
{
	uint32_t call = entry->mark == TRACE_BEGIN ? (uint32_t)(entry->words[0] >> 32) : 0;

	if (reading->call != call)
		trace_runs_forget(&reading->runs);
	reading->call = call;
}

static bool is_of_call(const struct reading *reading, const struct trace_entry *entry)
{
	return reading->of->by_calls && (entry->mark == TRACE_BEGIN || entry->mark == TRACE_END) &&
	       !entry->words[1];
}

/* Applies a mark to the accesses that follow it. */
static bool follow_mark(struct reading *reading)
{
	struct trace_entry entry;

	if (!trace_look(&reading->stream->trace, &entry) || entry.kind != TRACE_MARK ||
	    trace_is_meeting(entry.mark))
		return false;
	if (entry.mark != TRACE_PART) {
		if (is_of_call(reading, &entry))
			follow_call(reading, &entry);
		trace_take(&reading->stream->trace);
		return true;
	}
	if (reading->region != entry.words[0] || reading->now != entry.words[2])
		trace_runs_forget(&reading->runs);
	reading->region = (uint32_t)entry.words[0];
	reading->before = entry.words[1];
	reading->now = entry.words[2];
	trace_take(&reading->stream->trace);
	return true;
}

static bool is_late(struct simulation *simulation)
{
	simulation->late |= simulation->deadline_ns && thread_clock_ns() > simulation->deadline_ns;
	return simulation->late;
}

static size_t next_runs(void *ctx, const struct stride_run **out)
{
	struct reading *reading = ctx;
	size_t nr = 0;

	if (!reading || is_late(reading->of))
		return 0;
	do {
		nr = trace_runs_next(&reading->runs, out);
	} while (!nr && follow_mark(reading));
	return nr;
}

static bool has_accesses(struct reading *reading)
{
	struct trace_entry entry;

	while (is_begun(reading) && follow_mark(reading))
		;
	return is_begun(reading) && trace_look(&reading->stream->trace, &entry) &&
	       !window_is_over(reading->at, &entry);
}

/*
 * Simulates all threads up to their next synchronisation; one thread per core at a time. False: no
 * accesses.
 */
static bool run_window(struct simulation *simulation)
{
	struct simulator_trace traces[SIMULATOR_MAX_THREADS];
	bool any = false;

	for (uint32_t i = 0; i < simulation->cores; i++)
		traces[i] = (struct simulator_trace){ next_runs, NULL };
	for (uint32_t i = 0; i < simulation->threads; i++) {
		struct reading *reading = &simulation->readings[i];
		struct simulator_trace *trace =
			&traces[core_of(&simulation->places, reading->at->number)];

		if (!has_accesses(reading) || trace->ctx)
			continue;
		trace->ctx = reading;
		reading->ran = any = true;
	}
	if (any)
		simulator_window(simulation->simulator, traces);
	return any && !simulation->late;
}

/* Advances all threads past the synchronisation before the next window. False: there is none. */
static bool run_next(struct simulation *simulation)
{
	while (!run_window(simulation)) {
		if (simulation->late)
			return false;
		if (!windows_pass(&simulation->windows))
			return run_window(simulation);
	}
	return true;
}

static void run_all(struct simulation *simulation)
{
	while (run_next(simulation))
		if (simulation->go_on && !simulation->go_on(simulation->go_on_ctx))
			simulation->late = true;
}

static void forget_traces(struct simulation *simulation)
{
	trace_streams_clear(simulation->traces);
	for (uint32_t i = 0; i < simulation->threads; i++) {
		struct reading *reading = &simulation->readings[i];

		trace_runs_init(&reading->runs, &reading->stream->trace, find_place, reading);
		reading->at->team = 0;
		reading->ran = false;
	}
}

/* ------------------------------------------------------------------ who runs */

static void lock(struct simulation *simulation)
{
	uint32_t free = 0;

	while (!__atomic_compare_exchange_n(&simulation->busy, &free, 1, false, __ATOMIC_ACQUIRE,
					    __ATOMIC_RELAXED)) {
		free = 0;
		spin_hint();
	}
}

static void unlock(struct simulation *simulation)
{
	__atomic_store_n(&simulation->busy, 0, __ATOMIC_RELEASE);
}

/* Safe while the program holds locks: the simulating thread waits for no other thread. */
static void run_early_here(void *argument)
{
	struct reading *reading = argument;
	struct simulation *simulation = reading->of;

	lock(simulation);
	simulation->deadline_ns = reading->stream->allowed_ns
					  ? thread_clock_ns() + reading->stream->allowed_ns
					  : 0;
	simulation->order.early_windows += run_next(simulation);
	simulation->deadline_ns = 0;
	unlock(simulation);
}

static void run_early(void *ctx, struct trace_stream *stream)
{
	struct simulation *simulation = ctx;

	own_stack_call(run_early_here, &simulation->readings[stream->thread]);
}

void simulation_between(struct simulation *simulation, bool (*go_on)(void *ctx), void *ctx)
{
	simulation->go_on = go_on;
	simulation->go_on_ctx = ctx;
}

uint64_t simulation_words_left(const struct simulation *simulation)
{
	uint64_t words = 0;

	for (uint32_t i = 0; i < simulation->threads; i++)
		words += is_begun(&simulation->readings[i])
				 ? trace_words(&simulation->readings[i].stream->trace)
				 : 0;
	return words;
}

bool simulation_run(struct simulation *simulation, uint64_t deadline_ns)
{
	bool in_time;

	lock(simulation);
	simulation->deadline_ns = deadline_ns;
	run_all(simulation);
	in_time = !simulation->late;
	simulation->late = false;
	simulation->deadline_ns = 0;
	for (uint32_t i = 0; i < simulation->threads; i++) {
		struct reading *reading = &simulation->readings[i];

		simulation->order.lost_accesses += __atomic_exchange_n(&reading->stream->lost, 0,
								       __ATOMIC_RELAXED) +
						   reading->runs.skipped;
		reading->runs.skipped = 0;
	}
	simulation->order.lost_lines = simulator_lost(simulation->simulator);
	unlock(simulation);
	return in_time;
}

bool simulation_core(const struct simulation *simulation, uint32_t thread, uint32_t *core_out)
{
	*core_out = thread < simulation->threads
			    ? core_of(&simulation->places, simulation->readings[thread].at->number)
			    : 0;
	return thread < simulation->threads && simulation->readings[thread].ran;
}

void simulation_clear(struct simulation *simulation)
{
	lock(simulation);
	forget_traces(simulation);
	simulator_clear_counters(simulation->simulator);
	simulation->order = (struct simulation_order){ 0 };
	simulation->windows.lost_teams = 0;
	unlock(simulation);
}

void simulation_each(struct simulation *simulation, uint32_t core,
		     void (*visit)(void *ctx, const struct simulation_key *key,
				   const struct simulator_counters *estimates, uint32_t replicates),
		     void *ctx)
{
	struct simulator_counters estimates[SIMULATOR_REPLICATES];
	uint32_t replicates = simulator_replicates(simulation->simulator);

	for (uint32_t slot = 0; slot < simulation->nr_slots; slot++) {
		bool any = false;

		for (uint32_t i = 0;
		     i < replicates &&
		     simulator_estimate(simulation->simulator, core, slot, i, &estimates[i]);
		     i++)
			any |= estimates[i].reads + estimates[i].writes + estimates[i].prefetches;
		if (any)
			visit(ctx, &simulation->slots[slot], estimates, replicates);
	}
}

bool simulation_node_lines(struct simulation *simulation, uint32_t core,
			   const struct simulation_key *key, uint32_t replicate,
			   uint64_t *lines_out)
{
	return simulator_node_lines(simulation->simulator, core,
				    (uint32_t)(key - simulation->slots), replicate, lines_out);
}

void simulation_mark_pages(struct simulation *simulation)
{
	simulator_mark_pages(simulation->simulator);
}

struct simulation_order simulation_order(const struct simulation *simulation)
{
	struct simulation_order order = simulation->order;

	order.lost_teams = simulation->windows.lost_teams;
	return order;
}

void simulation_each_block(const struct simulation *simulation,
			   void (*visit)(void *ctx, const struct simulation_block *block),
			   void *ctx)
{
	for (uint32_t i = 0; i < BLOCKS; i++) {
		const struct block *block = &simulation->blocks[i];

		if (block->start)
			visit(ctx, &(struct simulation_block){ block->start, block->bytes,
							       block->at, block->array });
	}
}

void simulation_each_page(struct simulation *simulation, simulator_page *visit, void *ctx)
{
	simulator_each_page(simulation->simulator, visit, ctx);
}

struct simulator_pages simulation_pages(const struct simulation *simulation)
{
	return simulation->node_cores ? simulator_pages(simulation->simulator)
				      : (struct simulator_pages){ 0 };
}
