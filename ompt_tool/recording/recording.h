/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORDING_H
#define MEMSEARCH_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Which code runs as recording clones: between the requests for accesses and the clones.
 *
 *     prepare   wrappers of the runtime's entries find the body function of each region
 *     select    bodies of regions with requested accesses are cloned, and calls redirected
 *     check     requested accesses that cannot be recorded are marked as missing
 *
 * One thread at a time, at phase boundaries.
 */
struct arena;
struct database;
struct recording;
struct region_table;
struct run;

/* `works`: the sensor does, as its probe says. NULL: no memory. */
struct recording *recording_new(struct arena *arena, struct region_table *regions, struct run *run,
				bool works);
/* In the search over the whole program nothing can be had: nothing repeats there. */
void recording_mark(const struct recording *recording, struct database *whole);
/*
 * No phase is known: first executions of regions are recorded (first_execution.h), `limit` being
 * the part of the time that measuring may take. `before` is called once, before the first of them.
 * Again: for modules that came by dlopen.
 */
void recording_watch(struct recording *recording, double limit, void (*before)(void));
/*
 * A phase is known: bodies are found from now on, and first executions are no longer recorded.
 */
void recording_prepare(struct recording *recording);
/*
 * After the requests are in the region table (`asked`: there is one): requested accesses are
 * recorded from now on, no others. True: the region that begins now started with the wrong code
 * version; discard this execution.
 */
bool recording_select(struct recording *recording, bool asked);
/* After an execution. True: something was marked. */
bool recording_check(struct recording *recording, struct database *db);
/*
 * After an execution. Functions of the program that it called through pointers get clones. Where
 * threads go into clones by themselves, in serial stretches and where the phase's boundaries lie
 * inside of a parallel region, they may not have yet; other regions may have begun, and tasks been
 * made, before their clones were: true, values are missing and the execution is to be left out.
 * If that persists, the region is marked as missing. An execution in which the allowance was used
 * up is left out, too: only some threads have counted their accesses.
 */
bool recording_settling(struct recording *recording, struct database *db);
bool recording_used_up(const struct recording *recording);
/*
 * Then counts by instruction of regions without values of an earlier execution are dropped.
 */
void recording_drop(const struct recording *recording, const struct database *db);
/* Into the run: the lines of loops, in regions harvested before. */
void recording_harvest(const struct recording *recording);
/* In the child of a fork. */
void recording_forget(void);

#endif
