/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_SIMULATE_RECORD_H
#define MEMSEARCH_CMDS_SIMULATE_RECORD_H

/*
 * Simulates what the record at `path`, which is the run, keeps of the program's accesses, as `how`
 * says (show.h). Where no machine is named what was simulated while it ran stays, and it is no
 * mistake if there is no trace, or no model of this machine. COMMAND_GO_ON, or an exit code after a
 * message.
 */
struct arena;
struct command;
struct run;
struct show_how;

int simulate_record(const struct command *command, struct arena *arena, const char *path,
		    struct run *run, const struct show_how *how);

#endif
