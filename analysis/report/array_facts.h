/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_ARRAY_FACTS_H
#define MEMSEARCH_REPORT_ARRAY_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/record/run.h"

/*
 * What recorded accesses, and their simulation on the modelled machine, say of one data structure
 * in one construct or natural loop: per execution of the phase, all threads together. Not here:
 * what to change because of that (cause.h).
 */
struct arena;

struct array_facts {
	double reads, writes; /* values; NAN: not recorded */
	/* of these, those that skip most of the bytes between them; NAN: not known */
	double strided;
	/* simulated; NAN, as all that follows: not simulated */
	double loads, stores;
	double misses[3]; /* by level; NAN: there is no such level */
	/* misses of the classified level, and the kinds of them */
	double classified, conflict, true_sharing, false_sharing;
	double l1_conflict;   /* conflict misses of the first level */
	double walks;         /* of the page table */
	double fetched, used; /* bytes */
	/* lines that accesses get from memory, and those of other nodes */
	double memory_lines, remote_lines;
	double prefetched_lines; /* lines that prefetchers get from memory */
	double stall_cycles;     /* if no two accesses overlapped */
};

/*
 * By region of kind DATA_STRUCTURE; other regions have NANs. [run->nr_regions], in the arena; NULL:
 * no memory.
 */
const struct array_facts *array_facts_of(struct arena *arena, const struct run *run);

/* In the region. False: not known. */
bool array_is_only_read(const struct array_facts *facts);

/*
 * How the instructions of a region, and of the loops in it, move through an array: parts of their
 * values.
 */
struct array_pattern {
	double strided;    /* constant distance of 64 bytes or more */
	double contiguous; /* constant distance below 64 bytes */
	double same;       /* the same place again */
	/* no constant distance, nor rows of accesses near each other */
	double irregular;
	/* bytes; the most frequent of those of 64 or more; 0: none */
	double stride;
	/* counted as contiguous: strided, but each line is used whole until it leaves the cache */
	bool in_tiles;
	/* strided: from row to row of blocks of a few rows, whose lines are used whole */
	bool in_narrow_blocks;
	double strided_stalls; /* part of the stall cycles, in strided instructions; 0: not known */
	double value_bytes;    /* of one value of the strided accesses, else of all */
	/* accesses that these are parts of; 0: none was recorded */
	double values;
	/* the instruction with the most stall cycles, else with the most values; NULL: none */
	const struct run_access *hot;
};

/*
 * `facts`: of the array in the region; accesses that together skip no bytes (vectors, unrolled
 * loops) count as contiguous, whatever the stride of each instruction.
 */
struct array_pattern array_pattern_of(const struct run *run, uint32_t array, uint32_t region,
				      const struct array_facts *facts);

/*
 * Part of the first-level misses that are conflicts, where most of these lines are in the second
 * level, whose own classes say nothing of them; else 0. NAN: not known.
 */
double array_l1_conflicts(const struct array_facts *facts);

/*
 * How the accesses move, in a word or two; NULL: by pattern->stride. Nothing was recorded: NULL and
 * no stride.
 */
const char *array_pattern_word(const struct array_pattern *pattern);

#endif
