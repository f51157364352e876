/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_LIST_TRACES_H
#define MEMSEARCH_CMDS_LIST_TRACES_H

#include <stdbool.h>

/*
 * What the record at `path`, which is the run, keeps of the program's accesses, for `memsearch list
 * traces`. `all`: also regions with next to nothing. Fills the table; a COMMAND_ code after a
 * message.
 */
struct arena;
struct run;
struct table;

int list_traces(struct arena *arena, const char *path, const struct run *run, bool all,
		struct table *table);

#endif
