/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_STAGES_H
#define MEMSEARCH_SIMULATOR_STAGES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * One simulation by several threads, in three stages, each in the order of all accesses, so that
 * counters do not depend on how many threads there are:
 *
 *     schedule.c ── chunks of steps ──▶ run_step.c ── chunks of events ──▶ outer.c
 *     traces, remote writes             TLBs, L1, L2, coherence            L3, pages
 *
 * Each stage belongs to one thread at a time, except the second: in a chunk in which no core
 * accesses a page that another one accesses, or whose lines another one holds, each core is
 * simulated by a thread of its own (simulator->private). Else the thread that called
 * simulator_window simulates all.
 */
/* bytes between data of different threads: two lines of this host, as it fetches pairs */
#define STAGES_APART 128

struct simulator;
struct core;
struct stages;

/*
 * For this number of threads, including the caller, or fewer if the system limits them. NULL: no
 * memory.
 */
struct stages *stages_new(struct simulator *simulator, uint32_t jobs);
/*
 * Sets the accesses of a chunk, for tests; and the share of chunks so far in which cores were
 * simulated separately.
 */
void stages_cut(struct simulator *simulator, uint32_t accesses);
double stages_by_cores(struct simulator *simulator);
void stages_free(struct simulator *simulator);
/* The window that schedule_begin began. Its last events may still be simulated after the return. */
void stages_run(struct simulator *simulator);
/* Waits until all events are simulated. No effect without stages. */
void stages_wait(struct simulator *simulator);
/* Pages, first to last, are on the node, for all accesses that are scheduled from now on. */
void stages_place(struct simulator *simulator, uint64_t first, uint64_t last, uint32_t node);
/* Sets core->event. False: no memory; the event is lost, which is counted. */
bool stages_more_events(struct simulator *simulator, struct core *core);

#endif
