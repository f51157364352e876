/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_H
#define MEMSEARCH_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The recorded accesses of one thread, in order, until they are simulated: stretches of the record
 * (stretches.h), loops with constant strides as one entry, and marks where threads synchronise.
 * A queue between two threads, without locks.
 *
 *     owner ──▶ │ words … │ again: times, words, amounts │ mark │ words … │ ──▶ simulating thread
 *
 * Memory is pieces of one pool for all threads. When the pool is empty the call fails and drops the
 * entry. No malloc, callbacks allowed.
 */
#define TRACE_PIECE_WORDS 8192                  /* 64 KiB */
#define TRACE_ENTRY_MAX (TRACE_PIECE_WORDS - 2) /* words of an entry without its head */

struct trace_piece {
	uint32_t filled; /* words; atomic */
	/* number of the next piece + 1; 0: none yet; atomic. Free pieces: of the next free one */
	uint32_t next;
	uint64_t words[TRACE_PIECE_WORDS - 1];
};

struct trace_pool {
	/* number of the first + 1, and in the upper half how often it changed; atomic */
	uint64_t free;
	uint32_t nr, used; /* pieces; used: those ever allocated; atomic */
	struct trace_piece *pieces;
};

struct trace {
	struct trace_pool *pool;
	uint32_t last;       /* owner: piece that is written, + 1 */
	uint32_t most, held; /* pieces: limit (0: none), and in use; atomic: held */
	/*
	 * reader: piece that is read, + 1, and the word there; atomic: first, written once by the
	 * owner
	 */
	uint32_t first, at;
};

/* `pieces`: zeroed memory, touched only when used. */
void trace_pool_init(struct trace_pool *pool, struct trace_piece *pieces, uint32_t nr);

enum trace_kind {
	TRACE_WORDS = 1, /* whole stretches */
	/*
	 * words[0] iterations of `period` words, to which each iteration adds the `period` words
	 * behind them
	 */
	TRACE_AGAIN,
	TRACE_MARK,
};

/* The caller defines the marks (stream.h). */
struct trace_entry {
	enum trace_kind kind;
	uint32_t mark; /* of a mark, 24 bits */
	uint32_t nr;   /* words: of stretches, of one iteration, of a mark */
	uint64_t times;
	const uint64_t *words, *amounts; /* until the reader's next call */
};

/* Owner only. False: no memory; the entry is dropped, earlier entries are complete. */
bool trace_put_words(struct trace *trace, const uint64_t *words, size_t nr);
/* `words`: two consecutive iterations, whose difference is the strides. */
bool trace_put_again(struct trace *trace, const uint64_t *words, size_t period, uint64_t times);
bool trace_put_mark(struct trace *trace, uint32_t mark, const uint64_t *words, size_t nr);

/*
 * One reader at a time. False: no entry now. trace_take then removes the entry and frees its
 * memory.
 */
bool trace_look(const struct trace *trace, struct trace_entry *out);
void trace_take(struct trace *trace);
/* The same for a copy of the struct: pieces are not freed. */
void trace_pass(struct trace *reader);
/* Words not yet taken, with all iterations of loops. */
uint64_t trace_words(const struct trace *trace);

#endif
