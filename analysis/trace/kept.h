/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_KEPT_H
#define MEMSEARCH_TRACE_KEPT_H

#include "analysis/record/coding.h"
#include "analysis/trace/blocks.h"
#include "analysis/trace/parts.h"
#include "analysis/trace/stream.h"

/*
 * Traces as bytes, for the record: all that simulating an execution of the phase needs, so that nothing is asked of the program again. Pieces, each of a
 * kind, that follow each other in the record; of varints (record/coding.h):
 *
 *     SITES       first number, rows                       what clones' rows say (stretches.h), as far as they were not there before
 *     STRETCHES   first number, rows
 *     BLOCKS      {start, bytes, array, born, died} …      of memory, that were there in the execution; each as the difference to the row before
 *     PAGES       {page, touch, equal pages after it} …    who touched them first (page_touches.h)
 *     WORDS       thread, entries                          of its trace, each word as the difference to that of the stretch's last time in this piece;
 *                                                          where lines are sampled, single accesses (KEPT_LONE): site, times, address as the difference to that of the site's last
 *     LOOPS       first number, rows                       natural loops of the code, all that are known by then (see struct kept_loop)
 *     REGIONS     rows                                     regions, as they are known when the execution has ended (see struct kept_construct)
 *     EXECUTION   see struct kept_execution                it ends here, and is whole, but for what `lost` says
 *
 * A piece stands for itself: one that is damaged harms nothing but its execution.
 *
 * A piece whose kind has KEPT_PACKED set is split into lanes: for each lane its bytes, its bytes when compressed (compress.h; 0: it is not), and these. Of
 * WORDS, the difference of a word whose last one took more than one byte is a varint with its first byte in lane 1, the second in lane 2, …: irregular bytes
 * compress better apart from regular ones, and from those of other significance. All else is in lane 0.
 */
enum kept_kind { KEPT_SITES = 1, KEPT_STRETCHES, KEPT_BLOCKS, KEPT_PAGES, KEPT_WORDS, KEPT_EXECUTION, KEPT_LOOPS, KEPT_REGIONS, KEPT_KINDS, KEPT_PACKED = 64 };
#define KEPT_LANES 5
#define KEPT_LONE 4                      /* an entry's kind, beside those of trace.h */

#define KEPT_PIECE ((size_t)48 << 10)    /* bytes of a piece before compression, more or less */
#define KEPT_PIECE_MOST ((size_t)1 << 20)        /* larger ones are not packed */

/* Thread-time of a parallel region, without what recording took, in which its accesses were recorded. */
struct kept_burst { uint32_t region; uint64_t ns; };

struct kept_execution {
	uint64_t stack_end;              /* where the stack of the initial thread began */
	uint32_t page_shift;             /* of PAGES; 0: who touched them is not known */
	struct blocks_rest rest;
	uint64_t words;                  /* of the streams as they were, heads and all */
	uint32_t threads;                /* streams are below */
	uint64_t lost;                   /* accesses that are not in them; if any, what is there is the begin */
	uint64_t bytes;                  /* of its pieces in the record, but for those of rows; when read */
	uint32_t nr_serials;
	const uint32_t *serials;         /* regions of the serial stretches, whose numbers stand in the streams (TRACE_SERIAL) */
	uint32_t phases;                 /* executions of the phase that it is, one behind the other */
	/*
	 * Of accesses without a constant stride only those to a sample of lines are kept (sampling.h), in a part or from the begin on. All others are kept
	 * as repetitions of an access to a line that is not sampled, so that their number by site and region is right. 1: all.
	 */
	uint32_t one_in;
	/* Not 0: no execution of the phase, but parts of executions of parallel regions while no phase was known, each from its begin. */
	uint32_t nr_bursts;
	const struct kept_burst *bursts;
};

struct kept_range { uint64_t start, end; };

/* A natural loop, see clone_loop in ompt_tool/clones/clone.h; sites name them by number, from 1. */
struct kept_loop {
	uint64_t header, function;
	struct kept_range code;          /* of the function that has it, as it is known to callers; 0: not known */
	uint32_t joined, joined_parent;  /* numbers; 0: none, or not known yet */
	uint32_t nr_blocks;
	const struct kept_range *blocks;
};

/* A region as its place in the code says, see struct region in ompt_tool/regions/region_table.h; it has the same number in the run. */
struct kept_construct {
	uint32_t id;
	bool asked;                      /* its accesses were wanted in the execution; of region 0: those of all parts of the phase */
	uint64_t construct, inside;
	uint32_t nr_path, nr_bodies;
	const uint64_t *path, *bodies;
};

/* ------------------------------------------------------------------ writing */

typedef bool kept_write(void *ctx, const uint8_t *bytes, size_t nr);     /* false: no more is wanted */

struct kept_writer {
	struct buffer buffer;            /* its arena is the user's */
	kept_write *write;
	void *ctx;
	uint32_t sites, stretches;       /* rows that were written */
	uint32_t loops, joined;          /* likewise, and those of them whose joined loop was known */
	bool failed;
	bool plain;                      /* do not pack; also set where memory or zstd is missing */
	enum kept_kind kind;             /* of the piece under way … */
	unsigned int nr_lanes;           /* … 1: it is not split; lane 0 is `buffer` */
	struct buffer lanes[KEPT_LANES - 1], compressed, piece;
	uint8_t wait[KEPT_LANES];        /* pieces in which the lane is not compressed */
	struct compressor *compressor;   /* NULL: not yet */
};

/*
 * What one thread has recorded of an execution so far, as pieces in memory, so that its stream has room for more. One thread at a time; zeros at first.
 */
struct kept_drained {
	struct arena *arena;             /* NULL: nothing was drained */
	struct kept_writer writer;
	struct kept_bytes *first, **last;        /* pieces, in their order */
	uint64_t *room;                  /* atomic: bytes that all threads together may still take */
	uint64_t taken;
	uint64_t words, lost;            /* as of an execution */
	uint32_t one_in;                 /* likewise; the caller's: of what is drained next. It may grow; 0: 1 */
	struct words_under_way *under_way;
};
/* Empties the stream, by its owner. False: no memory, or no room: what was in it is lost from somewhere on, and nothing may follow. */
bool kept_drain(struct kept_drained *drained, struct trace_stream *stream);
/* Gives back what it takes. */
void kept_forget(struct kept_drained *drained);

/* One execution, with what was not written before of the rest. The streams are as they were afterwards. False: no memory, or not written. */
struct kept_facts {
	struct kept_execution execution;
	const struct kept_drained *(*drained)(void *ctx, uint32_t thread);       /* what came before that in its stream; NULL: nothing */
	void (*each_block)(void *ctx, void (*visit)(void *of, const struct blocks_row *row), void *of);
	uint32_t loops, joined;          /* that there are, and those whose joined loop is known */
	bool (*loop)(void *ctx, uint32_t number, struct kept_loop *out); /* false: none; without blocks, which are: */
	struct kept_range (*block)(void *ctx, uint32_t loop, uint32_t block);
	bool (*region)(void *ctx, uint32_t id, struct kept_construct *out); /* false: none; addresses until the next call */
	void *ctx;
};
bool kept_put(struct kept_writer *writer, const struct trace_streams *streams, const struct kept_facts *facts);

/* ------------------------------------------------------------------ reading */

struct kept;

/* NULL: no memory. Lives in the arena, but for what kept_free gives back. */
struct kept *kept_new(struct arena *arena);
void kept_free(struct kept *kept);
/* The next piece of a record, which stays where it is. False: it cannot be; the execution that it is of is left out. */
bool kept_add(struct kept *kept, const uint8_t *bytes, size_t nr);

/* In a fork's child, which finds tables of blocks empty: before anything is played or asked for. False: no memory. */
bool kept_in_child(struct kept *kept);

/* A piece was compressed, which this build cannot read. */
bool kept_is_unreadable(const struct kept *kept);

/* Whole executions. */
size_t kept_executions(const struct kept *kept);
const struct kept_execution *kept_execution(const struct kept *kept, size_t number);
/* Forgets those of bursts. */
void kept_drop_bursts(struct kept *kept);
/* The run's region that a TRACE_PART in it names, MS_REGION_NONE where it is not known. */
uint32_t kept_region(const struct kept_execution *of, uint32_t region);
/* Streams that any one execution fits into, all begun. NULL: no memory, or too large. */
struct trace_streams *kept_streams(const struct kept *kept);
/* The block that an address was in at a time in [since, until], else its page. False: in no block. */
bool kept_place(const struct kept *kept, size_t number, uint64_t address, uint64_t since, uint64_t until, struct array_place *out);
/* Of the array's largest block in any execution; 0: there is none. */
uint64_t kept_block_bytes(const struct kept *kept, uint32_t array);
/* From now on kept_narrow narrows places to these parts, which stay the caller's. */
void kept_divide(struct kept *kept, const struct array_parts *parts);
/* The same for addresses, within these parts. */
void kept_cut(struct kept *kept, const struct address_cuts *cuts);
void kept_narrow(const struct kept *kept, uint64_t address, struct array_place *place);
/* Blocks of the array or part, in any execution, at most `room`; returns how many there are. */
size_t kept_blocks_of(const struct kept *kept, uint32_t array, struct kept_range *out, size_t room);
/* Natural loops, [0] being none, as they were known last; and regions as they were known when the execution ended. */
size_t kept_loops(const struct kept *kept, const struct kept_loop **out);
size_t kept_regions(const struct kept *kept, size_t number, const struct kept_construct **out);
/*
 * Its words into the streams, which are empty; who touched pages first is as page_touches.h says from then on. `wants` NULL, or asked at each entry, with its region as
 * in TRACE_PART and the accesses of one time of it: it may take less than all times, from a later one on; none: it is left out. False: it is damaged, or there is no room.
 */
struct kept_times { uint64_t skip, nr; };
typedef void kept_wants(void *ctx, uint32_t thread, uint32_t region, uint64_t accesses, struct kept_times *times);
bool kept_play(struct kept *kept, size_t number, struct trace_streams *streams, kept_wants *wants, void *ctx);
/* The address of the code of a site in streams; 0: no such. */
uint64_t kept_site(const struct kept *kept, uint32_t site, uint32_t *number_out);

#endif
