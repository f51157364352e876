/* SPDX-License-Identifier: Apache-2.0 */
/* Results in files that the user names. */
#include "analysis/cmds/output_file.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/log.h"
#include "analysis/base/own_file.h"
#include "analysis/base/transfer.h"
#include "analysis/cmds/command.h"
#include "analysis/report/text.h"

#define BEGIN_MOST 256 /* bytes that tell the kind of a file */

static bool begins_with(int fd, const char *begin)
{
	char bytes[BEGIN_MOST];
	ssize_t nr = pread(fd, bytes, strlen(begin), 0);

	return nr == 0 || (nr == (ssize_t)strlen(begin) && !memcmp(bytes, begin, (size_t)nr));
}

/* Whether nothing is there, or a file that may be replaced. */
static bool is_free(const char *path, const char *begin, const char *kind)
{
	int fd = own_file_open(path);
	bool ours;

	if (fd < 0 && errno == ENOENT)
		return true;
	if (fd < 0) {
		log_warning_errno("cannot write the %s '%s'", kind, path);
		return false;
	}
	ours = begins_with(fd, begin);
	close(fd);
	if (!ours)
		log_warning(
			"'%s' exists and is no %s of memsearch: it is left as it is; name another file",
			path, kind);
	return ours;
}

/* False: errno says why; nothing of ours is left there. */
static bool write_at(const char *path, const char *beside, const struct text *text)
{
	int fd = own_file_create(beside, 0666);
	bool written;

	if (fd < 0)
		return false;
	written = transfer_write(fd, text->bytes, text->length) == text->length &&
		  rename(beside, path) == 0;
	if (!written)
		own_file_remove(beside, fd);
	/* file systems of a network say only then that they are full */
	if (close(fd) && written)
		return false;
	return written;
}

int output_file_write(const char *path, const struct text *text, const char *begin,
		      const char *kind)
{
	char beside[PATH_MAX];
	int nr = snprintf(beside, sizeof(beside), "%s.%ld.part", path, (long)getpid());

	if (text->cut) {
		log_warning("there is no memory for the %s '%s'", kind, path);
		return COMMAND_BAD_DATA;
	}
	if (!is_free(path, begin, kind))
		return COMMAND_BAD_DATA;
	errno = ENAMETOOLONG;
	if (nr < (int)sizeof(beside) && write_at(path, beside, text))
		return COMMAND_OK;
	log_warning_errno("cannot write the %s '%s'", kind, path);
	return COMMAND_BAD_DATA;
}
