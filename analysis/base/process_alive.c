/* SPDX-License-Identifier: Apache-2.0 */
/* Whether another process is there. */
#include "analysis/base/process_alive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* "PID (NAME) STATE …" */
static bool has_ended(int fd)
{
	char text[512];
	ssize_t nr = read(fd, text, sizeof(text) - 1);
	const char *state;

	text[nr > 0 ? nr : 0] = '\0';
	state = strrchr(text, ')');
	return !state || state[1] != ' ' || state[2] == 'Z' || state[2] == 'X';
}

bool process_is_alive(int process)
{
	char path[64];
	int error = errno, fd;
	bool alive;

	snprintf(path, sizeof(path), "/proc/%d/stat", process);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		alive = errno != ENOENT || access("/proc/self", F_OK) != 0;
	} else {
		alive = !has_ended(fd);
		close(fd);
	}
	errno = error;
	return alive;
}
