/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_COMPARISON_H
#define MEMSEARCH_COUNTING_COMPARISON_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/counting/line_set.h"
#include "analysis/trace/blocks.h"

/*
 * Compares the cache lines that the threads of a team touched in one execution of a construct (line_set.h).
 *
 * A line that one thread wrote and another touched is shared. Where no word of it is, only its place in memory makes it so:
 * that is false sharing. Where a word is, the program means it. How many different lines the team touches is counted, too.
 */
#define COMPARED_ARRAYS 512              /* data structures met in one execution of a construct */

/* Two words of the line with the most accesses; each is one thread's. */
struct line_suspect {
	uint64_t words[2];               /* addresses; the first is written */
	uint64_t accesses;               /* to the line; 0: there is none */
	bool writes_second;              /* else it is only read */
};

struct compared_array {
	uint32_t array, region;          /* the array's number; its region's, of kind DATA_STRUCTURE */
	uint64_t accesses;               /* of this thread, to lines falsely shared */
	uint64_t lines, same_lines;      /* falsely shared, and those whose words are; the sum over threads has each line once … */
	uint64_t touched;                /* of the construct itself: lines; the sum over threads has each line once */
	uint32_t executions;             /* … and 1 for the execution, as one of them */
	struct line_suspect suspect;     /* with the most accesses, of the lines that this thread compared */
};

/* One thread's. */
struct compared {
	bool incomplete;                 /* there was no room for all */
	uint64_t touched;                /* lines, but for those that are counted for another thread */
	uint32_t nr_arrays;
	struct compared_array arrays[COMPARED_ARRAYS];
	struct line_set lines;           /* closed (line_set_close) */
	struct compared *next, *with_piece;      /* of the team; compared with it */
	const struct line_piece *piece;
	struct compared_array *at;       /* met last */
};

struct comparison {
	bool (*place)(void *ctx, uint64_t address, struct array_place *out);     /* false: in no block */
	void *ctx;
	struct { uint64_t start, bytes; uint32_t array; } block;                 /* where the line before was */
	struct {
		uint32_t touched[LINE_PIECE_LINES], written[LINE_PIECE_LINES];
		uint32_t clash[LINE_PIECE_LINES], several[LINE_PIECE_LINES];
	} scratch;
};

/* An execution begins: nothing is known. */
void compared_clear(struct compared *set);
/* The row of a data structure; NULL: none. */
struct compared_array *compared_array(struct compared *set, uint32_t array);
/* Adds one, if it is not among them. */
void compared_met(struct compared *set, uint32_t array, uint32_t region);
/* Fills in the rows of all threads. False: not all is known of one of them, and they say nothing. */
bool compare_lines(struct comparison *comparison, struct compared *first);

#endif
