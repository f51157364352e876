/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_AGENT_PROCESS_H
#define MEMSEARCH_CMDS_AGENT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/agent/live_monitor.h"
#include "analysis/cmds/searched.h"

/* A process that `memsearch agent` is attached to: its search, and what it found. */
struct arena;
struct search_setup;
struct text;

struct agent_process {
	struct arena *arena;
	struct live_monitor live;
	struct searched searched;
	bool begun; /* its search has begun */
};

/* False: it cannot be attached, after a message with what to do. */
bool agent_process_attach(struct agent_process *process, struct arena *arena, int pid);
/* Its search, by the strategy named or the process's own. An exit code, or COMMAND_GO_ON. */
int agent_process_begin(struct agent_process *process, const struct search_setup *setup,
			const char *strategy);
/* Its socket can be read. */
void agent_process_advance(struct agent_process *process);
/* It ended, or is let go: the names are those of its record. False: no memory, after a message. */
bool agent_process_finish(struct agent_process *process, const char *properties);

/* Findings of several processes, by severity; `all`: also those that led to others. */
void agent_process_print(struct text *out, const struct agent_process *processes, size_t nr,
			 bool all, int width);

#endif
