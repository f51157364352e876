/* SPDX-License-Identifier: Apache-2.0 */
/* How far a sweep is. */
#define _GNU_SOURCE /* secure_getenv */
#include "analysis/cmds/sweep_progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/log.h"
#include "analysis/base/plain.h"
#include "analysis/base/quiet_write.h"
#include "analysis/base/thread_clock.h"
#include "analysis/cmds/progress.h"
#include "analysis/cmds/show.h"

#define ERASE "\r\033[K"
#define WIDTH 200 /* of a line; longer ones are cut */

void sweep_progress_begin(struct sweep_progress *progress, size_t all)
{
	const char *terminal = secure_getenv("TERM");

	*progress = (struct sweep_progress){ .begin_ns = thread_clock_ns(),
					     .all = all,
					     .brief = show_is_brief() };
	progress->terminal = isatty(STDERR_FILENO) && !(terminal && !strcmp(terminal, "dumb"));
}

/* ", 40 s left"; "": not known yet. */
static void left(const struct sweep_progress *progress, char *out, size_t room)
{
	double took = (double)(thread_clock_ns() - progress->begin_ns) / 1e9;
	char duration[24];

	*out = '\0';
	if (!progress->done || progress->brief || progress->done == progress->all)
		return;
	progress_duration(took / (double)progress->done * (double)(progress->all - progress->done),
			  duration, sizeof(duration));
	snprintf(out, room, ", %s left", duration);
}

static void rewrite(const char *line)
{
	ssize_t written = quiet_write(STDERR_FILENO, line, strlen(line));

	(void)written; /* a terminal that has gone needs no line */
}

void sweep_progress_erase(const struct sweep_progress *progress)
{
	if (progress->terminal)
		rewrite(ERASE);
}

void sweep_progress_run(const struct sweep_progress *progress, const char *words)
{
	char line[WIDTH] = ERASE, time[40];

	if (!progress->terminal)
		return;
	left(progress, time, sizeof(time));
	snprintf(line + strlen(ERASE), sizeof(line) - strlen(ERASE), "run %zu of %zu%s: %s",
		 progress->done + 1, progress->all, time, words);
	plain_bytes(line + strlen(ERASE), strlen(line) - strlen(ERASE));
	rewrite(line);
}

void sweep_progress_ran(struct sweep_progress *progress, const char *words, double took_ns)
{
	char time[40], took[40] = "";

	progress->done++;
	if (progress->terminal)
		return;
	left(progress, time, sizeof(time));
	if (!progress->brief)
		snprintf(took, sizeof(took), ": %.3g s", took_ns / 1e9);
	log_warning("run %zu of %zu%s: %s%s", progress->done, progress->all, time, words, took);
}
