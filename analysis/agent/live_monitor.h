/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_AGENT_LIVE_MONITOR_H
#define MEMSEARCH_AGENT_LIVE_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/agent/exchange.h"
#include "analysis/search/database_changes.h"
#include "analysis/search/monitor.h"

/*
 * A program that runs as the measuring side of a search, by the segment and the socket of
 * exchange.h. It never blocks: its `next` has MONITOR_NOTHING until the socket can be read. Whatever
 * the program writes is copied and checked before it is used; what is not valid ends it, and the
 * program searches alone.
 */
struct arena;

struct live_monitor {
	/* set by live_monitor_connect */
	int pid, socket;
	struct exchange *exchange;

	bool attached; /* it has answered */
	bool checked;  /* its search has been started */
	bool ended;
	const char *why; /* it ended before the program did; NULL: it did not */
	/* of the program, once it is attached; checked */
	double overhead;
	uint32_t counters_at_once;
	char record[EXCHANGE_PATH], strategy[EXCHANGE_STRATEGY];

	struct database_copy copy;
	uint32_t nr_items, next_item; /* of the summary that is being read */
	uint32_t nr_requests;
	bool is_waited_for; /* the program waits for the answer */
	bool is_over;       /* an experiment ended: the answer has the requests of another one */
	bool starts_over;   /* the next requests are those of a search's begin */
};

enum live_status {
	LIVE_OK,
	LIVE_NO_PROCESS,
	LIVE_NO_SOCKET, /* it listens to no agent */
	LIVE_NOT_PERMITTED,
	LIVE_NOT_OURS, /* another process has its address */
	LIVE_NO_MEMORY,
};

/* Asks the process to attach; it answers at its next phase boundary. */
enum live_status live_monitor_connect(struct live_monitor *live, int pid);
/* The socket can be read: takes the answer. `attached` or `ended` is set, or neither yet. */
void live_monitor_answer(struct live_monitor *live);
/* Starts the search, after `attached`. */
void live_monitor_check(struct live_monitor *live, struct arena *arena);
/* The program searches alone. Once ended, only releases. */
void live_monitor_detach(struct live_monitor *live);

/* Of a `struct live_monitor`, checked. */
extern const struct monitor live_monitor;

#endif
