/* SPDX-License-Identifier: Apache-2.0 */
/* File descriptors of memsearch, at numbers that the program does not get. */
#define _GNU_SOURCE
#include "analysis/base/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <unistd.h>

#include "analysis/base/spin.h"

/* numbers beyond the limit for which there is room, 8 bytes each in the kernel's table */
#define ROOM 65536

/* If another thread of the program set its limit meanwhile, that limit stays. */
static void restore(const struct rlimit *before, const struct rlimit *raised)
{
	struct rlimit found;

	if (prlimit(0, RLIMIT_NOFILE, before, &found) == 0 &&
	    (found.rlim_cur != raised->rlim_cur || found.rlim_max != raised->rlim_max))
		setrlimit(RLIMIT_NOFILE, &found);
}

static int duplicate_beyond(int fd)
{
	struct rlimit before, raised;
	int moved;

	if (getrlimit(RLIMIT_NOFILE, &before) || before.rlim_cur >= before.rlim_max ||
	    before.rlim_cur > INT_MAX - ROOM)
		return -1;
	raised = before;
	raised.rlim_cur = before.rlim_max - before.rlim_cur > ROOM ? before.rlim_cur + ROOM
								   : before.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &raised))
		return -1;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, (int)before.rlim_cur);
	restore(&before, &raised);
	return moved;
}

int descriptor_beyond_limit(int fd)
{
	static int locked;
	int error = errno, moved;

	spin_lock(&locked);
	moved = duplicate_beyond(fd);
	spin_unlock(&locked);
	if (moved >= 0)
		close(fd);
	errno = error;
	return moved;
}

int descriptor_move_away(int fd, int lowest)
{
	int error = errno, moved = descriptor_beyond_limit(fd);

	if (moved < 0 && (moved = fcntl(fd, F_DUPFD_CLOEXEC, lowest)) >= 0)
		close(fd);
	errno = error;
	return moved;
}
