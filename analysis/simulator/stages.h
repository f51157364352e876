/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_STAGES_H
#define MEMSEARCH_SIMULATOR_STAGES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Parallel simulation as a pipeline of three stages. Each stage processes the accesses in the same
 * order for any number of threads, so counters do not depend on that number:
 *
 *     schedule.c ── chunks of steps ──▶ run_step.c ── chunks of events ──▶ outer.c
 *     traces, remote writes             TLBs, L1, L2, coherence            L3, pages
 *
 * One thread at a time executes a stage. Exception: if no core accesses a page in the chunk that
 * another core accesses or has lines of, the second stage simulates each core by its own thread
 * (simulator->private). Otherwise the thread that called simulator_window simulates all cores.
 */
/* minimum distance of different threads' data: two lines, because adjacent lines are prefetched */
#define STAGES_APART 128

struct simulator;
struct core;
struct stages;

/*
 * `jobs`: number of threads, including the caller; fewer if the system limits them. NULL: no
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
/*
 * Simulates the window that schedule_begin began. The third stage may still be executed after the
 * return (stages_wait).
 */
void stages_run(struct simulator *simulator);
/* Waits until all events are simulated. No effect without stages. */
void stages_wait(struct simulator *simulator);
/* Pages, first to last, are on the node, for all accesses that are scheduled from now on. */
void stages_place(struct simulator *simulator, uint64_t first, uint64_t last, uint32_t node);
/* Sets core->event. False: no memory; the event is lost, which is counted. */
bool stages_more_events(struct simulator *simulator, struct core *core);

#endif
