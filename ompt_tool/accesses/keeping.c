/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the threads' traces to the record. */
#include "ompt_tool/accesses/keeping.h"

#include <unistd.h>

#include "analysis/base/memory_left.h"
#include "analysis/base/own_stack.h"
#include "analysis/base/spin.h"
#include "analysis/base/thread_clock.h"
#include "analysis/simulator/simulator.h"
#include "analysis/trace/page_touches.h"
#include "analysis/trace/simulation.h"
#include "analysis/trace/simulation_places.h"
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/accesses/thread_bursts.h"
#include "ompt_tool/accesses/tracing.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/clone_loops.h"
#include "ompt_tool/regions/region_table.h"

#define EXECUTIONS 16    /* per run, maximum */
#define CUT_SHORT 2      /* incomplete ones of these, maximum: they are large */
#define PIECES_AT_ONCE 8 /* of a thread's stream, drained together: 512 KiB */
/*
 * Traces of an execution stay in memory until it has ended: at most DRAINED_BYTES, DRAINED_LIMITED
 * if the address space is limited, 1/DRAINED_PART of the free memory, and RECORD_PART of what
 * --trace-limit leaves, because later executions, rows, blocks and pages need the rest.
 */
#define DRAINED_BYTES ((uint64_t)48 << 20)
#define DRAINED_LIMITED ((uint64_t)4 << 20)
#define DRAINED_PART 16
#define RECORD_PART 0.5
/* executions with sampled lines, maximum: each makes the values of all executions estimates */
#define SAMPLED 2

static struct {
	struct trace_writer writer;
	trace_writer_sink *write;
	void *ctx;
	uint64_t most, bytes; /* limit of all traces, and bytes written */
	/* in the record; of these incomplete, and with sampled lines */
	uint32_t executions, cut_short, sampled;
	/* number of phase executions that the current execution consists of; 0: 1 */
	uint32_t phases;
	uint64_t since; /* array_time() at the end of the previous execution */
	struct keeping_losses losses;
	/* remaining memory for drained pieces of the current execution; atomic */
	uint64_t room;
	uint64_t rooms, to_drain; /* `room` when the execution began; limit by free memory */
	struct {
		/* lock of the stream: one reader at a time */
		int busy;
		struct trace_drain drained;
	} threads[TRACE_THREADS];
} keeping;

/*
 * The sampling rate of lines from now on: all lines until two thirds of the room are used, then
 * fewer with each ninth, as SHARDS-max lowers its threshold (FAST 2015). Lines recorded earlier are
 * thinned by the simulation, not here.
 */
static uint32_t lines_now(void)
{
	uint64_t left = __atomic_load_n(&keeping.room, __ATOMIC_RELAXED), all = keeping.rooms;

	if (left > all / 3 || keeping.sampled == SAMPLED)
		return 1;
	return left > 2 * (all / 9) ? 4 : left > all / 9 ? 8 : SIMULATOR_SPARSEST;
}

/* With signals blocked, because the initial thread waits for this at a boundary. */
static void drain_here(void *argument)
{
	struct trace_stream *stream = argument;
	struct trace_drain *drained = &keeping.threads[stream->thread].drained;
	bool drains = spin_lock_within(&keeping.threads[stream->thread].busy, 1);

	drained->room = &keeping.room;
	if (drains)
		drained->one_in = lines_now();
	if (!drains || !trace_drain_take(drained, stream))
		trace_stream_lose(stream, 1);
	if (drains)
		spin_unlock(&keeping.threads[stream->thread].busy);
}

/* Called on the stream's thread when the streams have no free piece. */
static void drain(void *ctx, struct trace_stream *stream)
{
	(void)ctx;
	own_stack_call(drain_here, stream);
}

static const struct trace_drain *drained_of(void *ctx, uint32_t thread)
{
	(void)ctx;
	return thread < TRACE_THREADS && keeping.threads[thread].drained.arena
		       ? &keeping.threads[thread].drained
		       : NULL;
}

static void forget_drained(const struct trace_streams *streams)
{
	for (uint32_t thread = 0; thread < streams->threads; thread++)
		if (drained_of(NULL, thread))
			trace_drain_release(&keeping.threads[thread].drained);
}

static bool write_piece(void *ctx, const uint8_t *bytes, size_t nr)
{
	(void)ctx;
	keeping.bytes += nr;
	return keeping.bytes <= keeping.most && keeping.write(keeping.ctx, bytes, nr);
}

/* Leaves most of the free memory to the program. */
static uint64_t room_to_drain(void)
{
	uint64_t most = memory_left_to_map().bytes == SIZE_MAX ? DRAINED_BYTES : DRAINED_LIMITED,
		 part = memory_left_to_touch("").bytes / DRAINED_PART;

	return part < most ? part : most;
}

/* For the next execution; called when nothing is drained. */
static void make_room(void)
{
	uint64_t left = keeping.most > keeping.bytes
				? (uint64_t)(RECORD_PART * (double)(keeping.most - keeping.bytes))
				: 0;

	keeping.rooms = left < keeping.to_drain ? left : keeping.to_drain;
	__atomic_store_n(&keeping.room, keeping.rooms, __ATOMIC_RELAXED);
}

bool keeping_start(struct arena *arena, uint64_t most_bytes, trace_writer_sink *write, void *ctx)
{
	if (!most_bytes || !tracing_start(TRACE_THREADS, true))
		return false;
	page_touches_start((uint64_t)sysconf(_SC_PAGESIZE));
	keeping.writer = (struct trace_writer){ .buffer.arena = arena, .write = write_piece };
	keeping.write = write;
	keeping.ctx = ctx;
	keeping.most = most_bytes;
	keeping.to_drain = room_to_drain();
	make_room();
	tracing_streams()->full = drain;
	tracing_streams()->most_pieces = PIECES_AT_ONCE;
	tracing_streams()->cuts = true;
	return true;
}

bool keeping_is_on(void)
{
	return keeping.write && !keeping.writer.failed && keeping.executions < EXECUTIONS;
}

struct keeping_losses keeping_losses(void)
{
	return keeping.losses;
}
void keeping_phases(uint32_t executions)
{
	keeping.phases = executions;
}

uint32_t keeping_executions(void)
{
	return keeping.executions;
}

static void each_block(void *ctx, void (*visit)(void *of, const struct blocks_row *row), void *of)
{
	(void)ctx;
	array_blocks_each(keeping.since, visit, of);
}

/* ------------------------------------------------------------------ loops and regions */

static bool loop_of(void *ctx, uint32_t number, struct traced_loop *out)
{
	const struct clone_loop *loop = number <= clone_nr_loops() ? clone_loop(number) : NULL;
	const struct clone *clone = loop ? clone_around(clone_of(loop->function)) : NULL;

	(void)ctx;
	if (!loop)
		return false;
	*out = (struct traced_loop){ .header = loop->header,
				     .function = loop->function,
				     .is_function = loop->is_function,
				     .nr_blocks = loop->nr_blocks,
				     .joined = __atomic_load_n(&loop->joined, __ATOMIC_ACQUIRE) };
	out->code = clone ? (struct traced_range){ clone->start, clone->end }
			  : (struct traced_range){ loop->header, loop->header };
	out->joined_parent = out->joined ? __atomic_load_n(&loop->joined_parent, __ATOMIC_RELAXED)
					 : 0;
	return true;
}

static struct traced_range block_of(void *ctx, uint32_t number, uint32_t block)
{
	const struct clone_loop_block *of = &clone_loop(number)->blocks[block];

	(void)ctx;
	return (struct traced_range){ of->start, of->end };
}

/* Whether accesses of the region are requested. Requests for region 0 include all its parts. */
static bool is_asked(const struct region *region)
{
	const uint32_t *below = &region->subregion_kinds[MS_SENSOR_ACCESSES];

	if (region->id == MS_REGION_USER)
		return __atomic_load_n(below, __ATOMIC_RELAXED) >> MS_PARALLEL_REGION & 1;
	return region_requests(region) & ACCESSES_BIT;
}

static bool region_of(void *ctx, uint32_t id, struct traced_construct *out)
{
	const struct region *region = id < region_table_count(accesses_regions())
					      ? region_table_at(accesses_regions(), id)
					      : NULL;

	(void)ctx;
	if (!region)
		return false;
	*out = (struct traced_construct){
		.id = id,
		.asked = is_asked(region),
		.construct = region->construct,
		.inside = __atomic_load_n(&region->inside, __ATOMIC_RELAXED),
		.nr_path = __atomic_load_n(&region->nr_path, __ATOMIC_ACQUIRE),
		.path = region->path,
		.bodies = region->bodies
	};
	while (out->nr_bodies < REGION_BODIES &&
	       __atomic_load_n(&region->bodies[out->nr_bodies], __ATOMIC_RELAXED))
		out->nr_bodies++;
	return true;
}

static uint32_t joined_loops(void)
{
	uint32_t nr = 0;

	for (uint32_t number = 1; number <= clone_nr_loops(); number++)
		nr += clone_loop(number) && clone_loop(number)->joined;
	return nr;
}

static uint64_t lost(const struct trace_streams *streams)
{
	uint64_t accesses = 0;

	for (uint32_t i = 0; i < streams->threads; i++)
		accesses += __atomic_load_n(&streams->streams[i].lost, __ATOMIC_RELAXED);
	return accesses;
}

static bool has_accesses(const struct trace_stream *stream)
{
	struct trace reader = stream->trace;
	struct trace_entry entry;

	if (drained_of(NULL, stream->thread))
		return true;
	for (; trace_look(&reader, &entry); trace_pass(&reader))
		if (entry.kind != TRACE_MARK)
			return true;
	return false;
}

/* If no requested region was executed, the streams contain only marks. */
static bool is_of_use(const struct trace_streams *streams)
{
	for (uint32_t i = 0; i < streams->threads; i++)
		if (trace_stream_is_begun(&streams->streams[i]) &&
		    has_accesses(&streams->streams[i]))
			return true;
	return false;
}

static void note_bursts(struct traced_execution *of)
{
	uint32_t nr = region_table_count(accesses_regions());
	struct traced_burst *bursts = arena_alloc(keeping.writer.buffer.arena,
						  nr * sizeof(*bursts));

	of->bursts = bursts;
	for (uint32_t id = 0; bursts && id < nr; id++) {
		bool uneven;
		uint64_t ns = thread_bursts_take(id, &uneven);

		if (ns)
			bursts[of->nr_bursts++] = (struct traced_burst){
				uneven ? id | TRACED_BURST_UNEVEN : id, ns
			};
	}
}

/* Their words are not kept. */
static void forget_bursts(void)
{
	for (uint32_t id = 0; id < region_table_count(accesses_regions()); id++)
		thread_bursts_take(id, &(bool){ false });
}

static uint32_t lines_recorded(void)
{
	uint32_t one_in = 1;

	for (uint32_t thread = 0; thread < TRACE_THREADS; thread++)
		if (drained_of(NULL, thread) && keeping.threads[thread].drained.one_in > one_in)
			one_in = keeping.threads[thread].drained.one_in;
	return one_in;
}

static void keep(const struct trace_streams *streams, bool cut_short)
{
	struct trace_writer_facts facts = { .each_block = each_block,
					    .drained = drained_of,
					    .loop = loop_of,
					    .block = block_of,
					    .region = region_of,
					    .loops = clone_nr_loops(),
					    .joined = joined_loops() };
	struct traced_execution *of = &facts.execution;

	note_bursts(of);
	of->stack_end = array_places()->stack_end;
	of->page_shift = page_touches_shift();
	of->rest = array_rest_of();
	of->serials = tracing_serials(&of->nr_serials);
	of->phases = keeping.phases ? keeping.phases : 1;
	if (!trace_writer_put(&keeping.writer, streams, &facts)) {
		keeping.losses.at_limit += keeping.bytes > keeping.most;
		return;
	}
	keeping.executions++;
	keeping.cut_short += cut_short;
	keeping.sampled += lines_recorded() > 1;
}

/*
 * In a region that spans the boundary other threads may drain their streams meanwhile; draining
 * waits for no other thread.
 */
static void lock_all(const struct trace_streams *streams)
{
	for (uint32_t i = 0; i < streams->threads; i++)
		spin_lock(&keeping.threads[i].busy);
}

static void unlock_all(const struct trace_streams *streams)
{
	for (uint32_t i = 0; i < streams->threads; i++)
		spin_unlock(&keeping.threads[i].busy);
}

void keeping_fold(const struct thread *thread)
{
	struct trace_streams *streams = tracing_streams();
	uint64_t begin_ns = thread_clock_ns();
	bool cut_short;

	if (!keeping.write || !tracing_is_on())
		return;
	lock_all(streams);
	cut_short = lost(streams) > 0;
	if (cut_short && keeping.sampled == SAMPLED)
		keeping.losses.at_limit++;
	else if (cut_short && keeping.cut_short == CUT_SHORT)
		keeping.losses.executions++;
	else if (!tracing_is_put_off() && !accesses_used_up() && keeping_is_on() &&
		 is_of_use(streams))
		keep(streams, cut_short);
	else
		forget_bursts();
	forget_drained(streams);
	make_room();
	tracing_forget();
	unlock_all(streams);
	keeping.since = array_time();
	accesses_charge(thread, thread_clock_ns() - begin_ns);
}
