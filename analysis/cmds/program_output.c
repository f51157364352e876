/* SPDX-License-Identifier: Apache-2.0 */
/* The output of another program. */
#define _GNU_SOURCE /* pipe2 */
#include "analysis/cmds/program_output.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/report/text.h"

static char *read_all(struct arena *arena, int fd)
{
	char buffer[4096];
	struct text text;
	ssize_t nr;

	text_init(&text, arena);
	while ((nr = read(fd, buffer, sizeof(buffer))) > 0 || (nr < 0 && errno == EINTR))
		if (nr > 0)
			text_add_bytes(&text, buffer, (size_t)nr);
	return text.bytes;
}

char *capture(struct arena *arena, char *const *argv, char *const *environment)
{
	posix_spawn_file_actions_t actions;
	char *text = NULL;
	int pipes[2];
	pid_t child;

	if (pipe2(pipes, O_CLOEXEC) != 0)
		return NULL;
	if (posix_spawn_file_actions_init(&actions) != 0)
		goto out_pipes;
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, pipes[1], STDERR_FILENO);
	if (posix_spawn(&child, argv[0], &actions, NULL, argv, environment) == 0) {
		close(pipes[1]);
		pipes[1] = -1;
		text = read_all(arena, pipes[0]);
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	posix_spawn_file_actions_destroy(&actions);
out_pipes:
	close(pipes[0]);
	if (pipes[1] >= 0)
		close(pipes[1]);
	return text;
}
