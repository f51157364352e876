/* SPDX-License-Identifier: Apache-2.0 */
/* Distinguishes signals to a process group from those to one process. */
#include "analysis/cmds/group_signals.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SENDING_NS 2000000 /* the kernel sends to one process of a group after the other */
#define PATIENCE_US 500000

/* A signal that the group got; number 0: no more. */
struct got {
	int number;
	pid_t sender;
};

static bool receive(int fd, void *to, size_t bytes)
{
	ssize_t nr;

	do
		nr = recv(fd, to, bytes, MSG_WAITALL);
	while (nr < 0 && errno == EINTR);
	return nr == (ssize_t)bytes;
}

static bool transmit(int fd, const void *from, size_t bytes)
{
	ssize_t nr;

	do
		nr = send(fd, from, bytes, MSG_NOSIGNAL);
	while (nr < 0 && errno == EINTR);
	return nr == (ssize_t)bytes;
}

/* Until memsearch ends, which closes its end of the socket. */
static void answer_all(const sigset_t *held, int socket)
{
	const struct timespec now = { 0 };
	siginfo_t info;
	char any;

	while (receive(socket, &any, 1)) {
		struct got got = { 0 };
		bool good = true;

		while (good && sigtimedwait(held, &info, &now) > 0) {
			got = (struct got){ info.si_signo, info.si_pid };
			good = transmit(socket, &got, sizeof(got));
		}
		got = (struct got){ 0 };
		if (!good || !transmit(socket, &got, sizeof(got)))
			break;
	}
	_exit(0);
}

void group_signals_begin(struct group_signals *group, const sigset_t *held)
{
	const struct timeval patience = { .tv_usec = PATIENCE_US };
	int ends[2];

	*group = (struct group_signals){ 0 };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return;
	group->process = fork();
	if (!group->process) {
		close(ends[0]);
		answer_all(held, ends[1]);
	}
	close(ends[1]);
	group->socket = ends[0];
	setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (group->process > 0)
		return;
	close(ends[0]);
	*group = (struct group_signals){ 0 };
}

bool group_signals_got(const struct group_signals *group, const siginfo_t *info)
{
	const struct timespec sending = { 0, SENDING_NS };
	struct got got;
	bool found = false;

	if (!group->process)
		return false;
	nanosleep(&sending, NULL);
	if (!transmit(group->socket, "", 1))
		return false;
	while (receive(group->socket, &got, sizeof(got)) && got.number)
		found |= got.number == info->si_signo && got.sender == info->si_pid;
	return found;
}

void group_signals_end(struct group_signals *group)
{
	if (!group->process)
		return;
	close(group->socket);
	waitpid(group->process, NULL, 0);
	*group = (struct group_signals){ 0 };
}
