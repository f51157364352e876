/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RESTART_H
#define MEMSEARCH_RESTART_H

/*
 * What the tool and `memsearch run` tell each other through files named in the environment:
 *     MEMSEARCH_ATTACH_FILE    the tool writes the name of its record there: it is attached
 *     MEMSEARCH_RESTART_STATE  search state of a program that is run again for further
 *                              experiments: read at the start, written at the end
 * Without these variables nothing is read or written. At start and end only.
 */
struct arena;
struct engine;

void restart_attached(const char *record_path);     /* NULL: there is no record */
void restart_load(struct engine *engine, struct arena *arena);
void restart_save(const struct engine *engine, struct arena *arena);

#endif
