/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_EARLIER_RECORDS_H
#define MEMSEARCH_CMDS_EARLIER_RECORDS_H

/* The records of --history, whose verdicts order a search (analysis/search/earlier_verdicts.h). */
struct arena;
struct command;

/*
 * `files`: separated by commas. `program`: its path; a record of another one is refused. Says how
 * many candidates are tested first and last. COMMAND_GO_ON, or an exit code after a message.
 */
int earlier_records_read(const struct command *command, struct arena *arena, const char *files,
			 const char *program, const char **text_out);

#endif
