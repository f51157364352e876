/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_RUN_MODULES_H
#define MEMSEARCH_PROCESS_RUN_MODULES_H

#include <stdint.h>

#include "analysis/record/run.h"
#include "memsearch/status.h"

/*
 * The modules of this process in a run: addresses in records are a module and an offset in it.
 * One thread at a time, at phase boundaries.
 */
struct arena;

/* Adds the modules loaded now to those known before, which keep their numbers. */
enum ms_status run_modules_update(struct run *run, struct arena *arena);
/*
 * Module and offset of a code address; in a clone, those of its original. Module UINT32_MAX: 0, or
 * in no module.
 */
struct code_address run_modules_address(const struct run *run, uint64_t address);

#endif
