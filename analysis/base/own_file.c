/* SPDX-License-Identifier: Apache-2.0 */
/* Files that memsearch writes. */
#define _GNU_SOURCE /* O_NOFOLLOW */
#include "analysis/base/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define FLAGS (O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)

int own_file_create(const char *path, mode_t mode)
{
	return open(path, FLAGS | O_CREAT | O_EXCL, mode);
}

/* Checked before it is opened, too: opening a device may have effects. */
static int why_not(mode_t mode)
{
	return S_ISREG(mode) ? 0 : S_ISLNK(mode) ? ELOOP : S_ISDIR(mode) ? EISDIR : EINVAL;
}

int own_file_open(const char *path)
{
	struct stat info;
	int fd;

	if (lstat(path, &info))
		return -1;
	errno = why_not(info.st_mode);
	fd = errno ? -1 : open(path, FLAGS);
	if (fd < 0)
		return -1;
	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

void own_file_remove(const char *path, int fd)
{
	struct stat named, opened;
	int error = errno;

	if (lstat(path, &named) == 0 && fstat(fd, &opened) == 0 && named.st_dev == opened.st_dev &&
	    named.st_ino == opened.st_ino)
		unlink(path);
	errno = error;
}
