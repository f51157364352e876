/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_ACCESS_TABLE_H
#define MEMSEARCH_COUNTING_ACCESS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/counting/access_queue.h"
#include "analysis/counting/line_set.h"
#include "analysis/trace/blocks.h"

/*
 * What one thread's recorded accesses amount to, by region, natural loop, array and site (one memory operand of the
 * program's code):
 *
 *     words ─▶ uses[site] {array met last, stride, counts} ─settle─▶ rows (region, site, array)
 *                                                              └──▶ sums (region, loop, array) ─▶ metrics
 *
 * An access is first counted with its site, because a site nearly always goes on in the array it was in;
 * settling moves the counts to the rows when the region or the array changes. Rows are told of whole executions only: what is
 * under way joins them when the region ends. Then the sums of its loops
 * go up the nest, too, so that each holds those of the loops inside. Loops with constant strides are counted at
 * once. Lives in zeroed memory reserved by
 * the caller. Only the owner writes; others read rows (published by nr) while it goes on. No malloc, callbacks allowed.
 */
#define ACCESS_SITES (1 << 18)           /* a site beyond is counted as dropped. CloverLeaf, a program of 5,000 lines, has 39,000 to 44,000 */
#define ACCESS_ROWS (1 << 15)
#define ACCESS_SUMS 8192
#define ACCESS_PERIOD 4096               /* words of one time of a loop, at most */
#define ACCESS_LINE 64                   /* bytes: a walk by less leaves out no line, whatever the machine's lines are */

struct access_counts {
	uint64_t reads, writes;          /* elements; an access that does both counts as both */
	uint64_t read_bytes, written_bytes;
	uint64_t strided;                /* elements of sites that walk on by a line or more and leave out half of it, see density */
};

void access_counts_add(struct access_counts *to, const struct access_counts *from);

struct access_row {
	uint32_t region, site, array;    /* array: ARRAY_NONE: in none of the arrays */
	int64_t stride;                  /* bytes, the site's most frequent one (majority vote, Boyer and Moore 1991); 0: none, or always the same place */
	uint64_t with_stride;            /* accesses that kept to it */
	uint64_t low, high;              /* addresses touched lie in [low, high) */
	struct access_counts counts;
};

struct access_use {                      /* one site; `count` 0: settled */
	uint64_t start, bytes;           /* of the block it is in: its array need not be looked up there … */
	uint64_t time;                   /* … as long as array_time() is this */
	uint64_t last, low, high;
	int64_t stride;
	uint64_t count, with_stride;
	uint64_t votes;
	uint32_t array;
	uint32_t execution;              /* that `last` is of */
};

#define ACCESS_ALL (UINT32_MAX - 1)      /* for an array: whatever the array */

/* Words that were recorded, those of them that were counted, and how many these stand for: fewer than all where the region ended before the next were counted. */
struct access_words { uint64_t recorded, counted, stand_for; };

/*
 * Of one array in one loop of a region; loop 0: in the region. `outer`, `all`, `next`: positions + 1, 0: none.
 *
 *     (region, 0, ALL) ◀─outer── (region, loop, ALL)
 *            ▲ all                      ▲ all
 *     (region, 0, a)   ◀─outer── (region, loop, a)  ◀─ counts of sites
 */
struct access_sum {
	uint32_t region, loop, array;    /* loop: see loop_joined */
	uint32_t outer, all;
	uint32_t next;                   /* of the same region */
	uint32_t ends;                   /* of (region, 0, ALL), as the next three: times the region ended; atomic */
	uint32_t recording;              /* number of access_table_renew; atomic */
	uint32_t rows;                   /* first of those under way: position + 1, 0: none */
	bool partly;                     /* not all that was recorded since the last end was taken */
	struct access_words now, under_way, ended;       /* since the last end; that of the rows under way; and what ended last */
	uint32_t place;                  /* for who gets the sums: its region's number + 1, or MS_REGION_NONE; 0: not looked for yet */
	struct access_counts own;        /* of sites in no inner loop, since the region's last end */
	struct access_counts counts;     /* with inner loops', of what ended last */
};

/* Where data was, and what loops there are, at any time of the recording. */
struct access_world {
	void (*place)(void *ctx, uint64_t address, uint64_t since, uint64_t until, struct array_place *out);
	uint32_t (*loop)(void *ctx, uint32_t number);    /* joined loop of a site's loop number; 0: none */
	uint32_t (*parent)(void *ctx, uint32_t joined);  /* joined loop around a joined loop; 0: none */
	void *ctx;
};

struct access_table {
	const struct access_world *world;
	struct line_set *lines;          /* where lines are marked, too; NULL: nowhere */
	uint32_t region;                 /* what is counted now belongs to it */
	uint32_t execution;              /* of any region; a stride is taken within one */
	double weight;                   /* what is counted now stands for that many times as much; 0: as 1 */
	uint64_t before, time;           /* times of blocks (blocks.h) between which the words under way were recorded */
	uint64_t dropped;                /* accesses that found no room; atomic */
	uint64_t too_long;               /* string instructions, memcpy and the like of more than RECORD_BYTES_MOST; atomic */
	uint32_t nr_rows, nr_sums, nr_unsettled;
	struct access_queue queue;
	uint64_t each[ACCESS_PERIOD];    /* words of one time of a loop that is counted time by time */
	uint16_t row_index[2 * ACCESS_ROWS], sum_index[2 * ACCESS_SUMS];
	struct access_row rows[ACCESS_ROWS];             /* of executions that have ended … */
	struct access_row under_way[ACCESS_ROWS];        /* … and the same rows since the region's last end … */
	uint32_t next_under_way[ACCESS_ROWS];            /* … as a list for each region: position + 1; 0: it is in none */
	struct access_sum sums[ACCESS_SUMS];
	uint32_t unsettled[ACCESS_SITES];
	struct access_use uses[ACCESS_SITES];
};

/* What follows was recorded between two times of blocks. */
void access_table_part(struct access_table *table, uint64_t before, uint64_t now);
/* Counts whole stretches (trace/stretches.h) of the region now in `table->region`, none of them RECORD_COUNTED. */
void access_table_words(struct access_table *table, const uint64_t *words, size_t nr);
/* The same `times` times: `two` are the words of the first and the second time, each of `period` words. */
void access_table_again(struct access_table *table, const uint64_t *two, size_t period, uint64_t times);
/* Notes words that were recorded, and those of them that are counted; the others are estimated from these when the region ends. */
void access_table_note(struct access_table *table, uint64_t recorded, uint64_t counted);
/* What is counted from now on stands for `weight` times as much. */
void access_table_weigh(struct access_table *table, double weight);
/* What was taken so far belongs to the region now set; from now on to `region`. */
void access_table_enter(struct access_table *table, uint32_t region);
/* The same was recorded and is not taken: what the region now set has in this execution is not all of it. */
void access_table_skip(struct access_table *table);
/*
 * The region ends: `counts` of its sums are what came since its last end. The first of them, (region, 0, ALL), and the one
 * behind. `executions`: those it stands for; 0: it goes on, and its rows are not told yet. NULL: there was no room, something was
 * skipped, or all was passed over; all of this execution is forgotten then.
 */
struct access_sum *access_table_end(struct access_table *table, uint32_t region, uint32_t executions);
struct access_sum *access_table_next(struct access_table *table, const struct access_sum *sum);

/* What the region has since its last end stands for that many times as much. */
void access_table_scale(struct access_table *table, uint32_t region, double factor);
/* Reads and writes that the region has since its last end. */
uint64_t access_table_under_way(struct access_table *table, uint32_t region);
/* What the region has since its last end is forgotten. */
void access_table_forget(struct access_table *table, uint32_t region);
/* The same goes to region `to`: for what runs before it is known which region it is. */
void access_table_rename(struct access_table *table, uint32_t from, uint32_t to);

/* All that is known of the region is forgotten, unless it has this number already; 0 at first. */
void access_table_renew(struct access_table *table, uint32_t region, uint32_t recording);
/* Any thread. */
uint32_t access_table_recording(const struct access_table *table, uint32_t region);

/* Any thread; counts may be one execution behind. `executions`: of the region, in which all accesses were recorded. Rows without any have no counts. */
void access_table_each(const struct access_table *table,
		       void (*visit)(void *ctx, const struct access_row *row, uint32_t executions), void *ctx);

#endif
