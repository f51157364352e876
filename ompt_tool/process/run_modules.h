/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_RUN_MODULES_H
#define MEMSEARCH_PROCESS_RUN_MODULES_H

#include "memsearch/status.h"

/*
 * The modules of this process in a run: addresses in records are a module and an offset in it.
 * One thread at a time, at phase boundaries.
 */
struct arena;
struct run;

/* The modules as they are loaded now, added to those known before, which keep their numbers. */
enum ms_status run_modules_update(struct run *run, struct arena *arena);

#endif
