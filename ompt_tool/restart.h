/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RESTART_H
#define MEMSEARCH_RESTART_H

#include <stdbool.h>

/*
 * What the tool and `memsearch run` tell each other through files named in the environment:
 *     MEMSEARCH_ATTACH_FILE    the tool adds a line with the name of its record: it is attached. An
 *                              empty line: without a record; OPTIONS_ATTACH_FAILED: it could not start.
 *                              A script's programs, and those that one process becomes by
 *                              exec, add a line each
 *     MEMSEARCH_RESTART_STATE  search state of a program that is run again for further
 *                              experiments: read at the start, written at the end
 * Without these variables nothing is read or written. At start and end only.
 */
struct arena;
struct engine;

void restart_attached(const char *record_path);     /* NULL: there is no record */
/* Has another program of the same `memsearch run` its record there? Then it must not be replaced. */
bool restart_is_taken(struct arena *arena, const char *record_path);
void restart_load(struct engine *engine, struct arena *arena);
void restart_save(const struct engine *engine, struct arena *arena);

#endif
