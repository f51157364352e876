/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_RESOLVE_H
#define MEMSEARCH_REPORT_RESOLVE_H

#include "analysis/record/run.h"

/*
 * Fills in the source lines of a run's regions and call paths and of the hot spots of proven
 * findings, where they are not there yet: at the end of the run inside the program, or later for a
 * record whose program was killed. What cannot be resolved keeps module and offset. Opens files and
 * uses the heap (libdw): never from a callback.
 */
struct arena;
void resolve_run(struct run *run, struct arena *arena);

#endif
