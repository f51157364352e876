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
/*
 * a site beyond is counted as dropped. CloverLeaf, a program of 5,000 lines, has 39,000 to 44,000
 */
#define ACCESS_SITES (1 << 18)
#define ACCESS_ROWS (1 << 15)
#define ACCESS_SUMS 8192
#define ACCESS_PERIOD 4096 /* words of one time of a loop, at most */
/* bytes: a run with a smaller stride skips no line, on machines with lines of this size or more */
#define ACCESS_LINE 64
#define ACCESS_FAR 512 /* bytes: from such a step on, prefetchers that follow lines bring nothing */

struct access_counts {
	uint64_t reads, writes; /* elements; an access that does both counts as both */
	uint64_t read_bytes, written_bytes;
	/*
	 * elements of sites with a stride of a line or more that use less than half of it, see
	 * density
	 */
	uint64_t strided;
	uint64_t contiguous; /* elements of sites with a stride that is shorter or uses more */
	/*
	 * steps from the site's last access that are not its stride: `far` ones (ACCESS_FAR) unlike
	 * the last far one, and `moved`, all others to another line
	 */
	uint64_t far, moved;
};

void access_counts_add(struct access_counts *to, const struct access_counts *from);

struct access_row {
	uint32_t region, site, array; /* array: ARRAY_NONE: in none of the arrays */
	/*
	 * bytes, the site's most frequent one (majority vote, Boyer and Moore 1991); 0: none, or a
	 * constant address
	 */
	int64_t stride;
	uint64_t with_stride; /* accesses at this stride */
	uint64_t low, high;   /* range of accessed addresses: [low, high) */
	struct access_counts counts;
};

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

#define ACCESS_ALL (UINT32_MAX - 1) /* for an array: whatever the array */

/*
 * Words recorded, words counted, and words that the counted ones represent: not all, if the region
 * ended before the next count.
 */
struct access_words {
	uint64_t recorded, counted, stand_for;
};

/*
 * Of one array in one loop of a region; loop 0: in the region. `outer`, `all`, `next`: positions +
 * 1, 0: none.
 *
 *     (region, 0, ALL) ◀─outer── (region, loop, ALL)
 *            ▲ all                      ▲ all
 *     (region, 0, a)   ◀─outer── (region, loop, a)  ◀─ counts of sites
 */
struct access_sum {
	uint32_t region, loop, array; /* loop: see loop_joined */
	uint32_t outer, all;
	uint32_t next; /* of the same region */
	/* of (region, 0, ALL), as the next three: ends of the region; atomic */
	uint32_t ends;
	uint32_t recording; /* number of access_table_renew; atomic */
	/* first one of the current execution: position + 1, 0: none */
	uint32_t rows;
	bool partly;    /* not all words since the last end were counted */
	bool estimated; /* of the last ended execution, or its parts so far, words were skipped */
	/*
	 * since the last end; before it, in earlier parts of the execution; of the current rows; of
	 * the last ended execution or part
	 */
	struct access_words now, parts, under_way, ended;
	/*
	 * for the receiver of sums: its region's number + 1, or MS_REGION_NONE; 0: not searched yet
	 */
	uint32_t place;
	/* of sites in no inner loop, since the region's last end */
	struct access_counts own;
	struct access_counts own_parts; /* of earlier parts of the execution */
	struct access_counts counts;    /* with inner loops, of the last ended execution */
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
