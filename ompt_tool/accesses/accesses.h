/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_H
#define MEMSEARCH_ACCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/counting/access_rows.h"
#include "memsearch/metric.h"

/*
 * Counts every memory access of code that runs as a clone (clones/clone.h), by region, data
 * structure and instruction. Each data structure accessed in a region becomes a region of kind
 * DATA_STRUCTURE below it,
 * whose address is the array's number + 1, so that it is measured, searched and reported like any
 * other region. So do natural loops (loop_regions.h), with data structures below them. Accesses
 * belong to the innermost construct that requests them.
 */
struct region_table;
struct thread;
struct sensor;

extern const struct sensor sensor_accesses;

#define ACCESSES_BIT (1u << MS_SENSOR_ACCESSES) /* bit of this sensor in a region's requests */
#define LOOPS_BIT (1u << MS_SENSOR_LOOPS)       /* of the sensor of loop_times.h */
#define CLONES_BITS (ACCESSES_BIT | LOOPS_BIT)  /* sensors whose regions run as clones */

/* Before the sensors are probed. */
void accesses_configure(struct region_table *regions);

/*
 * Sets the time that recording and counting may take from now on, in ns, on the thread where they
 * take most. The cost of a region is unknown before it is recorded: from a fifth of its own time to
 * 90 times as much. If the time does not suffice, a part of the words is counted (bursts.h). If it
 * is still used up, counting stops and the counts of regions that have not ended are discarded.
 * Without a call there is no limit. At phase boundaries.
 */
void accesses_allow(double ns);
/*
 * Sets the duration of an execution of the phase, over which counting is spread if it is limited,
 * and the longest one: an execution that takes more than ACCESSES_OTHER_TIMES as long is another
 * kind of step, and uses up the allowance. 0: unknown. At phase boundaries.
 */
#define ACCESSES_OTHER_TIMES 6
void accesses_pace(double usual_ns, double longest_ns);
/*
 * Time left of accesses_allow for the thread, in ns; UINT64_MAX: no limit. That thread, or at phase
 * boundaries.
 */
uint64_t accesses_left_ns(const struct thread *thread);
/*
 * Charges `ns` to the time of accesses_allow: work on recorded accesses by the initial thread at a
 * phase boundary.
 */
void accesses_charge(const struct thread *initial, uint64_t ns);
/* Whether the time of accesses_allow is used up: threads leave their clones; any thread. */
bool accesses_used_up(void);
/*
 * Whether the execution that begins will be discarded: its accesses are recorded but not counted,
 * as counting would cost as much as in other executions. `inside`: the boundary lies inside of the
 * outermost parallel region, of which the initial thread begins a part there, and each other thread
 * at its next construct (ompt_tool/events/region_parts.c): that part belongs to the next execution, and is
 * counted. At phase boundaries.
 */
void accesses_pass_over(bool pass, bool inside);

/*
 * Bursts: recorded words go to the trace and are not counted, and a thread leaves its clones when
 * it has recorded BURST_WORDS_MOST words, or has used its time.
 *
 * accesses_trace_alone: whether to record bursts from now on; at phase boundaries.
 * accesses_burst_begins: parallel regions that begin from now on record bursts (burst_pace.h). These
 * may take `left_ns` of CPU time per thread plus the share `limit` of the time from now on.
 * accesses_burst_ends: ends that, and returns the CPU time of bursts in ns on the thread where it is
 * highest. On the initial thread, in serial code.
 */
void accesses_trace_alone(bool on);
void accesses_burst_begins(double left_ns, double limit);
/*
 * *left_out: the burst should be repeated, because threads left their clones before a call, or spent
 * much of it in page faults
 */
double accesses_burst_ends(bool *left_out);
/*
 * Whether tasks that the thread creates now may be recorded, by any thread: during a burst, when the
 * next burst is due, and for some tasks in between; always if bursts are not recorded. That thread,
 * callbacks allowed.
 */
bool accesses_records_tasks(const struct thread *self);
/*
 * In the thread's code or in a callback: the thread leaves its clones before its next call of the
 * runtime.
 */
void accesses_leave_clones(struct thread *self);
bool accesses_work(void); /* the result of the sensor's probe; false before it */
struct region_table *accesses_regions(void); /* as passed to accesses_configure */

/* Visits the rows of one thread; any thread. */
void accesses_each(const struct thread *thread,
		   void (*visit)(void *ctx, const struct access_row *row, uint32_t executions),
		   void *ctx);
uint64_t accesses_dropped(const struct thread *thread);
/*
 * Number of string instructions, calls of memcpy and the like that were not counted, because they
 * would access more than RECORD_BYTES_MOST bytes (clones/word_buffer.h).
 */
uint64_t accesses_too_long(const struct thread *thread);
/*
 * Number of executions of constructs whose shared cache lines were not determined, because one
 * thread was too far ahead of others.
 */
uint64_t accesses_not_compared(const struct thread *thread);

/*
 * Words recorded in a construct, those of them that were counted, and those whose lines were marked
 * (bursts.h), over all its executions; any thread. Values of the words that were not counted are
 * estimated from those that were.
 */
struct accesses_counted {
	uint64_t recorded, counted, lined;
};
struct accesses_counted accesses_counted(uint32_t region);
/*
 * Estimated cost of recording the whole execution that ended, in ns on the thread where it is
 * highest, if something was skipped; else 0. At phase boundaries.
 */
double accesses_whole_ns(void);

/*
 * Cache lines that threads share in a region of kind DATA_STRUCTURE; any thread. Sums over
 * executions that were compared.
 */
struct accesses_sharing {
	/*
	 * lines of which threads touch different words, and lines of which they touch the same
	 * words (sharing.h)
	 */
	uint64_t lines, same_lines;
	uint64_t executions;
	uint64_t accesses, threads; /* accesses to `lines`, and threads that touch them */
};
struct accesses_sharing accesses_sharing(uint32_t region);
/*
 * How often shared lines of the region (a data structure or a whole construct) could not be
 * determined because a thread's table was full.
 */
uint64_t accesses_not_looked_at(uint32_t region);

#endif
