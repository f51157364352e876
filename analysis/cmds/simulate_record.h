/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_SIMULATE_RECORD_H
#define MEMSEARCH_CMDS_SIMULATE_RECORD_H

/*
 * Simulates what the record at `path`, which is the run, keeps of the program's accesses; How: show.h; where no machine is named nothing is said if there
 * is no such trace, or no model of this machine, and what was simulated while it ran stays. COMMAND_GO_ON, or an exit code after saying what is wrong.
 */
struct arena;
struct command;
struct run;
struct show_how;

int simulate_record(const struct command *command, struct arena *arena, const char *path, struct run *run, const struct show_how *how);

#endif
