/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_AGENT_LINK_H
#define MEMSEARCH_SESSION_AGENT_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "analysis/agent/exchange.h"
#include "analysis/search/database_changes.h"
#include "analysis/search/monitor.h"

/*
 * The program's end of an agent's connection (agent/exchange.h): listens, attaches one agent at a
 * time, passes the changes of a database and events to it, and takes its requests. Not here: when
 * that happens (agent_turns.h).
 *
 * No thread: everything runs at phase boundaries, or before the program begins. It waits for an
 * attached agent only, AGENT_PATIENCE_MS at most in all of one answer. Whatever goes wrong ends the
 * connection with one line on stderr; the caller's database has everything.
 */
#define AGENT_PATIENCE_MS 2000

struct agent_socket {
	int fd; /* -1: none */
	dev_t device;
	ino_t file; /* the program may close its number, and open another file there */
};

struct agent_link {
	struct agent_socket listener, connection;
	struct exchange *exchange; /* NULL: no agent is attached */
	bool checked;              /* it has started the search */
	bool refused;              /* one was; a second line is not logged */
	bool lost;                 /* it has gone since agent_link_was_lost */
	struct database *db;       /* whose changes are passed on; NULL: none */
	uint32_t nr_items;
	/* the agent's last requests, checked; in memory of its own */
	struct ms_request *requests;
	size_t nr_requests;
};

/* Description of the program for an agent. */
struct agent_offer {
	double overhead;
	uint32_t counters_at_once;
	const char *record, *strategy; /* `record`: absolute, or NULL */
};

/* False: no agent can attach (one line was logged). */
bool agent_link_listen(struct agent_link *link, int pid);
/* Accepts an agent, or takes its next control word, if there is one. */
void agent_link_look(struct agent_link *link, const struct agent_offer *offer);
/*
 * Waits until an agent has started the search: `wait_ms` at most, and no longer than until a signal
 * is pending. Returns `checked`.
 */
bool agent_link_wait(struct agent_link *link, const struct agent_offer *offer, uint64_t wait_ms);

/* Another database from now on, of a search that starts over: describes it. NULL: none. */
void agent_link_follow(struct agent_link *link, struct database *db);
void agent_link_event(struct agent_link *link, const struct monitor_event *event);
/*
 * Passes on what has gathered and waits for the answer. EXCHANGE_REQUEST: link->requests are those
 * of the next experiment; EXCHANGE_RELEASE: those of the present one; EXCHANGE_DETACH: the agent is
 * gone.
 */
enum exchange_word agent_link_turn(struct agent_link *link);

/* True once after an agent that had started the search is gone. */
bool agent_link_was_lost(struct agent_link *link);
/* The program ends. */
void agent_link_end(struct agent_link *link);
/* In a forked child: only closes the numbers. */
void agent_link_forget(struct agent_link *link);

#endif
