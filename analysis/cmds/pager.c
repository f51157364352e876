/* SPDX-License-Identifier: Apache-2.0 */
/* Long output on a terminal goes through a pager. */
#define _GNU_SOURCE /* secure_getenv */
#include "analysis/cmds/pager.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/report/text.h"

#define NOT_STARTED 127 /* of the shell, whose command is not there; 126: is not executable */

static bool fits(const struct text *text)
{
	struct winsize size;
	size_t lines = 0;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_row)
		return true;
	for (size_t i = 0; i < text->length; i++)
		lines += text->bytes[i] == '\n';
	return lines < size.ws_row;
}

/* NULL: none is wanted. */
static const char *pager_command(void)
{
	const char *command = secure_getenv("PAGER"), *type = secure_getenv("TERM");

	if (!command)
		command = "less";
	return !*command || !strcmp(command, "cat") || !type || !strcmp(type, "dumb") ? NULL
										      : command;
}

/*
 * A pager that the user quits early closes the pipe: that is no error. An interrupt is the pager's,
 * which handles it.
 */
static bool write_to(const char *command, const struct text *text)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction on_pipe, on_interrupt;
	FILE *pipe = popen(command, "we");
	int status;

	if (!pipe)
		return false;
	sigaction(SIGPIPE, &ignore, &on_pipe);
	sigaction(SIGINT, &ignore, &on_interrupt);
	fwrite(text->bytes, 1, text->length, pipe);
	status = pclose(pipe);
	sigaction(SIGINT, &on_interrupt, NULL);
	sigaction(SIGPIPE, &on_pipe, NULL);
	return !(WIFEXITED(status) && WEXITSTATUS(status) >= NOT_STARTED - 1);
}

bool pager_show(const struct text *text)
{
	const char *command;

	if (!isatty(STDOUT_FILENO) || fits(text))
		return false;
	command = pager_command();
	if (!command)
		return false;
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	return write_to(command, text);
}
