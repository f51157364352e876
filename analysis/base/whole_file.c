/* SPDX-License-Identifier: Apache-2.0 */
/* Reads whole files. */
#include "analysis/base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/transfer.h"

static const char *read_bytes(struct arena *arena, int fd, size_t bytes, size_t *length_out)
{
	char *text = arena_alloc(arena, bytes + 1);

	if (!text) {
		errno = ENOMEM;
		return NULL;
	}
	*length_out = transfer_read(fd, text, bytes);
	return *length_out == bytes || !errno ? text : NULL;
}

static const char *read_file(struct arena *arena, int fd, size_t most, size_t *length_out)
{
	struct stat status;

	if (fstat(fd, &status))
		return NULL;
	if (S_ISREG(status.st_mode) && (size_t)status.st_size <= most)
		return read_bytes(arena, fd, (size_t)status.st_size, length_out);
	errno = S_ISDIR(status.st_mode) ? EISDIR : S_ISREG(status.st_mode) ? EFBIG : EINVAL;
	return NULL;
}

const char *whole_file_read(struct arena *arena, const char *path, size_t most, size_t *length_out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), error;
	const char *text;

	if (fd < 0)
		return NULL;
	text = read_file(arena, fd, most, length_out);
	error = errno;
	close(fd);
	errno = error;
	return text;
}
