/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_SIMULATE_RECORD_H
#define MEMSEARCH_CMDS_SIMULATE_RECORD_H

/*
 * Simulates what the record at `path`, which is the run, keeps of the program's accesses; `machine` NULL: on a model of this one, if there
 * is such a trace and there can be such a model, and it was not simulated while it ran. COMMAND_GO_ON, or an exit code after saying what is wrong.
 */
struct arena;
struct command;
struct run;

int simulate_record(const struct command *command, struct arena *arena, const char *path, struct run *run, const char *machine);

#endif
