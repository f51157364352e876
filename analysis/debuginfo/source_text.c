/* SPDX-License-Identifier: Apache-2.0 */
/* Reads source files. */
#include "analysis/debuginfo/source_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/arena.h"

/* Larger sources are not read into the user's program. */
#define BYTES_MAX (16 << 20)

static const char *read_open(struct arena *arena, int fd, size_t *bytes_out, int64_t *modified_out)
{
	struct stat status;
	char *content;
	ssize_t bytes;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_size > BYTES_MAX)
		return NULL;
	content = arena_alloc(arena, (size_t)status.st_size + 1);
	bytes = content ? read(fd, content, (size_t)status.st_size) : -1;
	if (bytes < 0)
		return NULL;
	content[bytes] = 0;
	*bytes_out = (size_t)bytes;
	*modified_out = status.st_mtime;
	return content;
}

const char *source_text_read(struct arena *arena, const char *path, size_t *bytes_out,
			     int64_t *modified_out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const char *content;

	if (fd < 0)
		return NULL;
	content = read_open(arena, fd, bytes_out, modified_out);
	close(fd);
	return content;
}
