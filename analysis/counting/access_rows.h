/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_ACCESS_ROWS_H
#define MEMSEARCH_COUNTING_ACCESS_ROWS_H

#include <stdbool.h>
#include <stdint.h>

/* Rows and sums of an access table (access_table.h), which its receivers read. */

/* bytes: a run with a smaller stride skips no line, on machines with lines of this size or more */
#define ACCESS_LINE 64
#define ACCESS_FAR 512 /* bytes: from such a step on, prefetchers that follow lines bring nothing */

/*
 * a site beyond is counted as dropped. CloverLeaf, a program of 5,000 lines, has 39,000 to 44,000
 */
#define ACCESS_SITES (1 << 18)

struct access_counts {
	uint64_t reads, writes; /* elements; an access that does both counts as both */
	uint64_t read_bytes, written_bytes;
	/*
	 * elements of sites with a stride of a line or more that use less than half of it, see
	 * density
	 */
	uint64_t strided;
	uint64_t contiguous; /* elements of sites with a stride that is shorter or uses more */
	uint64_t atomics;    /* of the writes, those of atomic instructions */
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

#endif
