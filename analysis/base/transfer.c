/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes that transfer all bytes. Also part of libmemsearch.so: libc only. */
#define _GNU_SOURCE
#include "analysis/base/transfer.h"

#include <errno.h>
#include <unistd.h>

#include "analysis/base/quiet_write.h"

/* One system call: bytes transferred, 0 at the end of the file, -1: errno. */
typedef ssize_t transfer_step(int fd, char *bytes, size_t nr, off_t at);

static ssize_t read_step(int fd, char *bytes, size_t nr, off_t at)
{
	(void)at;
	return read(fd, bytes, nr);
}

static ssize_t pread_step(int fd, char *bytes, size_t nr, off_t at)
{
	return pread(fd, bytes, nr, at);
}

static ssize_t written(ssize_t nr)
{
	if (nr)
		return nr;
	errno = ENOSPC;
	return -1;
}

static ssize_t write_step(int fd, char *bytes, size_t nr, off_t at)
{
	(void)at;
	return written(quiet_write(fd, bytes, nr));
}

static ssize_t pwrite_step(int fd, char *bytes, size_t nr, off_t at)
{
	return written(quiet_pwrite(fd, bytes, nr, at));
}

static size_t transfer(transfer_step *step, int fd, char *bytes, size_t nr, off_t at)
{
	size_t done = 0;

	while (done < nr) {
		ssize_t some = step(fd, bytes + done, nr - done, at + (off_t)done);

		if (some < 0 && errno == EINTR)
			continue;
		if (some == 0)
			errno = 0;
		if (some <= 0)
			break;
		done += (size_t)some;
	}
	return done;
}

size_t transfer_read(int fd, void *bytes, size_t nr)
{
	return transfer(read_step, fd, bytes, nr, 0);
}

size_t transfer_pread(int fd, void *bytes, size_t nr, off_t at)
{
	return transfer(pread_step, fd, bytes, nr, at);
}

size_t transfer_write(int fd, const void *bytes, size_t nr)
{
	return transfer(write_step, fd, (char *)bytes, nr, 0);
}

size_t transfer_pwrite(int fd, const void *bytes, size_t nr, off_t at)
{
	return transfer(pwrite_step, fd, (char *)bytes, nr, at);
}
