/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_LIST_MACHINES_H
#define MEMSEARCH_CMDS_LIST_MACHINES_H

/*
 * The modelled machines of this installation, for `memsearch list machines` and `memsearch machine
 * --list`.
 */
struct arena;
struct command;
struct table;

/* NULL: no memory or no /proc. */
const char *machines_folder(struct arena *arena);
/*
 * The file of a machine that the user named, which may still be missing where it is a path.
 * COMMAND_OK, or another code after a message.
 */
int machines_find(const struct command *self, struct arena *arena, const char *name,
		  const char **path_out);
/* Fills the table; a COMMAND_ code: mistakes in the files are printed to stderr. */
int list_machines(struct arena *arena, struct table *table);

#endif
