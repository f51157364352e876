/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORDING_H
#define MEMSEARCH_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Selects the code that runs as recording clones, by the requests for accesses.
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

/* `works`: result of the sensor's probe. NULL: no memory. */
struct recording *recording_new(struct arena *arena, struct region_table *regions, struct run *run,
				bool works);
/* Marks all metrics as missing in the search over the whole program: nothing repeats there. */
void recording_mark(const struct recording *recording, struct database *whole);
/*
 * No phase is known: records first executions of regions (first_execution.h), `limit` being the
 * fraction of the time that measuring may take. Calls `before` once, before the first of them. Call
 * again for modules loaded by dlopen.
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
/* Threads that are not where their region's recording has them try to move again. */
void recording_announce(struct recording *recording);
/* While nothing is recorded: closes the files that it reads. */
void recording_rest(struct recording *recording);
/* After an execution. True: something was marked. */
bool recording_check(struct recording *recording, struct database *db);
/*
 * After an execution. Makes clones of the program's functions that were called through pointers.
 * True: values are missing and the execution must be discarded, because threads have not moved into
 * clones yet (in serial stretches, and if the phase's boundaries lie inside of a parallel region),
 * or because regions began or tasks were created before their clones were made. If that persists,
 * the region is marked as missing; also if the allowance is too small for another execution, and
 * some parallel region has all values of this one. An execution in which the allowance was used up
 * is discarded, too: only some threads have counted their accesses.
 */
bool recording_settling(struct recording *recording, struct database *db);
/*
 * Whether threads other than the initial one have begun parts, since the last call, whose accesses
 * are not all recorded: the thread moved into its clone later, or left it.
 */
bool recording_incomplete(struct recording *recording);
bool recording_used_up(const struct recording *recording);
/*
 * After an execution that was cut off: drops the counts by instruction of regions without values
 * from an earlier execution.
 */
void recording_drop(const struct recording *recording, const struct database *db);
/* Writes the lines of loops to the run, for regions harvested before. */
void recording_harvest(const struct recording *recording);
/* In the child of a fork. */
void recording_forget(void);

#endif
