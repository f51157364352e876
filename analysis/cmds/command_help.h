/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_COMMAND_HELP_H
#define MEMSEARCH_CMDS_COMMAND_HELP_H

#include "analysis/cmds/command.h"

/* Help, lists and completion of commands (command.h), from their tables. */

/* Its help with the default. */
const char *command_option_help(struct arena *arena, const struct command_option *option);
/* The first row (`option` NULL) or the next, -h last; NULL after that. */
const struct command_option *command_option_next(const struct command *command,
						 const struct command_option *option);

/*
 * The text of -h; and for machines one line an option:
 * "--name<tab>-letter<tab>METAVARIABLE<tab>help".
 */
void command_help(struct text *out, const struct command *command);
void command_list_options(struct text *out, const struct command *command);
void command_list(struct text *out); /* `memsearch help` */

/*
 * What could stand for the last of `words` (which may be ""), one a line; ":files" where a file
 * name could, ":records" where the name of a record or a store could.
 */
void command_complete(struct text *out, int nr_words, char *const *words);

#endif
