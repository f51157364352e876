/* SPDX-License-Identifier: Apache-2.0 */
/* The segment and the messages that an agent and a program exchange, and their checks. */
#define _GNU_SOURCE
#include "analysis/agent/exchange.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "analysis/base/hash.h"

#define MAGIC 0x5341534du /* "MSAS" */
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define COUNT_MOST (1ull << 53) /* above, a double is not exact */
#define DURATION_MOST 1e18      /* ns: 30 years */

uint64_t exchange_layout(void)
{
	const uint64_t sizes[] = { sizeof(struct exchange),
				   sizeof(struct exchange_item),
				   sizeof(struct ms_request),
				   sizeof(struct database_change),
				   sizeof(struct monitor_event),
				   DATABASE_CHANGES,
				   MONITOR_EVENTS,
				   MS_REGION_KINDS,
				   MS_MISSING_REASONS,
				   MS_RUNGS,
				   MS_SENSORS };
	uint64_t hash = hash_bytes(HASH_START, sizes, sizeof(sizes));

	for (uint32_t metric = 0; metric < MS_METRICS; metric++) {
		const char *name = ms_metric_info(metric)->name;

		hash = hash_bytes(hash, name, strlen(name) + 1);
	}
	return hash;
}

unsigned int exchange_address(int pid, struct sockaddr_un *out)
{
	int length;

	*out = (struct sockaddr_un){ .sun_family = AF_UNIX };
	/* a first byte of 0: the abstract namespace */
	length = snprintf(out->sun_path + 1, sizeof(out->sun_path) - 1, "memsearch-agent-%d", pid);
	return (unsigned int)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

/* ------------------------------------------------------------------ the segment */

static struct exchange *map(int fd)
{
	void *memory = mmap(NULL, sizeof(struct exchange), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			    0);

	if (memory == MAP_FAILED)
		return NULL;
	madvise(memory, sizeof(struct exchange), MADV_DONTDUMP);
	return memory;
}

int exchange_make(struct exchange **out)
{
	int fd = memfd_create("memsearch-agent", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -1;
	if (ftruncate(fd, sizeof(struct exchange)) || fcntl(fd, F_ADD_SEALS, SEALS) ||
	    !(*out = map(fd))) {
		int error = errno;

		close(fd);
		errno = error;
		return -1;
	}
	(*out)->magic = MAGIC;
	(*out)->version = EXCHANGE_VERSION;
	(*out)->layout = exchange_layout();
	return fd;
}

struct exchange *exchange_map(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct exchange *exchange;
	struct stat status;

	if (seals < 0 || (seals & SEALS) != SEALS || fstat(fd, &status) ||
	    status.st_size != (off_t)sizeof(struct exchange))
		return NULL;
	exchange = map(fd);
	if (exchange && exchange->magic == MAGIC && exchange->version == EXCHANGE_VERSION &&
	    exchange->layout == exchange_layout())
		return exchange;
	exchange_unmap(exchange);
	return NULL;
}

void exchange_unmap(struct exchange *exchange)
{
	if (exchange)
		munmap(exchange, sizeof(*exchange));
}

/* ------------------------------------------------------------------ messages */

/* Room for a descriptor beside a message. */
union beside {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr alignment;
};

bool exchange_send(int socket, enum exchange_word word, uint32_t nr, int fd)
{
	struct exchange_message message = { MAGIC, EXCHANGE_VERSION, word, nr, exchange_layout() };
	struct iovec part = { &message, sizeof(message) };
	union beside beside = { 0 };
	struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };

	if (fd >= 0) {
		struct cmsghdr *control;

		header.msg_control = beside.bytes;
		header.msg_controllen = sizeof(beside.bytes);
		control = CMSG_FIRSTHDR(&header);
		*control = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(fd)),
					     .cmsg_level = SOL_SOCKET,
					     .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(control), &fd, sizeof(fd));
	}
	return sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof(message);
}

/* -1: none came. */
static int descriptor_beside(struct msghdr *header)
{
	const struct cmsghdr *control = CMSG_FIRSTHDR(header);
	int fd = -1;

	if (control && control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_RIGHTS &&
	    control->cmsg_len == CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(control), sizeof(fd));
	return fd;
}

bool exchange_wait(int socket, int wait_ms)
{
	struct pollfd on = { .fd = socket, .events = POLLIN };

	return poll(&on, 1, wait_ms) > 0;
}

enum exchange_received exchange_receive(int socket, int wait_ms, struct exchange_message *out,
					int *fd_out)
{
	struct iovec part = { out, sizeof(*out) };
	union beside beside = { 0 };
	struct msghdr header = { .msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = beside.bytes,
				 .msg_controllen = sizeof(beside.bytes) };
	ssize_t length;
	int fd;

	if (fd_out)
		*fd_out = -1;
	if (!exchange_wait(socket, wait_ms))
		return EXCHANGE_NONE;
	length = recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (length < 0)
		return errno == EAGAIN || errno == EINTR ? EXCHANGE_NONE : EXCHANGE_GONE;
	if (length == 0)
		return EXCHANGE_GONE;
	fd = descriptor_beside(&header);
	if (fd_out)
		*fd_out = fd;
	else if (fd >= 0)
		close(fd);
	/* another version's may be longer, with the same beginning */
	return length == (ssize_t)sizeof(*out) && out->magic == MAGIC ? EXCHANGE_MESSAGE
								      : EXCHANGE_BAD;
}

bool exchange_is_same(const struct exchange_message *message)
{
	return message->version == EXCHANGE_VERSION && message->layout == exchange_layout();
}

/* ------------------------------------------------------------------ values */

bool exchange_request_is_valid(const struct ms_request *request, uint32_t nr_regions)
{
	return request->metric < MS_METRICS && request->region < nr_regions &&
	       !(request->flags & ~(uint32_t)MS_REQUEST_SUBREGIONS) &&
	       request->interval < MS_INTERVALS_MOST && !ms_request_has_range(request);
}

static bool is_duration(double ns)
{
	return isfinite(ns) && ns >= 0 && ns <= DURATION_MOST;
}

/* Read as a byte: any other value is undefined as a bool. */
static bool is_bool(const bool *value)
{
	unsigned char byte;

	memcpy(&byte, value, sizeof(byte));
	return byte <= 1;
}

static bool is_cost(const struct engine_cost *cost)
{
	/* an unknown share is NAN */
	for (unsigned int id = 0; id < MS_SENSORS; id++)
		if (!isnan(cost->per_sensor_ns[id]) && !is_duration(cost->per_sensor_ns[id]))
			return false;
	return is_bool(&cost->stopped_early) && cost->executions &&
	       cost->executions <= COUNT_MOST && is_duration(cost->program_ns) &&
	       is_duration(cost->tool_ns) && is_duration(cost->between_ns);
}

bool exchange_event_is_valid(const struct monitor_event *event)
{
	switch (event->kind) {
	case MONITOR_EXECUTION:
	case MONITOR_LEFT_OUT: return is_cost(&event->cost);
	case MONITOR_CHARGE: return is_duration(event->tool_ns);
	case MONITOR_BEFORE:
		return is_duration(event->program_ns) && is_duration(event->tool_ns) &&
		       is_duration(event->ends_ns);
	case MONITOR_RECORDING: return event->executions > 0;
	case MONITOR_RESTART: return true;
	default: return false;
	}
}
