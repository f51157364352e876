/* SPDX-License-Identifier: Apache-2.0 */
/* Files at once. */
#include "analysis/base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/arena.h"

static const char *read_bytes(struct arena *arena, int fd, size_t bytes, size_t *length_out)
{
	char *text = arena_alloc(arena, bytes + 1);
	size_t nr = 0;

	if (!text)
		errno = ENOMEM;
	while (text && nr < bytes) {
		ssize_t more = read(fd, text + nr, bytes - nr);

		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return NULL;
		if (!more)
			break;
		nr += (size_t)more;
	}
	*length_out = nr;
	return text;
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
