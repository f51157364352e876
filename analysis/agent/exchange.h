/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_AGENT_EXCHANGE_H
#define MEMSEARCH_AGENT_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/search/database_changes.h"
#include "analysis/search/monitor.h"
#include "memsearch/request.h"

/*
 * What an agent and a program share (Periscope's agent and monitor): a segment with the request
 * table and the summary table, and a socket with the control words.
 *
 *     program                                   agent
 *        │ ◀──────────────── attach, segment ─── │  connects to the socket of the process
 *        │ ─── attached (or refused) ──────────▶ │
 *        │ ◀─────────────────────────── check ── │  the search starts
 *        │ ─── summary: items of an execution ─▶ │
 *        │ ◀──── requests (or go on), release ── │  the program waits for it, a bounded time
 *        │              …                        │
 *        │ ◀────────────────────────── detach ── │  or the socket closes
 *        │ ─── end ────────────────────────────▶ │
 *
 * The agent makes the segment: a file in memory, sealed against any change of its size, so that
 * neither side can make an access of the other fail. Nothing that callbacks read is in it. Each side
 * copies what it uses and checks the copy. Both processes are of the same user; no privilege is
 * needed. The socket has a name in the abstract namespace: no file is left behind.
 */
#define EXCHANGE_VERSION 1u
#define EXCHANGE_REQUESTS 65536u
#define EXCHANGE_ITEMS 2048u
#define EXCHANGE_PATH 4096
#define EXCHANGE_STRATEGY 64

enum exchange_item_kind { EXCHANGE_CHANGE, EXCHANGE_EVENT, EXCHANGE_ITEM_KINDS };

struct exchange_item {
	uint32_t kind, reserved;
	union {
		struct database_change change;
		struct monitor_event event;
	} of;
};

struct exchange {
	uint32_t magic, version;
	uint64_t layout; /* exchange_layout */
	/* by the program when it is attached; the record's path is absolute, "": no record */
	double overhead;
	uint32_t counters_at_once; /* 0: all */
	uint32_t reserved;
	char record[EXCHANGE_PATH], strategy[EXCHANGE_STRATEGY];
	struct ms_request requests[EXCHANGE_REQUESTS];
	struct exchange_item items[EXCHANGE_ITEMS];
};

/* The control words. To add one: here, at the end, and in a new version if the other side must know. */
enum exchange_word {
	EXCHANGE_ATTACH = 1, /* agent; with the segment's descriptor */
	EXCHANGE_ATTACHED,   /* program */
	EXCHANGE_REFUSED, /* program; `version` is the program's, `nr` an enum exchange_refusal */
	EXCHANGE_CHECK,   /* agent */
	EXCHANGE_SUMMARY, /* program: `nr` items; waits for the answer */
	EXCHANGE_RELEASE, /* agent: the experiment continues, of `nr` requests */
	EXCHANGE_REQUEST, /* agent: the next experiment, of `nr` requests; releases, too */
	EXCHANGE_DETACH,  /* agent */
	EXCHANGE_END,     /* program */
};

enum exchange_refusal { EXCHANGE_OTHER_VERSION, EXCHANGE_BUSY, EXCHANGE_NO_SEGMENT };

struct exchange_message {
	uint32_t magic, version; /* at the same place in every version */
	uint32_t word, nr;
	uint64_t layout;
};

/* Of the structures and of the numbers of metrics, regions and reasons in them. */
uint64_t exchange_layout(void);

/* The socket's address; returns its length. */
struct sockaddr_un;
unsigned int exchange_address(int pid, struct sockaddr_un *out);

/* The agent's side. The descriptor, or -1: errno. */
int exchange_make(struct exchange **out);
/*
 * The program's side: maps the segment that came with a message, of exactly this size, sealed, with
 * this version and layout. NULL: it is none.
 */
struct exchange *exchange_map(int fd);
void exchange_unmap(struct exchange *exchange);

/* `fd` -1: without a descriptor. False: the other side is gone. Never blocks, never raises SIGPIPE. */
bool exchange_send(int socket, enum exchange_word word, uint32_t nr, int fd);

enum exchange_received {
	EXCHANGE_MESSAGE,
	EXCHANGE_NONE, /* within this time */
	EXCHANGE_GONE, /* the other side has closed its end */
	EXCHANGE_BAD,  /* not of this protocol */
};
/*
 * Waits `wait_ms` at most. A message of another version is one, too: the caller compares. *fd_out:
 * the descriptor that came with it, the caller's from now on, or -1; NULL: one is closed.
 */
enum exchange_received exchange_receive(int socket, int wait_ms, struct exchange_message *out,
					int *fd_out);
/* Until there is something to receive, `wait_ms` at most. */
bool exchange_wait(int socket, int wait_ms);
/* Version and layout are those of this program. */
bool exchange_is_same(const struct exchange_message *message);

/* Whether the program can measure it, which has `nr_regions`. */
bool exchange_request_is_valid(const struct ms_request *request, uint32_t nr_regions);
/* Kind and numbers of an event are plausible. */
bool exchange_event_is_valid(const struct monitor_event *event);

#endif
