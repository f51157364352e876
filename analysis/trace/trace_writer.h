/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_TRACE_WRITER_H
#define MEMSEARCH_TRACE_TRACE_WRITER_H

#include "analysis/trace/trace_pieces.h"

typedef bool trace_writer_sink(void *ctx, const uint8_t *bytes, size_t nr); /* false: stop */

struct trace_writer {
	struct buffer buffer; /* its arena is the caller's */
	trace_writer_sink *write;
	void *ctx;
	uint32_t sites, stretches; /* rows written */
	uint32_t loops, joined;    /* loops written, and those with a known joined loop */
	bool failed;
	bool plain;            /* do not pack; also set without memory or zstd */
	enum piece_kind kind;  /* of the current piece … */
	unsigned int nr_lanes; /* … 1: not split; lane 0 is `buffer` */
	struct buffer lanes[PIECE_LANES - 1], compressed, piece;
	uint8_t wait[PIECE_LANES];     /* pieces in which the lane is not compressed */
	struct compressor *compressor; /* NULL: not yet */
};

/*
 * The part of a thread's trace that is already encoded as pieces in memory, which frees its stream.
 * One thread at a time; initially zero.
 */
struct trace_drain {
	struct arena *arena; /* NULL: nothing was drained */
	struct trace_writer writer;
	struct drained_piece *first, **last; /* pieces, in their order */
	uint64_t *room;                      /* atomic: bytes left for all threads together */
	uint64_t taken;
	uint64_t words, lost; /* as in struct traced_execution */
	/* likewise; set by the caller for the next drain. It may grow; 0: 1 */
	uint32_t one_in;
	struct words_under_way *under_way;
};
/*
 * Encodes and empties the stream; by its owner. False: no memory, or the budget is spent: the end
 * of the trace is lost, and nothing may follow.
 */
bool trace_drain_take(struct trace_drain *drained, struct trace_stream *stream);
/* Frees the pieces and returns their bytes to the budget. */
void trace_drain_release(struct trace_drain *drained);

/*
 * Writes one execution, and the rows not written before. Does not change the streams. False: no
 * memory, or not written.
 */
struct trace_writer_facts {
	struct traced_execution execution;
	/* the drained begin of its stream; NULL: none */
	const struct trace_drain *(*drained)(void *ctx, uint32_t thread);
	void (*each_block)(void *ctx, void (*visit)(void *of, const struct blocks_row *row),
			   void *of);
	uint32_t loops, joined; /* number of loops, and those with a known joined loop */
	/* false: none; without blocks, which `block` returns */
	bool (*loop)(void *ctx, uint32_t number, struct traced_loop *out);
	struct traced_range (*block)(void *ctx, uint32_t loop, uint32_t block);
	/* false: none; pointers valid until the next call */
	bool (*region)(void *ctx, uint32_t id, struct traced_construct *out);
	void *ctx;
};
bool trace_writer_put(struct trace_writer *writer, const struct trace_streams *streams,
		      const struct trace_writer_facts *facts);

#endif
