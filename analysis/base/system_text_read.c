/* SPDX-License-Identifier: Apache-2.0 */
/* Small text files of the kernel. Also part of libmemsearch.so: libc only. */
#include "analysis/base/system_text.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

size_t system_text_read(const char *path, char *buf, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error;
	size_t length = 0;
	ssize_t got = 0;

	buf[0] = '\0';
	if (fd < 0)
		return 0;
	while (length < room - 1 && (got = read(fd, buf + length, room - 1 - length)) > 0)
		length += (size_t)got;
	error = got < 0 ? errno : 0;
	close(fd);
	errno = error;
	buf[length] = '\0';
	return length;
}
