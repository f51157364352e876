/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_LINE_SET_H
#define MEMSEARCH_COUNTING_LINE_SET_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The cache lines that one thread touches in one execution of a construct: of each line which words it touched and
 * which of these it wrote, and how often it accessed the line. Not here: what other threads do with them (sharing.h).
 *
 *     address ──hash──▶ piece of 64 KiB: a word a line {touched: 16 bits, written: 16 bits, accesses: 32 bits}
 *
 * Walks by constant strides are marked as ranges. Lives in zeroed memory reserved by the caller, of which only what is
 * needed is touched: an eighth of the memory accessed. Owner only, callbacks allowed; readers after line_set_close.
 */
#define LINE_BYTES 64                    /* as ACCESS_LINE: where lines are longer, more are shared */
#define LINE_WORD 4                      /* bytes a bit stands for: what is smaller counts as the word it is in */
#define LINE_PIECE (1u << 16)
#define LINE_PIECE_LINES (LINE_PIECE / LINE_BYTES)
#define LINE_PIECES 8192                 /* of a thread, 512 MiB of addresses; what is beyond is counted as lost */
#define LINE_RECENT 1024                 /* pieces found at once, if they are near each other */

struct line_set;

struct line_piece {
	uint64_t address;
	uint32_t next;                   /* of the same set, or of those not used: position + 1 */
	uint32_t touched;                /* lines; known when the set is closed, as the next three */
	bool is_written;
	struct line_piece *after;        /* by address */
	const struct line_set *set;
	uint64_t *lines;                 /* LINE_PIECE_LINES */
};

/* One thread's; its sets share it. */
struct line_pool {
	uint32_t used, free;             /* so many were ever used; those that are not now */
	struct line_piece pieces[LINE_PIECES];
	uint64_t lines[LINE_PIECES][LINE_PIECE_LINES];
};

struct line_set {
	struct line_pool *pool;
	uint32_t first;                  /* piece: position + 1 */
	struct line_piece *sorted;       /* all of them, once the set is closed */
	uint64_t most;                   /* no line was accessed more often */
	uint64_t lost;                   /* accesses that found no room */
	uint64_t recent[LINE_RECENT];    /* number of the piece's addresses, and its position + 1 in the low 16 bits */
	uint64_t index[2 * LINE_PIECES]; /* the same */
};

static inline uint32_t line_touched(uint64_t line) { return (uint32_t)(line & 0xffff); }
static inline uint32_t line_written(uint64_t line) { return (uint32_t)(line >> 16 & 0xffff); }
static inline uint64_t line_accesses(uint64_t line) { return line >> 32; }

/* `times` accesses of `bytes` each, the next one `stride` further on; `weight`: what each counts. */
struct line_walk {
	uint64_t address, bytes, times;
	int64_t stride;
	uint32_t weight;
	bool write;
};

void line_set_walk(struct line_set *set, const struct line_walk *walk);
/* [address, address + bytes) in words of 8 bytes, each accessed once. */
void line_set_range(struct line_set *set, uint64_t address, uint64_t bytes, bool write);
/* Nothing more comes: others may read it. */
void line_set_close(struct line_set *set);
/* Its pieces go back to the pool. */
void line_set_clear(struct line_set *set);

/*
 * Sorted lists become one, in which pieces of one address lie side by side: n log n steps in all. Begins with zeros; `after` of what
 * was added is changed.
 */
struct line_order { struct line_piece *runs[24]; };

void line_order_add(struct line_order *order, struct line_piece *sorted);
struct line_piece *line_order_all(struct line_order *order);

#endif
