/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_RUN_ACCESSES_H
#define MEMSEARCH_RECORD_RUN_ACCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/debuginfo/source.h"

/* Recorded accesses of a run (run.h), their simulated misses, and cache lines that threads share. */

/*
 * What accesses miss on the modelled machine (--machine), and what that moves. Sums of all threads
 * over the executions of the phase that were simulated: those in which its metrics were measured.
 */
struct run_misses {
	uint64_t reads, writes; /* simulated; both 0: none was */
	uint64_t l1, l2, l3;    /* accesses that this level does not serve */
	/* of those of L2, or of L1 where there is no L2 */
	uint64_t cold, capacity, conflict, true_sharing, false_sharing;
	/* lines from the memory of the own node and of others, and from other cores */
	uint64_t local, remote, transfers;
	uint64_t prefetched;  /* accesses to lines that a prefetcher had brought */
	uint64_t prefetches;  /* lines from memory that prefetchers brought */
	uint64_t write_backs; /* lines written to memory */
	uint64_t page_walks;
	uint64_t fetched, used; /* bytes of lines brought, and of these touched */
	uint64_t cycles;        /* waited if nothing overlaps */
};

/*
 * What one instruction does to one data structure in one region: every access of the executions
 * that were recorded, all threads together. A vector is one value.
 */
#define RUN_ARRAY_NONE UINT32_MAX /* in none of the arrays */
struct run_access {
	uint32_t array, region;
	struct code_address address;
	uint32_t bytes; /* of a value */
	/* region of the innermost natural loop it is in; of another kind: it is in none */
	uint32_t loop;
	uint64_t reads, writes; /* values */
	/*
	 * of the region, summed over the threads that recorded it; task and single: of all, for
	 * each of these
	 */
	uint64_t executions;
	uint32_t threads; /* that accessed it */
	/* number of the operand in the run's traces (analysis/trace/trace_pieces.h) */
	uint32_t site;
	uint64_t least, most; /* values of the thread with the fewest and the most */
	/*
	 * bytes between its accesses, the most frequent; 0: none, or always the same place. Of a copy
	 * that the compiler made by unrolling, those between the accesses of all copies (unrolled)
	 */
	double stride;
	double with_stride; /* part of the accesses that keep to it */
	/*
	 * part of its steps to another cache line that are its stride, short, or like the last far
	 * one (analysis/counting/access_rows.h); 0 in records before STORE_VERSION 32
	 */
	double regular;
	/*
	 * bytes by which it reads behind what its loop writes, which earlier iterations have
	 * written; 0: it does not, as far as ranges of addresses show
	 */
	uint64_t carried;
	/*
	 * of one of the threads, from the lowest address of the array that it accesses in the region
	 * to the lowest of this instruction, + 1; 0: not known, as in records before STORE_VERSION 41
	 */
	uint64_t start;
	/* copies of it in the loop (report/unrolled.h), itself included; 0: not known */
	uint32_t unrolled;
	struct source source; /* filled when resolved */
	struct run_misses misses;
};

/*
 * Of the region by each thread, as threads execute one together. 0: none was recorded completely.
 */
static inline double run_access_executions(const struct run_access *access)
{
	return access->threads ? (double)access->executions / access->threads : 0;
}

/*
 * Cache lines of one data structure that threads share in one region. Sums over the executions that
 * were compared.
 */
struct run_sharing {
	uint32_t array, region;
	uint64_t executions;
	/* that one thread writes and another touches, no word of them both */
	uint64_t lines;
	uint64_t same_lines; /* the same, but words of these, too */
	uint64_t accesses;   /* to `lines` */
	uint64_t threads;    /* that touch some of them */
};

#endif
