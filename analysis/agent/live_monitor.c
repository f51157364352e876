/* SPDX-License-Identifier: Apache-2.0 */
/* The program that an agent is attached to, as a monitor. */
#define _GNU_SOURCE /* struct ucred */
#include "analysis/agent/live_monitor.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "analysis/search/database.h"

/* ------------------------------------------------------------------ begin and end */

static enum live_status connect_to(struct live_monitor *live)
{
	struct sockaddr_un address;
	unsigned int length = exchange_address(live->pid, &address);

	live->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (live->socket < 0)
		return LIVE_NO_MEMORY;
	if (connect(live->socket, (const struct sockaddr *)&address, length) == 0)
		return LIVE_OK;
	return errno == EACCES || errno == EPERM ? LIVE_NOT_PERMITTED : LIVE_NO_SOCKET;
}

/* The process that listens is this one. */
static enum live_status check_peer(const struct live_monitor *live)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	if (getsockopt(live->socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) ||
	    peer.pid != live->pid)
		return LIVE_NOT_OURS;
	return peer.uid == geteuid() || !geteuid() ? LIVE_OK : LIVE_NOT_PERMITTED;
}

static enum live_status send_segment(struct live_monitor *live)
{
	int fd = exchange_make(&live->exchange);
	bool sent;

	if (fd < 0)
		return LIVE_NO_MEMORY;
	sent = exchange_send(live->socket, EXCHANGE_ATTACH, 0, fd);
	close(fd);
	return sent ? LIVE_OK : LIVE_NO_SOCKET;
}

static void release(struct live_monitor *live)
{
	if (live->socket >= 0)
		close(live->socket);
	exchange_unmap(live->exchange);
	live->socket = -1;
	live->exchange = NULL;
}

enum live_status live_monitor_connect(struct live_monitor *live, int pid)
{
	enum live_status status;

	*live = (struct live_monitor){ .pid = pid, .socket = -1 };
	if (kill(pid, 0) && errno == ESRCH)
		return LIVE_NO_PROCESS;
	status = connect_to(live);
	if (status == LIVE_OK)
		status = check_peer(live);
	if (status == LIVE_OK)
		status = send_segment(live);
	if (status != LIVE_OK)
		release(live);
	return status;
}

static void end(struct live_monitor *live, const char *why)
{
	live->ended = true;
	live->why = why;
	release(live);
}

/* Copies of what the program wrote; a text without end is cut off. */
static void take_description(struct live_monitor *live)
{
	const struct exchange *exchange = live->exchange;
	double overhead = exchange->overhead;

	live->overhead = isfinite(overhead) && overhead > 0 ? overhead : 0;
	live->counters_at_once = exchange->counters_at_once;
	memcpy(live->record, exchange->record, sizeof(live->record) - 1);
	memcpy(live->strategy, exchange->strategy, sizeof(live->strategy) - 1);
}

static const char *why_refused(const struct exchange_message *message)
{
	if (message->word != EXCHANGE_REFUSED)
		return "it answers as no version of memsearch does";
	if (!exchange_is_same(message) || message->nr == EXCHANGE_OTHER_VERSION)
		return "it was started by another version of memsearch: use the agent of that version";
	return message->nr == EXCHANGE_BUSY ? "another agent is attached to it"
					    : "it cannot map the segment: its memory is limited";
}

void live_monitor_answer(struct live_monitor *live)
{
	struct exchange_message message;

	switch (exchange_receive(live->socket, 0, &message, NULL)) {
	case EXCHANGE_NONE: return;
	case EXCHANGE_GONE: end(live, "it ended before it was attached"); return;
	case EXCHANGE_BAD: end(live, "it answers as no version of memsearch does"); return;
	case EXCHANGE_MESSAGE: break;
	}
	if (message.word != EXCHANGE_ATTACHED || !exchange_is_same(&message)) {
		end(live, why_refused(&message));
		return;
	}
	take_description(live);
	live->attached = true;
}

void live_monitor_check(struct live_monitor *live, struct arena *arena)
{
	live->copy.arena = arena;
	live->checked = live->starts_over = true;
	if (!exchange_send(live->socket, EXCHANGE_CHECK, 0, -1))
		end(live, "it ended before its search began");
}

void live_monitor_detach(struct live_monitor *live)
{
	if (!live->ended && live->socket >= 0)
		exchange_send(live->socket, EXCHANGE_DETACH, 0, -1);
	live->ended = true;
	release(live);
}

/* ------------------------------------------------------------------ as a monitor */

static bool fits(void *ctx, const uint32_t *metrics, size_t nr)
{
	const struct live_monitor *live = ctx;

	(void)metrics;
	return nr <= live->counters_at_once;
}

static void configure(void *ctx, struct engine_config *config)
{
	const struct live_monitor *live = ctx;

	config->fits = live->counters_at_once ? fits : NULL;
	config->fits_ctx = ctx;
}

/* The program describes its regions and constants when the search begins. */
static enum ms_status prepare(void *ctx, struct database *db)
{
	struct live_monitor *live = ctx;

	live->copy.db = db;
	return MS_OK;
}

/* The program passes the set back as changes of its database, once it measures it. */
static enum ms_status request(void *ctx, struct database *db, const struct ms_request *requests,
			      size_t nr)
{
	struct live_monitor *live = ctx;

	(void)db;
	live->is_over = !live->starts_over;
	live->starts_over = false;
	live->nr_requests = (uint32_t)(nr < EXCHANGE_REQUESTS ? nr : EXCHANGE_REQUESTS);
	if (live->exchange && live->nr_requests)
		memcpy(live->exchange->requests, requests, live->nr_requests * sizeof(*requests));
	return MS_OK;
}

/* Everything of the summary has been read. */
static void answer(struct live_monitor *live)
{
	if (!exchange_send(live->socket, live->is_over ? EXCHANGE_REQUEST : EXCHANGE_RELEASE,
			   live->nr_requests, -1))
		end(live, "it ended without a word, as a killed program does");
	live->is_waited_for = live->is_over = false;
}

static void take_message(struct live_monitor *live)
{
	struct exchange_message message;

	switch (exchange_receive(live->socket, 0, &message, NULL)) {
	case EXCHANGE_NONE: return;
	case EXCHANGE_GONE: end(live, "it ended without a word, as a killed program does"); return;
	case EXCHANGE_BAD: end(live, "its message is damaged"); return;
	case EXCHANGE_MESSAGE: break;
	}
	if (message.word == EXCHANGE_END) {
		end(live, NULL);
	} else if (message.word != EXCHANGE_SUMMARY || message.nr > EXCHANGE_ITEMS ||
		   !exchange_is_same(&message)) {
		end(live, "its message is damaged");
	} else {
		live->is_waited_for = true;
		live->nr_items = message.nr;
		live->next_item = 0;
	}
}

/* True: *out is an event. */
static bool take_item(struct live_monitor *live, struct monitor_event *out)
{
	struct exchange_item item;
	enum ms_status status = MS_ERR_INVALID;

	memcpy(&item, &live->exchange->items[live->next_item++], sizeof(item));
	if (item.kind == EXCHANGE_EVENT && exchange_event_is_valid(&item.of.event)) {
		*out = item.of.event;
		live->starts_over |= out->kind == MONITOR_RESTART;
		return true;
	}
	if (item.kind == EXCHANGE_CHANGE)
		status = database_copy_change(&live->copy, &item.of.change);
	if (status == MS_ERR_MEMORY)
		end(live, "there is no memory for its measurements");
	else if (status != MS_OK)
		end(live, "a value in its summary table is damaged");
	return false;
}

static void next(void *ctx, struct database *db, struct monitor_event *out)
{
	struct live_monitor *live = ctx;

	(void)db;
	*out = (struct monitor_event){ .kind = MONITOR_NOTHING };
	while (!live->ended) {
		if (live->next_item < live->nr_items) {
			if (take_item(live, out))
				return;
			continue;
		}
		if (live->is_waited_for)
			answer(live);
		else
			take_message(live);
		if (!live->ended && !live->is_waited_for)
			return;
	}
	out->kind = MONITOR_END;
}

const struct monitor live_monitor = {
	.configure = configure,
	.prepare = prepare,
	.request = request,
	.next = next,
};
