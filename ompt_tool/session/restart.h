/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_RESTART_H
#define MEMSEARCH_SESSION_RESTART_H

#include <stdbool.h>

/*
 * Messages from the tool to `memsearch run` through its channel (channel.h): that it is attached,
 * the name of its record, and the state with which the program's next run continues: that of the
 * search over its phase or, without a phase, the measurements of its runs. A program gets only
 * state that the same executable file has saved. Without a launcher nothing is read or written. At
 * start and end only.
 */
struct arena;
struct carry;
struct engine;

/*
 * From the choice of the record's name until it is attached no other program of the same
 * `memsearch run` chooses one, so that two that begin together have a record each. Waits for 1 s at
 * most. Returns what restart_chosen ends it with.
 */
int restart_choose(void);
void restart_chosen(int choice);
void restart_attached(const char *record_path); /* NULL: there is no record */
/*
 * Whether `memsearch run` knows of this program and is still there: it prints what was found. Its
 * channel may be out of reach by now, as the program has other rights, another root or no variables.
 */
bool restart_is_awaited(void);
/*
 * Whether the file may be the record of another program of the same `memsearch run`: it must not be
 * replaced.
 */
bool restart_is_taken(struct arena *arena, const char *record_path);
/* Restores the state of one of the two. */
void restart_load(struct engine *engine, struct carry *carry, struct arena *arena);
/* Saves the state of one of the two; either may be NULL. */
void restart_save(const struct engine *engine, const struct carry *carry, struct arena *arena);

#endif
