/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_TRACE_PIECES_H
#define MEMSEARCH_TRACE_TRACE_PIECES_H

#include "analysis/record/coding.h"
#include "analysis/trace/blocks.h"
#include "analysis/trace/array_parts.h"
#include "analysis/trace/stream.h"

/*
 * The trace of an execution of the phase in the record: all data that counting and simulation need
 * after the run. A sequence of pieces, each of one kind, as varints (record/coding.h):
 *
 *     SITES       first number, rows                       rows of clones (stretches.h) that are
 *                                                          not in earlier pieces
 *     STRETCHES   first number, rows
 *     BLOCKS      {start, bytes, array, born, died} …      blocks of memory of the execution; each
 *                                                          as the difference to the row before
 *     PAGES       {page, touch, equal pages after it} …    first touches (page_touches.h)
 *     WORDS       thread, entries                          its trace, each word as the difference
 *                                                          to the stretch's previous words in this
 *                                                          piece;
 *                                                          with sampled lines also single accesses
 *                                                          (TRACE_SINGLE): site, times, address as
 *                                                          the difference to the site's last one
 *     LOOPS       first number, rows                       all natural loops of the code so far
 *                                                          (struct traced_loop)
 *     FUNCTIONS   number …                                 those of LOOPS that are functions; each
 *                                                          as the difference to the one before
 *     REGIONS     rows                                     regions at the end of the execution
 *                                                          (struct traced_construct)
 *     EXECUTION   struct traced_execution                  end of the execution, which is complete
 *                                                          except for `lost` accesses
 *
 * Pieces are independent: a damaged one invalidates its execution only.
 *
 * A piece whose kind has PIECE_PACKED set is split into lanes: for each lane its bytes, its bytes
 * when compressed (compress.h; 0: it is not), and these. Of WORDS, the difference of a word whose
 * last one took more than one byte is a varint with its first byte in lane 1, the second in lane 2,
 * …: irregular bytes compress better apart from regular ones, and from those of other significance.
 * All else is in lane 0.
 */
enum piece_kind {
	PIECE_SITES = 1,
	PIECE_STRETCHES,
	PIECE_BLOCKS,
	PIECE_PAGES,
	PIECE_WORDS,
	PIECE_EXECUTION,
	PIECE_LOOPS,
	PIECE_REGIONS,
	PIECE_FUNCTIONS,
	PIECE_KINDS,
	PIECE_PACKED = 64
};
#define PIECE_LANES 5
#define TRACE_THREADS 1024 /* traces of further threads are not kept */
#define TRACE_SINGLE 4 /* kind of an entry, in addition to those of trace.h */

#define PIECE_BYTES ((size_t)48 << 10)     /* approximate bytes of a piece before compression */
#define PIECE_BYTES_MOST ((size_t)1 << 20) /* larger pieces are not packed */

/*
 * Thread time of a parallel region while its accesses were recorded, without the time of recording.
 */
struct traced_burst {
	uint32_t region;
	uint64_t ns;
};
/*
 * Bit in `region` of a construct some of whose words were recorded at another speed: its time is no
 * scale for them.
 */
#define TRACED_BURST_UNEVEN 0x80000000u

struct traced_execution {
	uint64_t stack_end;  /* begin of the initial thread's stack */
	uint32_t page_shift; /* of PAGES; 0: first touches are unknown */
	struct blocks_rest rest;
	uint64_t words;   /* of the streams, with entry heads */
	uint32_t threads; /* streams have lower numbers */
	/* accesses dropped; if any, only the begin of the execution is stored */
	uint64_t lost;
	/* of its pieces in the record, without those of rows; set by the reader */
	uint64_t bytes;
	uint32_t nr_serials;
	/* regions of serial code, by the numbers in the streams (TRACE_SERIAL) */
	const uint32_t *serials;
	uint32_t phases; /* consecutive executions of the phase that it contains */
	/*
	 * Set sampling (sampling.h) of accesses without a constant stride, in a part or from the
	 * begin on. Accesses to other lines are stored as repetitions of an access to an unsampled
	 * line, so that counts by site and region are exact. 1: all.
	 */
	uint32_t one_in;
	/*
	 * Not 0: no execution of the phase, but begins of executions of parallel regions, recorded
	 * before a phase was detected.
	 */
	uint32_t nr_bursts;
	const struct traced_burst *bursts;
};

struct traced_range {
	uint64_t start, end;
};

/* A natural loop, see clone_loop in clones/clone_loops.h; sites name them by number, from 1. */
struct traced_loop {
	uint64_t header, function;
	/* of its function, at the address that callers use; 0: unknown */
	struct traced_range code;
	uint32_t joined, joined_parent; /* numbers; 0: none, or not yet known */
	/* no loop, but the function itself, around its loops; false in older records */
	bool is_function;
	uint32_t nr_blocks;
	const struct traced_range *blocks;
};

/*
 * A region's place in the code (struct region in ompt_tool/regions/region.h); `id` is also
 * its number in the run.
 */
struct traced_construct {
	uint32_t id;
	/*
	 * its accesses were requested in the execution; of region 0: those of all parts of the
	 * phase
	 */
	bool asked;
	uint64_t construct, inside;
	uint32_t nr_path, nr_bodies;
	const uint64_t *path, *bodies;
};

#endif
