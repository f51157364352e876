/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_LINE_SET_H
#define MEMSEARCH_COUNTING_LINE_SET_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The cache lines that one thread accesses in one execution of a construct: of each line the words
 * accessed and written, and the number of accesses. Not here: comparison with other threads
 * (comparison.h).
 *
 *     address ──hash──▶ piece of 64 KiB, one word per line:
 *                       {touched: 16 bits, written: 16 bits, accesses: 32 bits}
 *
 * Stride runs are marked as ranges. In zeroed memory reserved by the caller, of which an eighth of
 * the accessed bytes is touched. Owner only, callbacks allowed; readers after line_set_close.
 */
/* as ACCESS_LINE; on machines with longer lines more are shared */
#define LINE_BYTES 64
#define LINE_WORD 4 /* bytes per bit: smaller accesses count as their word */
#define LINE_PIECE (1u << 16)
#define LINE_PIECE_LINES (LINE_PIECE / LINE_BYTES)
/* of a thread, 512 MiB of addresses; further accesses are dropped and counted */
#define LINE_PIECES 8192
#define LINE_RECENT 1024 /* pieces in the direct-mapped look-up */

struct line_set;

struct line_piece {
	uint64_t address;
	uint32_t next;    /* of the same set, or of the free list: position + 1 */
	uint32_t touched; /* lines; set by line_set_close, as the next three */
	bool is_written;
	struct line_piece *after; /* by address */
	const struct line_set *set;
	uint64_t *lines; /* LINE_PIECE_LINES */
};

/* Memory for all sets of one thread. */
struct line_pool {
	uint32_t used, free; /* number ever used; head of the free list */
	struct line_piece pieces[LINE_PIECES];
	uint64_t lines[LINE_PIECES][LINE_PIECE_LINES];
};

struct line_set {
	struct line_pool *pool;
	uint32_t first;            /* piece: position + 1 */
	struct line_piece *sorted; /* all pieces by address, when the set is closed */
	uint64_t most;             /* highest number of accesses to a line */
	uint64_t lost;             /* dropped accesses */
	/* number of the piece's addresses, and its position + 1 in the low 16 bits */
	uint64_t recent[LINE_RECENT];
	uint64_t index[2 * LINE_PIECES]; /* the same */
};

static inline uint32_t line_touched(uint64_t line)
{
	return (uint32_t)(line & 0xffff);
}
static inline uint32_t line_written(uint64_t line)
{
	return (uint32_t)(line >> 16 & 0xffff);
}
static inline uint64_t line_accesses(uint64_t line)
{
	return line >> 32;
}

/* A stride run of `times` accesses of `bytes`; `weight`: factor of each access. */
struct line_walk {
	uint64_t address, bytes, times;
	int64_t stride;
	uint32_t weight;
	bool write;
};

void line_set_walk(struct line_set *set, const struct line_walk *walk);
/* One access to each word of 8 bytes of [address, address + bytes). */
void line_set_range(struct line_set *set, uint64_t address, uint64_t bytes, bool write);
/* Completes the set, for readers. */
void line_set_close(struct line_set *set);
/* Returns its pieces to the pool. */
void line_set_clear(struct line_set *set);

/*
 * Merges sorted lists into one, in which pieces of one address are adjacent: O(n log n). Initially
 * zero; changes `after` of the added pieces.
 */
struct line_order {
	struct line_piece *runs[24];
};

void line_order_add(struct line_order *order, struct line_piece *sorted);
struct line_piece *line_order_all(struct line_order *order);

#endif
