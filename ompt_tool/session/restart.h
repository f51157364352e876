/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_RESTART_H
#define MEMSEARCH_SESSION_RESTART_H

#include <stdbool.h>

/*
 * What the tool tells `memsearch run` through its channel (channel.h): that it is attached, the
 * name of its record, and what a program that is run again starts from: the state of the search
 * over its phase or, where it has none, the measurements of its runs. A program gets what the same
 * executable file has left before, never what others have. Without a launcher nothing is read or
 * written. At start and end only.
 */
struct arena;
struct carry;
struct engine;

void restart_attached(const char *record_path); /* NULL: there is no record */
/* A record of another program of the same `memsearch run` may be there: it must not be replaced. */
bool restart_is_taken(struct arena *arena, const char *record_path);
/* Either of both gets what there is. */
void restart_load(struct engine *engine, struct carry *carry, struct arena *arena);
/* Either of both may be NULL. */
void restart_save(const struct engine *engine, const struct carry *carry, struct arena *arena);

#endif
