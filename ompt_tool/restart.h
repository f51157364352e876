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
 *     MEMSEARCH_RESTART_STATE  what a program that is run again for further experiments
 *                              starts from, read at the start and written at the end: the state of the search
 *                              over its phase or, where it has none, the measurements of its runs
 * Without these variables nothing is read or written. At start and end only.
 */
struct arena;
struct carry;
struct engine;

void restart_attached(const char *record_path);     /* NULL: there is no record */
/* Has another program of the same `memsearch run` its record there? Then it must not be replaced. */
bool restart_is_taken(struct arena *arena, const char *record_path);
/* Either of both gets what there is. */
void restart_load(struct engine *engine, struct carry *carry, struct arena *arena);
/* Either of both may be NULL. */
void restart_save(const struct engine *engine, const struct carry *carry, struct arena *arena);

#endif
