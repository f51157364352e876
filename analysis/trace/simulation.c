/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of all threads, window by window, into the simulator. */
#include "analysis/trace/simulation.h"

#include <string.h>

#include "analysis/base/hash.h"
#include "analysis/base/own_stack.h"
#include "analysis/base/reserve.h"
#include "analysis/base/spin.h"
#include "analysis/base/thread_clock.h"
#include "analysis/trace/page_touches.h"
#include "analysis/trace/stretches.h"
#include "analysis/trace/walks.h"

#define POOL_PIECES 768                  /* 48 MiB */
#define SLOTS 16384                      /* a power of two */
#define BLOCKS (1u << 18)                /* of memory that has a place in the modelled machine; a power of two */
#define PAGE 4096u
#define COLOURS 16u
#define APART (PAGE * COLOURS)           /* blocks are this far apart at least, so that no line nor large page is of two */
#define NEXT_COLOUR 5u                   /* odd: each colour has its turn */
#define FIRST_FRAME (1ull << 32)

enum mark { MARK_PART = 1, MARK_TEAM, MARK_BARRIER, MARK_TEAM_END };

struct simulation_stream {
	struct simulation *of;           /* atomic; NULL: no thread has it yet */
	struct trace trace;
	struct trace_walks walks;
	uint64_t before, now;            /* array_time, and region, of what is read */
	uint32_t region;
	uint32_t core;
	uint64_t team;                   /* that it is in, as far as it is read; 0: none */
	bool ran;                        /* accesses of it were simulated since the last clear */
	uint64_t entered;                /* team whose begin the owner put in last, unless its end, too; 0: none */
	uint32_t entered_after;          /* clears before that */
	uint64_t lost;                   /* accesses, of the owner; atomic */
	uint64_t left_ns;                /* see simulation_allow; of the owner */
};

struct block { uint64_t start, bytes, at; };     /* start 0: free */

struct simulation {
	struct simulation_places places;
	struct simulator *simulator;
	struct trace_pool pool;
	uint32_t threads;
	uint32_t node_cores;             /* cores of a node; 0: pages are not placed by who touched them */
	bool real_addresses;
	uint64_t frames;                 /* of the modelled machine, handed out so far … */
	uint32_t placed;                 /* … to so many blocks */
	uint32_t busy;                   /* the thread that runs; atomic */
	bool (*go_on)(void *ctx);        /* see simulation_between */
	void *go_on_ctx;
	uint64_t deadline_ns;            /* of simulation_run; 0: none */
	bool late;                       /* it has passed */
	uint32_t clears;                 /* of what is in the traces; atomic */
	struct simulation_order order;
	struct simulation_stream *streams;       /* by thread */
	uint32_t nr_slots, nr_blocks;
	uint32_t slot_index[2 * SLOTS];
	struct simulation_key slots[SLOTS];
	struct block blocks[BLOCKS];
};

static size_t streams_bytes(uint32_t threads)
{
	return threads * sizeof(struct simulation_stream);
}

struct simulation *simulation_new(const struct machine_model *model, uint32_t threads, unsigned parts, const struct simulation_places *places)
{
	struct simulation *simulation = reserve(sizeof(*simulation));
	struct trace_piece *pieces = reserve(POOL_PIECES * sizeof(*pieces));
	struct simulation_stream *streams = reserve(streams_bytes(threads));
	struct simulator *simulator = simulator_new(model, threads, SLOTS, parts);

	if (!simulation || !pieces || !streams || !simulator) {
		reserve_undo(simulation, simulation ? sizeof(*simulation) : 0);
		reserve_undo(pieces, pieces ? POOL_PIECES * sizeof(*pieces) : 0);
		reserve_undo(streams, streams ? streams_bytes(threads) : 0);
		simulator_free(simulator);
		return NULL;
	}
	simulation->places = *places;
	simulation->simulator = simulator;
	simulation->threads = threads;
	simulation->node_cores = model->nodes > 1 && !model->interleave ? model->cores / model->nodes : 0;
	simulation->streams = streams;
	simulation->frames = FIRST_FRAME;
	trace_pool_init(&simulation->pool, pieces, POOL_PIECES);
	return simulation;
}

void simulation_use_real_addresses(struct simulation *simulation) { simulation->real_addresses = true; }

bool simulation_sample(struct simulation *simulation, uint32_t one_in)
{
	return simulator_sample(simulation->simulator, one_in);
}

bool simulation_thin(struct simulation *simulation, uint32_t one_in)
{
	return simulator_thin(simulation->simulator, one_in);
}

void simulation_free(struct simulation *simulation)
{
	if (!simulation)
		return;
	simulator_free(simulation->simulator);
	reserve_undo(simulation->streams, streams_bytes(simulation->threads));
	reserve_undo(simulation->pool.pieces, POOL_PIECES * sizeof(*simulation->pool.pieces));
	reserve_undo(simulation, sizeof(*simulation));
}

/* ------------------------------------------------------------------ where an access is, and what it counts for */

/* SLOTS: no room. */
static uint32_t slot_of(struct simulation *simulation, struct simulation_key key)
{
	uint64_t hash = hash_word(hash_word((uint64_t)key.region << 32 | key.site) ^ key.array) >> 32;

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
 * How far behind the frames handed out so far a block begins, at most `most_out`. The kernel begins the stack anywhere in some pages, and what is in the
 * program's environment lies before it: so it is where it began that has a fixed place.
 */
static uint64_t offset_of(const struct simulation *simulation, uint64_t start, uint64_t bytes, uint64_t *most_out)
{
	uint64_t stack = simulation->places.stack_end - start;

	*most_out = stack < bytes ? bytes + 2 * PAGE : start % PAGE;
	return stack < bytes ? (bytes + 2 * PAGE - 1) / PAGE * PAGE - stack : start % PAGE;
}

struct placing { struct simulation *simulation; uint64_t shift; };       /* from this host's addresses to the modelled machine's */

static void place_pages(void *ctx, uint64_t low, uint64_t high, uint32_t core)
{
	const struct placing *placing = ctx;
	struct simulation *simulation = placing->simulation;

	simulator_place(simulation->simulator, low + placing->shift, high - low, core % simulation->threads / simulation->node_cores);
}

/* The program touched it before it is simulated; threads run on the cores that they would have now. */
static void place_touched(struct simulation *simulation, const struct block *block, uint32_t array)
{
	struct placing placing = { simulation, block->at - block->start };

	if (simulation->node_cores && array != ARRAY_NONE)
		page_touches_each(array, block->start, block->start + block->bytes, place_pages, &placing);
}

/* Blocks begin in pages of all colours, as they do on a real machine: else what lies at the same place in each of them would fall on the same sets of TLBs and caches. */
static uint64_t next_frame(struct simulation *simulation)
{
	uint64_t colour = simulation->placed++ * NEXT_COLOUR % COLOURS;

	return simulation->frames += colour * PAGE;
}

/*
 * Where a block of memory lies in the modelled machine: in the order of first accesses, with its place in its page, so that results do not depend on
 * where the host put it. One that has grown is another.
 */
static uint64_t place_block(struct simulation *simulation, uint64_t start, uint64_t bytes, uint32_t array)
{
	uint32_t at = (uint32_t)(hash_word(start) >> 32) % BLOCKS;
	struct block *block = &simulation->blocks[at];
	uint64_t most;

	while (block->start && block->start != start)    /* half of them are free */
		block = &simulation->blocks[++at % BLOCKS];
	if (block->start && bytes <= block->bytes)
		return block->at;
	if (!block->start && simulation->nr_blocks == BLOCKS / 2)
		return start;                    /* as it lies on this host */
	simulation->nr_blocks += !block->start;
	*block = (struct block){ start, bytes, next_frame(simulation) + offset_of(simulation, start, bytes, &most) };
	if (simulation->real_addresses)
		block->at = start;
	simulation->frames += (most + bytes + 2 * APART - 1) / APART * APART;
	place_touched(simulation, block, array);
	return block->at;
}

static void find_place(void *ctx, uint32_t site, uint64_t address, struct walks_place *out)
{
	struct simulation_stream *stream = ctx;
	struct array_place place;

	stream->of->places.at(stream->of->places.ctx, address, stream->before, stream->now, &place);
	out->low = address - place.offset;
	out->high = out->low + place.block_bytes;
	out->shift = place_block(stream->of, out->low, place.block_bytes, place.array) - out->low;
	out->slot = slot_of(stream->of, (struct simulation_key){ stream->region, site, place.array });
	stream->of->order.lost_accesses += out->slot == SLOTS;
}

/* ------------------------------------------------------------------ writing */

struct simulation_stream *simulation_stream(struct simulation *simulation, uint32_t thread)
{
	struct simulation_stream *stream = thread < simulation->threads ? &simulation->streams[thread] : NULL;

	if (!stream)
		return NULL;
	stream->trace.pool = &simulation->pool;
	stream->core = thread;
	trace_walks_init(&stream->walks, &stream->trace, find_place, stream);
	__atomic_store_n(&stream->of, simulation, __ATOMIC_RELEASE);
	return stream;
}

static void run_early(struct simulation_stream *stream);

/* Memory is made, once, by simulating what is there. */
#define PUT(stream, put, accesses) \
	do { \
		if (put) \
			break; \
		run_early(stream); \
		if (!(put)) \
			__atomic_fetch_add(&(stream)->lost, (accesses), __ATOMIC_RELAXED); \
	} while (0)

static void put_mark(struct simulation_stream *stream, enum mark mark, const uint64_t *words, size_t nr)
{
	PUT(stream, trace_put_mark(&stream->trace, mark, words, nr), 1);
}

void simulation_part(struct simulation_stream *stream, uint32_t region, uint64_t before, uint64_t now)
{
	put_mark(stream, MARK_PART, (uint64_t[]){ region, before, now }, 3);
}

void simulation_team(struct simulation_stream *stream, uint64_t team, uint32_t core)
{
	uint32_t clears = __atomic_load_n(&stream->of->clears, __ATOMIC_RELAXED);

	if (stream->entered == team && stream->entered_after == clears)
		return;
	stream->entered = team;
	stream->entered_after = clears;
	put_mark(stream, MARK_TEAM, (uint64_t[]){ team, core }, 2);
}

void simulation_barrier(struct simulation_stream *stream) { put_mark(stream, MARK_BARRIER, NULL, 0); }

void simulation_team_end(struct simulation_stream *stream)
{
	stream->entered = 0;
	put_mark(stream, MARK_TEAM_END, NULL, 0);
}

/* Whole stretches of at most `room` words; 0: the first has more. */
static size_t whole_stretches(const uint64_t *words, size_t nr, size_t room)
{
	size_t whole = nr <= room ? nr : 0;

	while (whole < nr) {
		const struct record_stretch *row = record_stretch(words[whole]);
		size_t next = row ? whole + 1 + row->words : nr + 1;

		if (next > nr || next > room)
			break;
		whole = next;
	}
	return whole;
}

void simulation_words(struct simulation_stream *stream, const uint64_t *words, size_t nr)
{
	while (nr) {
		size_t whole = whole_stretches(words, nr, TRACE_ENTRY_MAX - 1);

		if (!whole) {
			__atomic_fetch_add(&stream->lost, 1, __ATOMIC_RELAXED);
			return;
		}
		PUT(stream, trace_put_words(&stream->trace, words, whole), whole);
		words += whole;
		nr -= whole;
	}
}

void simulation_again(struct simulation_stream *stream, const uint64_t *words, size_t period, uint64_t times)
{
	if (2 * period + 1 < TRACE_ENTRY_MAX)
		PUT(stream, trace_put_again(&stream->trace, words, period, times), times);
	else
		simulation_words(stream, words, period * times);
}

/* ------------------------------------------------------------------ windows */

static bool is_begun(const struct simulation_stream *stream)
{
	return __atomic_load_n(&stream->of, __ATOMIC_ACQUIRE) != NULL;
}

/* The next mark at which threads meet; false: there are accesses before it, or nothing is there. */
static bool next_meeting(struct simulation_stream *stream, struct trace_entry *out)
{
	return is_begun(stream) && trace_look(&stream->trace, out) && out->kind == TRACE_MARK && out->mark != MARK_PART;
}

/* What a mark says of the accesses behind it. */
static bool follow_mark(struct simulation_stream *stream)
{
	struct trace_entry entry;

	if (!trace_look(&stream->trace, &entry) || entry.kind != TRACE_MARK || entry.mark != MARK_PART)
		return false;
	if (stream->region != entry.words[0] || stream->now != entry.words[2])
		trace_walks_forget(&stream->walks);
	stream->region = (uint32_t)entry.words[0];
	stream->before = entry.words[1];
	stream->now = entry.words[2];
	trace_take(&stream->trace);
	return true;
}

static bool is_late(struct simulation *simulation)
{
	simulation->late |= simulation->deadline_ns && thread_clock_ns() > simulation->deadline_ns;
	return simulation->late;
}

static size_t next_walks(void *ctx, const struct simulator_walk **out)
{
	struct simulation_stream *stream = ctx;
	size_t nr = 0;

	if (!stream || is_late(stream->of))
		return 0;
	do {
		nr = trace_walks_next(&stream->walks, out);
	} while (!nr && follow_mark(stream));
	return nr;
}

static bool has_accesses(struct simulation_stream *stream)
{
	struct trace_entry entry;

	while (is_begun(stream) && follow_mark(stream))
		;
	return is_begun(stream) && trace_look(&stream->trace, &entry) && !next_meeting(stream, &entry);
}

/* Everybody up to where they meet next; who runs on a core that another one has, waits. False: there was nothing. */
static bool run_window(struct simulation *simulation)
{
	struct simulator_trace traces[SIMULATOR_MAX_THREADS];
	bool any = false;

	for (uint32_t i = 0; i < simulation->threads; i++)
		traces[i] = (struct simulator_trace){ next_walks, NULL };
	for (uint32_t i = 0; i < simulation->threads; i++) {
		struct simulation_stream *stream = &simulation->streams[i];

		if (!has_accesses(stream) || traces[stream->core].ctx)
			continue;
		traces[stream->core].ctx = stream;
		stream->ran = any = true;
	}
	if (any)
		simulator_window(simulation->simulator, traces);
	return any && !simulation->late;
}

/* Threads that are at the begin of this team go into it. */
static void join(struct simulation *simulation, uint64_t team)
{
	struct trace_entry entry;

	for (uint32_t i = 0; i < simulation->threads; i++) {
		struct simulation_stream *stream = &simulation->streams[i];

		if (!next_meeting(stream, &entry) || entry.mark != MARK_TEAM || entry.words[0] != team)
			continue;
		stream->team = team;
		stream->core = (uint32_t)entry.words[1] % simulation->threads;
		trace_take(&stream->trace);
	}
}

/* Past a barrier, or out of the team. False: nobody is in one. */
static bool pass_meeting(struct simulation *simulation)
{
	struct trace_entry entry;
	bool any = false;

	for (uint32_t i = 0; i < simulation->threads; i++) {
		struct simulation_stream *stream = &simulation->streams[i];

		if (!stream->team || !next_meeting(stream, &entry))
			continue;
		if (entry.mark != MARK_BARRIER)
			stream->team = 0;        /* its end, or the begin of another whose end was lost */
		if (entry.mark != MARK_TEAM)
			trace_take(&stream->trace);
		any = true;
	}
	return any;
}

/* The team that thread 0 goes into, or else one that it was never in; 0: none, nobody meets anybody any more. */
static uint64_t next_team(struct simulation *simulation)
{
	struct trace_entry entry;

	for (uint32_t i = 0; i < simulation->threads; i++) {
		struct simulation_stream *stream = &simulation->streams[i];

		while (next_meeting(stream, &entry) && entry.mark != MARK_TEAM)
			trace_take(&stream->trace);      /* the rest of a team whose begin was lost */
		if (!next_meeting(stream, &entry))
			continue;
		simulation->order.lost_teams += i > 0;
		return entry.words[0];
	}
	return 0;
}

/* The next window, past the meetings before it: who waits at one and has others of the team to meet, has met them. False: there is none. */
static bool run_next(struct simulation *simulation)
{
	while (!run_window(simulation)) {
		uint64_t team;

		if (simulation->late)
			return false;
		if (pass_meeting(simulation))
			continue;
		team = next_team(simulation);
		if (!team)
			return run_window(simulation);
		join(simulation, team);
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
	struct trace_entry entry;

	for (uint32_t i = 0; i < simulation->threads; i++) {
		struct simulation_stream *stream = &simulation->streams[i];

		if (!is_begun(stream))
			continue;
		while (trace_look(&stream->trace, &entry))
			trace_take(&stream->trace);
		trace_walks_init(&stream->walks, &stream->trace, find_place, stream);
		stream->team = 0;
	}
}

/* ------------------------------------------------------------------ who runs */

static void lock(struct simulation *simulation)
{
	uint32_t free = 0;

	while (!__atomic_compare_exchange_n(&simulation->busy, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		free = 0;
		spin_hint();
	}
}

static void unlock(struct simulation *simulation)
{
	__atomic_store_n(&simulation->busy, 0, __ATOMIC_RELEASE);
}

/* Whoever simulates waits for nobody, so waiting for it is safe whatever locks of the program are held. */
static void run_early_here(void *argument)
{
	struct simulation_stream *stream = argument;
	struct simulation *simulation = stream->of;

	lock(simulation);
	simulation->deadline_ns = stream->left_ns ? thread_clock_ns() + stream->left_ns : 0;
	simulation->order.early_windows += run_next(simulation);
	simulation->deadline_ns = 0;
	unlock(simulation);
}

static void run_early(struct simulation_stream *stream)
{
	own_stack_call(run_early_here, stream);
}

void simulation_allow(struct simulation_stream *stream, uint64_t left_ns)
{
	stream->left_ns = left_ns;
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
		words += is_begun(&simulation->streams[i]) ? trace_words(&simulation->streams[i].trace) : 0;
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
		struct simulation_stream *stream = &simulation->streams[i];

		simulation->order.lost_accesses += __atomic_exchange_n(&stream->lost, 0, __ATOMIC_RELAXED) + stream->walks.skipped;
		stream->walks.skipped = 0;
	}
	simulation->order.lost_lines = simulator_lost(simulation->simulator);
	unlock(simulation);
	return in_time;
}

bool simulation_core(const struct simulation_stream *stream, uint32_t *core_out)
{
	*core_out = stream->core;
	return stream->ran;
}

void simulation_clear(struct simulation *simulation)
{
	lock(simulation);
	__atomic_fetch_add(&simulation->clears, 1, __ATOMIC_RELAXED);
	forget_traces(simulation);
	simulator_clear_counters(simulation->simulator);
	for (uint32_t i = 0; i < simulation->threads; i++)
		simulation->streams[i].ran = false;
	simulation->order = (struct simulation_order){ 0 };
	unlock(simulation);
}

void simulation_each(struct simulation *simulation, uint32_t core,
		     void (*visit)(void *ctx, const struct simulation_key *key, const struct simulator_counters *estimates, uint32_t replicates), void *ctx)
{
	struct simulator_counters estimates[SIMULATOR_REPLICATES];
	uint32_t replicates = simulator_replicates(simulation->simulator);

	for (uint32_t slot = 0; slot < simulation->nr_slots; slot++) {
		bool any = false;

		for (uint32_t i = 0; i < replicates && simulator_estimate(simulation->simulator, core, slot, i, &estimates[i]); i++)
			any |= estimates[i].reads + estimates[i].writes + estimates[i].prefetches;
		if (any)
			visit(ctx, &simulation->slots[slot], estimates, replicates);
	}
}

struct simulation_order simulation_order(const struct simulation *simulation)
{
	return simulation->order;
}

struct simulator_pages simulation_pages(const struct simulation *simulation)
{
	return simulation->node_cores ? simulator_pages(simulation->simulator) : (struct simulator_pages){ 0 };
}
