/* SPDX-License-Identifier: Apache-2.0 */
/* A line that is rewritten while something takes long. */
#define _GNU_SOURCE /* secure_getenv */
#include "analysis/cmds/progress.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/quiet_write.h"

#define BEFORE_NS 1000000000ull
#define ERASE "\r\033[K"

static void erase(void)
{
	ssize_t written = quiet_write(STDERR_FILENO, ERASE, strlen(ERASE));

	(void)written; /* a terminal that has gone needs no line */
}

/* Once: the signal is raised again with its default action. */
static void on_interrupt(int number)
{
	erase();
	raise(number);
}

static void handle_interrupt(void (*from)(int), void (*to)(int), int flags)
{
	struct sigaction action;

	if (sigaction(SIGINT, NULL, &action) || action.sa_handler != from)
		return;
	memset(&action, 0, sizeof(action));
	action.sa_handler = to;
	action.sa_flags = flags;
	sigaction(SIGINT, &action, NULL);
}

void progress_begin(struct progress *progress, uint64_t now_ns)
{
	const char *terminal = secure_getenv("TERM");

	*progress = (struct progress){ .begin_ns = now_ns,
				       .wanted = isatty(STDERR_FILENO) &&
						 !(terminal && !strcmp(terminal, "dumb")) };
}

void progress_duration(double seconds, char *out, size_t room)
{
	if (seconds < 100)
		snprintf(out, room, "%.0f s", seconds);
	else if (seconds < 6000)
		snprintf(out, room, "%.0f min", seconds / 60);
	else
		snprintf(out, room, "%.1f h", seconds < 3.6e6 ? seconds / 3600 : 1000);
}

void progress_show(struct progress *progress, double part, uint64_t now_ns)
{
	double took_ns = (double)(now_ns - progress->begin_ns);
	char line[80], left[24];
	ssize_t written;

	if (!progress->wanted || now_ns - progress->begin_ns < BEFORE_NS || !(part > 0) || part > 1)
		return;
	if (!progress->shown)
		handle_interrupt(SIG_DFL, on_interrupt, (int)(SA_RESETHAND | SA_NODEFER));
	progress->shown = true;
	progress_duration(took_ns / part * (1 - part) / 1e9, left, sizeof(left));
	snprintf(line, sizeof(line), ERASE "simulated %.0f %%, %s left", 100 * part, left);
	written = quiet_write(STDERR_FILENO, line, strlen(line));
	progress->wanted = written > 0;
}

void progress_end(struct progress *progress)
{
	if (!progress->shown)
		return;
	handle_interrupt(on_interrupt, SIG_DFL, 0);
	erase();
	progress->shown = false;
}
