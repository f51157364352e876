/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_WATCH_RECORD_H
#define MEMSEARCH_CMDS_WATCH_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/record/run.h"

/*
 * A record that a program may be writing, read again whenever it has grown. The program is never
 * touched: its file is read, and /proc says whether it lives.
 */
struct arena;

struct watch_record {
	const char *path;
	struct arena *arena; /* of `run`; replaced when that is read again */
	struct run *run;     /* as of the last reading; NULL: none yet */
	uint64_t bytes;      /* of the file then */
	bool ended;          /* it is complete, or its process is gone */
};

/*
 * The record of the operand: a file, or the one that the process of that number writes. NULL: there
 * is none, one line has been logged.
 */
const char *watch_record_find(struct arena *arena, const char *operand);
/* True: there is something new. Sets `ended`. Logs why a record cannot be read, and ends then. */
bool watch_record_read(struct watch_record *record);
void watch_record_release(struct watch_record *record);

#endif
