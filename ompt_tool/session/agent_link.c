/* SPDX-License-Identifier: Apache-2.0 */
/* The connection to an agent: listening, attaching, summaries, requests, and its end. */
#define _GNU_SOURCE /* accept4, struct ucred */
#include "ompt_tool/session/agent_link.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "analysis/base/descriptor.h"
#include "analysis/base/log.h"
#include "analysis/base/own_memory.h"
#include "analysis/base/thread_clock.h"
#include "analysis/search/database.h"

/* descriptors of programs are below, where the limit leaves no number beyond itself */
#define PROGRAMS_NUMBERS 200
#define ATTACH_MS 100 /* for the first message of an agent that has connected */
#define LOOK_MS 100   /* how often a wait looks for signals */
#define BACKLOG 8
#define REQUESTS_BYTES (EXCHANGE_REQUESTS * sizeof(struct ms_request))

/* ------------------------------------------------------------------ descriptors */

static bool is_own(const struct agent_socket *own)
{
	struct stat status;

	return own->fd >= 0 && fstat(own->fd, &status) == 0 && status.st_dev == own->device &&
	       status.st_ino == own->file;
}

static void drop(struct agent_socket *own)
{
	if (is_own(own))
		close(own->fd);
	own->fd = -1;
}

/* Moves it to a number that the program does not use. */
static void keep(struct agent_socket *own, int fd)
{
	int moved = descriptor_move_away(fd, PROGRAMS_NUMBERS);
	struct stat status;

	own->fd = moved < 0 ? fd : moved;
	if (fstat(own->fd, &status) == 0) {
		own->device = status.st_dev;
		own->file = status.st_ino;
	}
}

/* ------------------------------------------------------------------ attach */

bool agent_link_listen(struct agent_link *link, int pid)
{
	struct sockaddr_un address;
	unsigned int length = exchange_address(pid, &address);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	*link = (struct agent_link){ .listener.fd = -1, .connection.fd = -1 };
	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, length) || listen(fd, BACKLOG)) {
		log_warning_errno("no agent can attach: cannot listen at a socket");
		if (fd >= 0)
			close(fd);
		return false;
	}
	keep(&link->listener, fd);
	return true;
}

/* NULL: its user may attach. */
static const char *why_not_trusted(int fd)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length))
		return "its user is not known";
	return peer.uid == geteuid() || !peer.uid ? NULL : "it is of another user";
}

static void describe(struct exchange *exchange, const struct agent_offer *offer)
{
	exchange->overhead = offer->overhead;
	exchange->counters_at_once = offer->counters_at_once;
	if (offer->record && strlen(offer->record) < sizeof(exchange->record))
		memcpy(exchange->record, offer->record, strlen(offer->record) + 1);
	if (strlen(offer->strategy) < sizeof(exchange->strategy))
		memcpy(exchange->strategy, offer->strategy, strlen(offer->strategy) + 1);
}

static void refuse(struct agent_link *link, int fd, enum exchange_refusal why, const char *text)
{
	struct exchange_message unread;

	/* closed with a message unread, the answer would be dropped */
	exchange_receive(fd, 0, &unread, NULL);
	exchange_send(fd, EXCHANGE_REFUSED, why, -1);
	close(fd);
	if (!link->refused)
		log_warning("refused an agent: %s", text);
	link->refused = true;
}

/* The segment that came with the message; NULL: it was refused, and `fd` is closed. */
static struct exchange *segment_of(struct agent_link *link, int fd)
{
	struct exchange_message message;
	struct exchange *exchange = NULL;
	int segment = -1;
	bool is_message = exchange_receive(fd, ATTACH_MS, &message, &segment) == EXCHANGE_MESSAGE;

	if (segment >= 0) {
		exchange = is_message ? exchange_map(segment) : NULL;
		close(segment);
	}
	if (is_message && !exchange_is_same(&message))
		refuse(link, fd, EXCHANGE_OTHER_VERSION, "it is of another version of memsearch");
	else if (!exchange || message.word != EXCHANGE_ATTACH)
		refuse(link, fd, EXCHANGE_NO_SEGMENT, "it sent no segment that can be mapped");
	else
		return exchange;
	exchange_unmap(exchange);
	return NULL;
}

static void attach(struct agent_link *link, int fd, const struct agent_offer *offer)
{
	const char *distrusted = why_not_trusted(fd);

	if (link->exchange)
		refuse(link, fd, EXCHANGE_BUSY, "another one is attached");
	else if (distrusted)
		refuse(link, fd, EXCHANGE_NO_SEGMENT, distrusted);
	else if ((link->exchange = segment_of(link, fd))) {
		if (!link->requests)
			link->requests = own_memory(REQUESTS_BYTES, 0);
		describe(link->exchange, offer);
		keep(&link->connection, fd);
		link->checked = false;
		link->nr_items = 0;
		link->nr_requests = 0;
		exchange_send(link->connection.fd, EXCHANGE_ATTACHED, 0, -1);
	}
}

/* ------------------------------------------------------------------ the agent is gone */

static void part(struct agent_link *link)
{
	link->lost |= link->checked;
	agent_link_follow(link, NULL);
	drop(&link->connection);
	exchange_unmap(link->exchange);
	link->exchange = NULL;
	link->checked = false;
}

static void lose(struct agent_link *link, const char *why)
{
	log_warning("%s: the program searches by itself again", why);
	part(link);
}

bool agent_link_was_lost(struct agent_link *link)
{
	bool lost = link->lost;

	link->lost = false;
	return lost;
}

void agent_link_end(struct agent_link *link)
{
	if (link->exchange && is_own(&link->connection))
		exchange_send(link->connection.fd, EXCHANGE_END, 0, -1);
	part(link);
	drop(&link->listener);
}

void agent_link_forget(struct agent_link *link)
{
	link->db = NULL;
	drop(&link->connection);
	drop(&link->listener);
}

/* ------------------------------------------------------------------ control words */

static void take_word(struct agent_link *link)
{
	struct exchange_message message;

	if (!is_own(&link->connection)) {
		lose(link, "the program closed the agent's connection");
		return;
	}
	switch (exchange_receive(link->connection.fd, 0, &message, NULL)) {
	case EXCHANGE_NONE: return;
	case EXCHANGE_GONE: lose(link, "the agent ended"); return;
	case EXCHANGE_BAD: lose(link, "the agent sent a damaged message"); return;
	case EXCHANGE_MESSAGE: break;
	}
	if (message.word == EXCHANGE_CHECK)
		link->checked = link->requests != NULL;
	else if (message.word == EXCHANGE_DETACH)
		lose(link, "the agent detached");
	else
		lose(link, "the agent sent a message that does not belong here");
}

void agent_link_look(struct agent_link *link, const struct agent_offer *offer)
{
	int fd;

	if (link->exchange)
		take_word(link); /* first: one that has ended makes room for another */
	fd = is_own(&link->listener) ? accept4(link->listener.fd, NULL, NULL, SOCK_CLOEXEC) : -1;
	if (fd >= 0)
		attach(link, fd, offer);
}

static bool signal_is_pending(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 &&
	       (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
		sigismember(&pending, SIGHUP) || sigismember(&pending, SIGQUIT));
}

bool agent_link_wait(struct agent_link *link, const struct agent_offer *offer, uint64_t wait_ms)
{
	uint64_t end_ns = thread_clock_ns() + wait_ms * 1000000;

	while (!link->checked && !signal_is_pending() && thread_clock_ns() < end_ns) {
		exchange_wait(link->exchange ? link->connection.fd : link->listener.fd, LOOK_MS);
		agent_link_look(link, offer);
	}
	return link->checked;
}

/* ------------------------------------------------------------------ summaries and requests */

/* Copies, then checks: the agent may write meanwhile. False: one of them cannot be measured. */
static bool take_requests(struct agent_link *link, uint32_t nr)
{
	uint32_t regions = link->db ? database_regions(link->db) : 0;

	if (nr > EXCHANGE_REQUESTS)
		return false;
	memcpy(link->requests, link->exchange->requests, nr * sizeof(*link->requests));
	for (uint32_t i = 0; i < nr; i++)
		if (!exchange_request_is_valid(&link->requests[i], regions))
			return false;
	link->nr_requests = nr;
	return true;
}

static enum exchange_word take_answer(struct agent_link *link)
{
	struct exchange_message message;

	switch (exchange_receive(link->connection.fd, AGENT_PATIENCE_MS, &message, NULL)) {
	case EXCHANGE_NONE: lose(link, "the agent did not answer in 2 s"); return EXCHANGE_DETACH;
	case EXCHANGE_GONE: lose(link, "the agent ended"); return EXCHANGE_DETACH;
	case EXCHANGE_BAD: lose(link, "the agent sent a damaged message"); return EXCHANGE_DETACH;
	case EXCHANGE_MESSAGE: break;
	}
	if (message.word == EXCHANGE_DETACH)
		lose(link, "the agent detached");
	else if ((message.word != EXCHANGE_RELEASE && message.word != EXCHANGE_REQUEST) ||
		 !exchange_is_same(&message))
		lose(link, "the agent sent a message that does not belong here");
	else if (!take_requests(link, message.nr))
		lose(link, "the agent requested what cannot be measured");
	else
		return (enum exchange_word)message.word;
	return EXCHANGE_DETACH;
}

enum exchange_word agent_link_turn(struct agent_link *link)
{
	uint32_t nr = link->nr_items;

	if (!link->checked)
		return EXCHANGE_DETACH;
	link->nr_items = 0;
	if (!is_own(&link->connection))
		lose(link, "the program closed the agent's connection");
	else if (!exchange_send(link->connection.fd, EXCHANGE_SUMMARY, nr, -1))
		lose(link, "the agent ended");
	else
		return take_answer(link);
	return EXCHANGE_DETACH;
}

/* The buffer has room for one more. NULL: the agent is gone. */
static struct exchange_item *item_new(struct agent_link *link)
{
	if (link->checked && link->nr_items == EXCHANGE_ITEMS)
		agent_link_turn(link);
	return link->checked ? &link->exchange->items[link->nr_items++] : NULL;
}

static void pass_on(void *ctx, const struct database_change *change)
{
	struct exchange_item *item = item_new(ctx);

	if (item)
		*item = (struct exchange_item){ .kind = EXCHANGE_CHANGE, .of.change = *change };
}

void agent_link_event(struct agent_link *link, const struct monitor_event *event)
{
	struct exchange_item *item = item_new(link);

	if (item)
		*item = (struct exchange_item){ .kind = EXCHANGE_EVENT, .of.event = *event };
}

void agent_link_follow(struct agent_link *link, struct database *db)
{
	if (link->db)
		database_follow(link->db, NULL, NULL);
	link->db = db;
	if (!db)
		return;
	database_describe(db, pass_on, link);
	if (link->db) /* the agent is still there */
		database_follow(db, pass_on, link);
}
