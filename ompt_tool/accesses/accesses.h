/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_H
#define MEMSEARCH_ACCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/counting/access_table.h"
#include "memsearch/metric.h"

/*
 * Every access of code that runs as a clone (clones/clone.h), counted by region, data structure and
 * site. Each data structure met in a region becomes a region of kind DATA_STRUCTURE below it, whose
 * address is the array's number + 1, so that it is measured, searched and reported as any region
 * is; so do natural loops (loop_regions.h), with data structures below them. Accesses belong to the
 * innermost construct that asked for them.
 */
struct region_table;
struct thread;
struct sensor;

extern const struct sensor sensor_accesses;

#define ACCESSES_BIT (1u << MS_SENSOR_ACCESSES) /* of a region's requests */

/* Before the sensors are probed. */
void accesses_configure(struct region_table *regions);

/*
 * What recording and counting may take from now on, in ns of one thread, whichever has most: what a
 * region costs is only known when it is recorded, from a fifth of its own time to 90 times as much.
 * Where it does not suffice a part is counted (bursts.h). When it is used up all the same nothing
 * more is, and what the regions under way had so far is forgotten. Without a call there is no
 * limit. At phase boundaries.
 */
void accesses_allow(double ns);
/*
 * How long an execution of the phase takes: what is counted of one that takes too much is spread
 * over all of it. 0: not known. At phase boundaries.
 */
void accesses_pace(double execution_ns);
/*
 * What the thread may still take of it; UINT64_MAX: there is no limit. That thread, or at phase
 * boundaries.
 */
uint64_t accesses_left_ns(const struct thread *thread);
/*
 * What is done with what was recorded, by the initial thread at a phase boundary, takes of its
 * part.
 */
void accesses_spend(const struct thread *initial, uint64_t ns);
/* It is used up; any thread. */
bool accesses_used_up(void);
/*
 * The execution that begins will be left out: what is recorded in it is not counted, which would
 * take as much as in others. At phase boundaries.
 */
void accesses_pass_over(bool pass);

/*
 * Bursts: what is recorded goes into the trace alone and is not counted, and a thread that has
 * recorded BURST_WORDS_MOST in a parallel region, or for longer than it may, leaves its clones.
 * `on`: from now on; at phase boundaries. A burst begins, of parallel regions that begin from now
 * on, and ends: the ns of CPU time that it took on the thread that took longest. On the initial
 * thread, in serial code.
 */
void accesses_trace_alone(bool on);
void accesses_burst_begins(double ns);
/*
 * *left_out: threads had to leave their clones before a call, or took much of the time for page
 * faults: it is to be repeated
 */
double accesses_burst_ends(bool *left_out);
/*
 * ns of threads in which accesses of the parallel region were recorded so, without what that took,
 * since the last call. At phase boundaries.
 */
uint64_t accesses_take_burst(uint32_t region);

struct region_table *accesses_regions(void); /* those of accesses_configure */

/* Rows of one thread; any thread. */
void accesses_each(const struct thread *thread,
		   void (*visit)(void *ctx, const struct access_row *row, uint32_t executions),
		   void *ctx);
uint64_t accesses_dropped(const struct thread *thread);
/*
 * String instructions, memcpy and the like that were left out, as they would be of more than
 * RECORD_BYTES_MOST (clones/record.h).
 */
uint64_t accesses_too_long(const struct thread *thread);
/*
 * Constructs in which lines shared with other threads were not looked for, because the threads were
 * too far apart.
 */
uint64_t accesses_not_compared(const struct thread *thread);

/*
 * Words that were recorded in a construct, those of them that were counted, and those whose lines
 * were marked (bursts.h), over all its executions; any thread. What was not counted is estimated
 * from what was.
 */
struct accesses_counted {
	uint64_t recorded, counted, lined;
};
struct accesses_counted accesses_counted(uint32_t region);
/*
 * What all of the execution that ended would have taken, on the thread with most, where something
 * was left out; else 0. At phase boundaries.
 */
double accesses_whole_ns(void);

/*
 * Cache lines that threads share in a region of kind DATA_STRUCTURE; any thread. Sums over
 * executions that were compared.
 */
struct accesses_sharing {
	/* of which threads touch different words, and the same ones (sharing.h) */
	uint64_t lines, same_lines;
	uint64_t executions;
	uint64_t accesses, threads; /* to and in `lines` */
};
struct accesses_sharing accesses_sharing(uint32_t region);
/*
 * How often there was no room to look for them on a thread, in a data structure or in a whole
 * construct.
 */
uint64_t accesses_not_looked_at(uint32_t region);

#endif
