/* SPDX-License-Identifier: Apache-2.0 */
/* The progress line: on terminals alone, after a second, and gone in the end and after Ctrl-C. */
#define _GNU_SOURCE /* posix_openpt */
#include "analysis/cmds/progress.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/test.h"

#define SECOND 1000000000ull

/* A terminal as stderr; the side on which a user sees what is written. */
static int open_terminal(void)
{
	int user = posix_openpt(O_RDWR | O_NOCTTY), terminal;

	CHECK(user >= 0 && !grantpt(user) && !unlockpt(user));
	terminal = open(ptsname(user), O_RDWR | O_NOCTTY);
	CHECK(terminal >= 0 && dup2(terminal, STDERR_FILENO) == STDERR_FILENO);
	CHECK(setenv("TERM", "xterm", 1) == 0 && fcntl(user, F_SETFL, O_NONBLOCK) == 0);
	return user;
}

static const char *seen(int user)
{
	static char text[4096];
	ssize_t nr = read(user, text, sizeof(text) - 1);

	text[nr > 0 ? nr : 0] = 0;
	return text;
}

/* What a terminal is given reaches its other side a moment later: waits until as much as WANT is there. */
static void check_seen(int user, const char *want)
{
	char text[256];
	size_t length = 0;
	struct pollfd there = { user, POLLIN, 0 };

	while (length < strlen(want) && poll(&there, 1, 5000) == 1) {
		ssize_t nr = read(user, text + length, sizeof(text) - 1 - length);

		if (nr <= 0)
			break;
		length += (size_t)nr;
	}
	text[length] = 0;
	CHECK_STR(text, want);
}

TEST(progress__on_a_terminal)
{
	int user = open_terminal();
	struct progress progress;

	progress_begin(&progress, 5 * SECOND);
	progress_show(&progress, 0.1, 5 * SECOND + SECOND / 2);
	CHECK_STR(seen(user), "");
	progress_show(&progress, 0.25, 9 * SECOND);
	check_seen(user, "\r\033[Ksimulated 25 %, 12 s left");
	progress_show(&progress, 0.01, 15 * SECOND);
	check_seen(user, "\r\033[Ksimulated 1 %, 16 min left");
	progress_show(&progress, 0.0001, 15 * SECOND);
	check_seen(user, "\r\033[Ksimulated 0 %, 27.8 h left");
	progress_end(&progress);
	check_seen(user, "\r\033[K");
	progress_end(&progress);
	CHECK_STR(seen(user), "");
}

TEST(progress__nowhere_else)
{
	int user = open_terminal(), ends[2];
	struct progress progress;

	CHECK_THAT(setenv("TERM", "dumb", 1), ==, 0);
	progress_begin(&progress, 0);
	progress_show(&progress, 0.5, 9 * SECOND);
	progress_end(&progress);
	CHECK_STR(seen(user), "");
	CHECK(setenv("TERM", "xterm", 1) == 0 && pipe(ends) == 0 &&
	      dup2(ends[1], STDERR_FILENO) >= 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
	progress_begin(&progress, 0);
	progress_show(&progress, 0.5, 9 * SECOND);
	progress_end(&progress);
	CHECK_STR(seen(ends[0]), "");
}

static int interrupted(bool ended)
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		struct progress progress;

		signal(SIGINT, SIG_DFL);
		progress_begin(&progress, 0);
		progress_show(&progress, 0.5, 9 * SECOND);
		if (ended)
			progress_end(&progress);
		raise(SIGINT);
		_exit(0);
	}
	CHECK_THAT(waitpid(child, &status, 0), ==, child);
	return status;
}

TEST(progress__interrupted)
{
	int user = open_terminal();

	for (int ended = 0; ended < 2; ended++) {
		int status = interrupted(ended);

		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
		check_seen(user, "\r\033[Ksimulated 50 %, 9 s left\r\033[K");
	}
}
