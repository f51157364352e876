/* SPDX-License-Identifier: Apache-2.0 */
/* Writes recorded accesses to the threads' streams. */
#include "ompt_tool/accesses/tracing.h"

#include "analysis/base/hash.h"
#include "analysis/base/memory_left.h"
#include "ompt_tool/process/thread.h"

#define PIECES 768        /* 48 MiB, touched as they are needed */
#define PIECES_MODEST 256 /* 16 MiB: for consumers that drain during the execution */
/* 4 MiB: if the address space is limited, clones need it more */
#define PIECES_LIMITED 64
/*
 * serial stretches of one execution with known regions; accesses of later ones are counted as lost
 */
#define SERIALS 4096

static struct {
	struct trace_streams *streams;
	bool on; /* atomic */
	bool put_off;
	/* regions of the serial stretches of this execution */
	uint32_t nr_serials, serials[SERIALS];
} tracing;

bool tracing_start(uint32_t threads, bool modest)
{
	uint32_t most = memory_left_to_map().bytes == SIZE_MAX ? PIECES_MODEST : PIECES_LIMITED,
		 pieces = modest ? most : PIECES;

	if (!tracing.streams)
		tracing.streams = trace_streams_new(threads, pieces);
	return tracing.streams;
}

struct trace_streams *tracing_streams(void)
{
	return tracing.streams;
}

void tracing_enable(bool on)
{
	tracing.put_off = false;
	__atomic_store_n(&tracing.on, on, __ATOMIC_RELAXED);
}

bool tracing_is_on(void)
{
	return __atomic_load_n(&tracing.on, __ATOMIC_RELAXED);
}
void tracing_put_off(void)
{
	tracing.put_off = true;
}
bool tracing_is_put_off(void)
{
	return tracing.put_off;
}

void tracing_forget(void)
{
	trace_streams_clear(tracing.streams);
	tracing.nr_serials = 0;
	tracing.put_off = false;
}

/* ------------------------------------------------------------------ threads */

struct trace_stream *tracing_stream(const struct thread *self)
{
	return tracing_is_on()
		       ? __atomic_load_n(&self->sensor[MS_SENSOR_SIMULATED], __ATOMIC_ACQUIRE)
		       : NULL;
}

void tracing_begin_thread(struct thread *self)
{
	struct trace_stream *stream = tracing.streams
					      ? trace_stream_begin(tracing.streams, self->index)
					      : NULL;

	__atomic_store_n(&self->sensor[MS_SENSOR_SIMULATED], stream, __ATOMIC_RELEASE);
}

/* ------------------------------------------------------------------ teams */

/*
 * Threads of inner teams are not synchronised in the trace: their accesses belong to the window of
 * the outer team that is active.
 */
static bool is_outermost_team(const struct thread *self, const struct frame *frame)
{
	return frame == self->frames && frame->type == FRAME_PARALLEL;
}

static bool is_in_outermost_team(const struct thread *self)
{
	for (uint32_t depth = self->depth; depth > 1; depth--)
		if (self->frames[depth - 1].type == FRAME_PARALLEL)
			return false;
	return self->depth && self->frames[0].type == FRAME_PARALLEL;
}

static uint64_t team_of(const struct frame *frame)
{
	return hash_word((uintptr_t)frame->parallel) ^ hash_word(frame->sequence + 1);
}

void tracing_region_begin(struct thread *self, const struct frame *frame)
{
	struct trace_stream *stream = tracing_stream(self);

	if (!stream)
		return;
	if (is_outermost_team(self, frame))
		trace_stream_team(stream, team_of(frame), frame->team_index);
	else if (frame->type == FRAME_BARRIER && is_in_outermost_team(self))
		trace_stream_barrier(stream);
}

void tracing_region_end(struct thread *self, const struct frame *frame)
{
	struct trace_stream *stream = tracing_stream(self);

	/* 0 executions: the region continues after an interruption, see region_parts.c */
	if (stream && is_outermost_team(self, frame) && frame->executions)
		trace_stream_team_end(stream);
}

/* ------------------------------------------------------------------ constructs */

static struct trace_construct construct_of(const struct thread *self, const struct frame *frame)
{
	bool serial = frame->type == FRAME_SERIAL;

	return (struct trace_construct){
		.region = tracing_region(serial ? MS_REGION_NONE : frame->region),
		.depth = serial ? TRACE_DEPTH_SERIAL : (uint32_t)(frame - self->frames)
	};
}

void tracing_construct_begin(const struct thread *self, const struct frame *frame,
			     const struct frame *team)
{
	struct trace_stream *stream = tracing_stream(self);
	struct trace_construct construct = construct_of(self, frame);

	if (!stream)
		return;
	if (team) {
		construct.team = (uint32_t)team_of(team) | 1;
		construct.threads = __atomic_load_n(&team->parallel->threads, __ATOMIC_RELAXED);
	}
	if (is_outermost_team(self, frame))
		construct.call = frame->parallel->call;
	trace_stream_begin_construct(stream, &construct);
}

void tracing_construct_end(const struct thread *self, const struct frame *frame)
{
	struct trace_stream *stream = tracing_stream(self);
	struct trace_construct construct = construct_of(self, frame);

	if (stream)
		trace_stream_end_construct(stream, &construct, frame->executions, frame->outside);
}

void tracing_task_end(const struct thread *self, uint32_t region, bool partly)
{
	struct trace_stream *stream = tracing_stream(self);

	if (stream)
		trace_stream_end_construct(
			stream,
			&(struct trace_construct){ .region = region, .depth = TRACE_DEPTH_TASK }, 1,
			partly);
}

/* ------------------------------------------------------------------ serial stretches */

uint32_t tracing_region(uint32_t region)
{
	return region == MS_REGION_NONE ? TRACE_SERIAL | tracing.nr_serials : region;
}

void tracing_serial_ends(uint32_t region)
{
	if (tracing.nr_serials < SERIALS)
		tracing.serials[tracing.nr_serials++] = region;
}

const uint32_t *tracing_serials(uint32_t *nr_out)
{
	*nr_out = tracing.nr_serials;
	return tracing.serials;
}
