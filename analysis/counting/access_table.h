/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_ACCESS_TABLE_H
#define MEMSEARCH_COUNTING_ACCESS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/counting/access_queue.h"
#include "analysis/counting/access_rows.h"
#include "analysis/counting/line_set.h"
#include "analysis/trace/blocks.h"

/*
 * Counts of one thread's recorded accesses by region, natural loop, array and site (one memory
 * operand of the program's code):
 *
 *     words ─▶ uses[site] {last array, stride, counts} ─settle─▶ rows (region, site, array)
 *                                                          └──▶ sums (region, loop, array)
 *                                                                     ─▶ metrics
 *
 * An access is first counted at its site, because a site nearly always stays in its array; settling
 * moves the counts to the rows when the region or the array changes. Rows hold complete executions
 * only: counts of the current one are added when the region ends. Then sums of inner loops are
 * added to those of outer loops. Loops with constant strides are counted by run. In zeroed memory
 * reserved by the caller. Only the owner writes; other threads may read rows (published by nr) at
 * any time. No malloc, callbacks allowed.
 */

#define ACCESS_ROWS (1 << 15)
#define ACCESS_SUMS 8192
#define ACCESS_PERIOD 4096 /* words of one time of a loop, at most */

/* one site; `count` 0: settled */
struct access_use {
	uint64_t start, bytes; /* of the current block, in which no look-up is needed … */
	uint64_t time;         /* … as long as array_time() is this */
	uint64_t last, low, high;
	int64_t stride;
	uint64_t count, with_stride;
	uint64_t votes;
	int64_t far_step; /* the last one */
	uint64_t far, moved;
	uint32_t array;
	uint32_t execution; /* that `last` is of */
};

/* Addresses of data and loops, at any time of the recording. */
struct access_world {
	void (*place)(void *ctx, uint64_t address, uint64_t since, uint64_t until,
		      struct array_place *out);
	/* joined loop of a site's loop number; 0: none */
	uint32_t (*loop)(void *ctx, uint32_t number);
	/* joined loop around a joined loop; 0: none */
	uint32_t (*parent)(void *ctx, uint32_t joined);
	void *ctx;
};

struct access_table {
	const struct access_world *world;
	struct line_set *lines; /* also marks lines; NULL: does not */
	uint32_t region;        /* of the accesses counted now */
	uint32_t execution;     /* of any region; a stride is taken within one */
	double weight;          /* factor of the accesses counted now; 0: 1 */
	uint64_t before, time;  /* time range (blocks.h) of the current words */
	uint64_t dropped;       /* dropped accesses; atomic */
	/* string instructions and RECORD_RANGEs longer than RECORD_BYTES_MOST; atomic */
	uint64_t too_long;
	uint32_t nr_rows, nr_sums, nr_unsettled;
	struct access_queue queue;
	/* words of one iteration of a loop that is counted by iteration */
	uint64_t each[ACCESS_PERIOD];
	uint16_t row_index[2 * ACCESS_ROWS], sum_index[2 * ACCESS_SUMS];
	struct access_row rows[ACCESS_ROWS]; /* of ended executions … */
	/* … the same rows since the region's last end … */
	struct access_row under_way[ACCESS_ROWS];
	/* … as a list for each region: position + 1; 0: it is in none */
	uint32_t next_under_way[ACCESS_ROWS];
	struct access_sum sums[ACCESS_SUMS];
	uint32_t unsettled[ACCESS_SITES];
	struct access_use uses[ACCESS_SITES];
};

/* Sets the time range of the accesses that follow. */
void access_table_part(struct access_table *table, uint64_t before, uint64_t now);
/* Counts whole stretches (trace/stretches.h) of `table->region`, none of them RECORD_COUNTED. */
void access_table_words(struct access_table *table, const uint64_t *words, size_t nr);
/*
 * The same for `times` iterations: `two` are the words of the first and the second one, `period`
 * words each.
 */
void access_table_again(struct access_table *table, const uint64_t *two, size_t period,
			uint64_t times);
/*
 * Adds words recorded and words counted; counts are extrapolated to all recorded words when the
 * region ends.
 */
void access_table_note(struct access_table *table, uint64_t recorded, uint64_t counted);
/* Sets the factor of the accesses that follow. */
void access_table_weigh(struct access_table *table, double weight);
/* Words that the words count for. */
uint64_t access_table_weighted(const struct access_table *table, uint64_t words);
/* Settles the counts of the current region; continues with `region`. */
void access_table_enter(struct access_table *table, uint32_t region);
/* Marks the current region's execution as incomplete: its recorded words are not counted. */
void access_table_skip(struct access_table *table);
/*
 * Ends the region: `counts` of its sums are those since its last end. Returns the first one,
 * (region, 0, ALL); the others follow by `next`. `executions`: of the phase; 0: the region
 * continues, and its rows are not updated yet. NULL: the table is full, or words were not counted;
 * the execution is dropped.
 */
struct access_sum *access_table_end(struct access_table *table, uint32_t region,
				    uint32_t executions);
struct access_sum *access_table_next(struct access_table *table, const struct access_sum *sum);

/* Multiplies the region's counts since its last end. */
void access_table_scale(struct access_table *table, uint32_t region, double factor);
/* The region's reads and writes since its last end. */
uint64_t access_table_under_way(struct access_table *table, uint32_t region);
/* Drops the region's counts since its last end. */
void access_table_forget(struct access_table *table, uint32_t region);
/* Moves them to region `to`: for code that runs before its region is known. */
void access_table_rename(struct access_table *table, uint32_t from, uint32_t to);

/* Drops all counts of the region, unless `recording` is its current number; initially 0. */
void access_table_renew(struct access_table *table, uint32_t region, uint32_t recording);
/* Any thread. */
uint32_t access_table_recording(const struct access_table *table, uint32_t region);

/*
 * Any thread; counts may lack the last execution. `executions`: completely recorded ones of the
 * region. Rows with none have no counts.
 */
void access_table_each(const struct access_table *table,
		       void (*visit)(void *ctx, const struct access_row *row, uint32_t executions),
		       void *ctx);

#endif
