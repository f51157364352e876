/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_COMPARISON_H
#define MEMSEARCH_COUNTING_COMPARISON_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/counting/line_set.h"
#include "analysis/trace/blocks.h"

/*
 * Compares the cache lines that the threads of a team accessed in one execution of a construct
 * (line_set.h).
 *
 * A line written by one thread and accessed by another is shared: false sharing if no word is
 * shared, else true sharing. Also counts the different lines that the team accesses.
 */
#define COMPARED_ARRAYS 512 /* data structures of one execution of a construct */

/* Words of two threads in the line with the most accesses. */
struct line_suspect {
	uint64_t words[2];  /* addresses; the first is written */
	uint64_t accesses;  /* to the line; 0: there is none */
	bool writes_second; /* else it is only read */
};

struct compared_array {
	/* the array's number; its region's, of kind DATA_STRUCTURE */
	uint32_t array, region;
	uint64_t accesses; /* of this thread, to lines with false sharing */
	/* false sharing, and true sharing; the sum over threads has each line once … */
	uint64_t lines, same_lines;
	/* lines, of the construct itself; the sum over threads has each line once */
	uint64_t touched;
	uint32_t executions; /* … and 1 for the execution */
	/* with the most accesses, of lines compared by this thread */
	struct line_suspect suspect;
};

/* Of one thread. */
struct compared {
	bool incomplete;  /* the table was full */
	uint64_t touched; /* lines, without those counted for another thread */
	uint32_t nr_arrays;
	struct compared_array arrays[COMPARED_ARRAYS];
	struct line_set lines;              /* closed (line_set_close) */
	struct compared *next, *with_piece; /* of the team; with the same piece */
	const struct line_piece *piece;
	struct compared_array *at; /* last one */
};

struct comparison {
	/* false: in no block */
	bool (*place)(void *ctx, uint64_t address, struct array_place *out);
	void *ctx;
	/* of the previous line */
	struct {
		uint64_t start, bytes;
		uint32_t array;
	} block;
	struct {
		uint32_t touched[LINE_PIECE_LINES], written[LINE_PIECE_LINES];
		uint32_t clash[LINE_PIECE_LINES], several[LINE_PIECE_LINES];
	} scratch;
};

/* Clears it for a new execution. */
void compared_clear(struct compared *set);
/* The row of a data structure; NULL: none. */
struct compared_array *compared_array(struct compared *set, uint32_t array);
/* Adds one if it is new. */
void compared_met(struct compared *set, uint32_t array, uint32_t region);
/* Fills the rows of all threads. False: one of them is incomplete, and the rows are invalid. */
bool compare_lines(struct comparison *comparison, struct compared *first);

#endif
