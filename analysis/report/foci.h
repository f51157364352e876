/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_FOCI_H
#define MEMSEARCH_REPORT_FOCI_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Names of resources, as Paradyn writes them: a path in each of the hierarchies that a focus has a
 * node of.
 *
 *     /Code/swim/calc2/parallel_1/loop_1     program or library, function, and the regions in it;
 *                                            another function in between has a step of its own
 *     /Machine/HOST/PID/thread_3             without a thread: all threads of the process
 *     /Data/static/u                         kind of data structure, and its name
 *     /SyncObject/lock/locks/locks[3]        type, class, object (sync_objects.h)
 *
 * The name of a hierarchy alone stands for all of it. Loops and other regions that stand beside each
 * other are numbered by line; a region that was never executed has no number.
 */
struct arena;
struct foci;
struct run;
struct text;

struct focus {
	const char *code, *machine, *data, *sync;
};

/*
 * Of all regions of a run, which are resolved. `brief`: "host" and "process" for host name and
 * process number. NULL: no memory. Belongs to the arena, as names do; the run must live as long.
 */
const struct foci *foci_of(struct arena *arena, const struct run *run, bool brief);
/* thread MS_REQUEST_ALL_THREADS: all. A region that does not exist is all of the code. */
struct focus foci_at(struct arena *arena, const struct foci *foci, uint32_t region,
		     uint32_t thread);
/* "</Code/swim/calc2/loop_1, /Machine/host/1, /Data, /SyncObject>" */
void foci_add(struct text *out, const struct foci *foci, uint32_t region, uint32_t thread);

#endif
