/* SPDX-License-Identifier: Apache-2.0 */
/* Where a record is written, and how to write it without harm to the program around it. */
#define _GNU_SOURCE /* secure_getenv */
#include "analysis/record/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/base/descriptor.h"
#include "analysis/base/log.h"
#include "analysis/base/own_file.h"
#include "analysis/base/process_alive.h"
#include "analysis/base/transfer.h"
#include "analysis/record/coding.h"
#include "analysis/record/crc32c.h"
#include "analysis/record/format.h"

#define PROGRAMS_NUMBERS 200 /* lower descriptors are left to the program */
#define NAMES_TRIED 1000     /* NAME.ms, NAME-2.ms … */
#define LOCK_TRIES 100       /* of 10 ms */

uint32_t record_host_number(void)
{
	struct utsname name;

	return uname(&name) ? 0 : crc32c_update(0, name.nodename, strlen(name.nodename));
}

static bool ends_with_mark(int fd)
{
	uint8_t mark[RECORD_ENTRY_BYTES];
	off_t end = lseek(fd, 0, SEEK_END);

	return end >= RECORD_HEADER_BYTES + RECORD_ENTRY_BYTES &&
	       pread(fd, mark, sizeof(mark), end - (off_t)sizeof(mark)) == (ssize_t)sizeof(mark) &&
	       load_u32(mark) == 0 && load_u32(mark + 4) == RECORD_END &&
	       load_u32(mark + 8) == crc32c_update(0, mark, 8);
}

bool record_file_in_use(int fd, const uint8_t *header)
{
	pid_t writer = (pid_t)load_u32(header + 12);

	return load_u32(header + 24) == record_host_number() && writer > 0 &&
	       process_is_alive(writer) && !ends_with_mark(fd);
}

/*
 * Closes `fd` and returns a duplicate with a number that the program does not get; -1: none is
 * free. Then the file is opened for each write.
 */
static int moved_away(int fd)
{
	int moved = descriptor_move_away(fd, PROGRAMS_NUMBERS);

	if (moved < 0)
		close(fd);
	return moved;
}

static const char *absolute(struct arena *arena, const char *path)
{
	char folder[PATH_MAX];

	if (path[0] == '/' || !getcwd(folder, sizeof(folder)))
		return path;
	return arena_printf(arena, "%s/%s", folder, path);
}

/* "x.ms" → "x-2.ms" */
static const char *numbered(struct arena *arena, const char *path, int number)
{
	const char *dot = strrchr(path, '.');
	size_t stem = dot && dot > base_name(path) ? (size_t)(dot - path) : strlen(path);

	return number == 1 ? path
			   : arena_printf(arena, "%.*s-%d%s", (int)stem, path, number, path + stem);
}

/* What is at the place the user named. */
enum named { NAMED_FREE, NAMED_RECORD, NAMED_BUSY, NAMED_OURS, NAMED_FOREIGN };

static enum named look_at(int fd)
{
	uint8_t header[RECORD_HEADER_BYTES];
	ssize_t nr = pread(fd, header, sizeof(header), 0);

	if (nr == 0)
		return NAMED_FREE;
	if (nr < 8 || memcmp(header, RECORD_MAGIC, 8) != 0)
		return NAMED_FOREIGN;
	if (nr < (ssize_t)sizeof(header) || !record_file_in_use(fd, header))
		return NAMED_RECORD;
	return load_u32(header + 12) == (uint32_t)getpid() ? NAMED_OURS : NAMED_BUSY;
}

/*
 * Of processes that begin records of one name at once (a program that forks) one at a time looks at
 * the file and writes its header. Without a lock where files cannot be locked.
 */
static void lock(int fd)
{
	static const struct timespec pause = { 0, 10000000 };
	int error = errno;

	for (int i = 0; i < LOCK_TRIES && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK; i++)
		nanosleep(&pause, NULL);
	errno = error;
}

/* A new file; its name in *path. Returns the descriptor, or -1 with errno. */
static int open_new(struct arena *arena, const char **path)
{
	for (int number = 1; number <= NAMES_TRIED; number++) {
		const char *name = numbered(arena, *path, number);
		int fd = name ? own_file_create(name, 0666) : -1;

		if (fd < 0 && name && errno == EEXIST)
			continue;
		if (fd >= 0)
			*path = name;
		return fd;
	}
	return -1;
}

/* False: errno says why; nothing of ours is left there. */
static bool take_over(struct record_file *file, int fd, const char *path, const void *header,
		      size_t header_bytes)
{
	struct stat status;
	int cause;

	*file = (struct record_file){ .arena = file->arena, .fd = fd, .path = path };
	if (fstat(fd, &status) == 0) {
		file->device = status.st_dev;
		file->inode = status.st_ino;
		if (transfer_pwrite(fd, header, header_bytes, 0) == header_bytes) {
			file->bytes = header_bytes;
			flock(fd, LOCK_UN);
			file->fd = moved_away(fd);
			return true;
		}
	}
	cause = errno;
	own_file_remove(path, file->fd);
	close(file->fd);
	file->fd = -1;
	errno = cause;
	return false;
}

static bool limit_allows(uint64_t bytes)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	    bytes <= limit.rlim_cur)
		return true;
	errno = EFBIG;
	return false;
}

static bool create_at(struct record_file *file, const char *path, const void *header,
		      size_t header_bytes)
{
	for (int i = 0; i < NAMES_TRIED && limit_allows(header_bytes); i++) {
		const char *name = path;
		int fd = open_new(file->arena, &name);

		if (fd < 0)
			return false;
		lock(fd);
		if (look_at(fd) == NAMED_FREE)
			return take_over(file, fd, name, header, header_bytes);
		close(fd); /* another process took the file while it was empty */
	}
	return false;
}

/* The folder of `path` first, then the usual places, with one line. */
static enum ms_status create_somewhere(struct record_file *file, const char *path,
				       const void *header, size_t header_bytes)
{
	const char *base = base_name(path);
	const char *folders[] = { secure_getenv("TMPDIR"), "/tmp" };
	int cause;

	if (create_at(file, path, header, header_bytes))
		return MS_OK;
	cause = errno;
	for (size_t i = 0; i < 2; i++) {
		const char *other = folders[i] && folders[i][0] == '/'
					    ? arena_printf(file->arena, "%s/%s", folders[i], base)
					    : NULL;

		if (!other || !create_at(file, other, header, header_bytes))
			continue;
		log_warning("cannot write '%s' (%s): the record goes to '%s'", path,
			    strerror(cause), file->path);
		return MS_OK;
	}
	errno = cause;
	log_warning_errno("cannot write the record '%s', nor one in $TMPDIR or /tmp", path);
	file->failed = true;
	return MS_ERR_IO;
}

static enum ms_status replace_at(struct record_file *file, const char *path, const void *header,
				 size_t header_bytes)
{
	int fd = own_file_open(path);
	enum named named = NAMED_FREE;

	if (fd >= 0) {
		lock(fd);
		named = look_at(fd);
	} else if (errno == EISDIR || errno == EINVAL || errno == ELOOP) {
		named = NAMED_FOREIGN;
	}
	if (fd >= 0 && named <= NAMED_RECORD && ftruncate(fd, 0) == 0) {
		if (take_over(file, fd, path, header, header_bytes))
			return MS_OK;
	} else if (fd >= 0) {
		close(fd);
	}
	if (named == NAMED_FOREIGN) {
		log_warning(
			"'%s' exists and is no record: it is left as it is; name another file for the record",
			path);
		file->failed = true;
		return MS_ERR_INVALID;
	}
	if (named == NAMED_BUSY)
		log_warning(
			"'%s' is being written by another process: the record gets a number in its name",
			path);
	if (named == NAMED_OURS)
		log_warning(
			"'%s' is of the program that this process ran before: the record gets a number in its name",
			path);
	return create_somewhere(file, path, header, header_bytes);
}

enum ms_status record_file_create(struct record_file *file, struct arena *arena, const char *path,
				  bool replace, const void *header, size_t header_bytes)
{
	*file = (struct record_file){ .arena = arena, .fd = -1 };
	path = absolute(arena, path);
	if (!path)
		return MS_ERR_MEMORY;
	return replace ? replace_at(file, path, header, header_bytes)
		       : create_somewhere(file, path, header, header_bytes);
}

/*
 * A new file in the folder of `path` that takes some bytes, and is removed again: of a name that no
 * other process takes, as several may look at the same path at once (ranks), or begin their record
 * there.
 */
static int try_beside(const char *path)
{
	static const uint8_t zeros[4096];
	char name[PATH_MAX];
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) + 1 : 0;
	int nr = snprintf(name, sizeof(name), "%.*s.memsearch-%ld-%d", folder, path,
			  (long)time(NULL), getpid());
	int fd = nr < (int)sizeof(name) ? own_file_create(name, 0666) : -1,
	    error = fd >= 0                  ? 0
		    : nr < (int)sizeof(name) ? errno
					     : ENAMETOOLONG;

	if (fd < 0)
		return error;
	errno = ENOSPC;
	if (limit_allows(sizeof(zeros)) &&
	    pwrite(fd, zeros, sizeof(zeros), 0) != (ssize_t)sizeof(zeros))
		error = errno;
	own_file_remove(name, fd);
	close(fd);
	return error;
}

int record_file_try(const char *path)
{
	int fd = own_file_open(path);
	enum named named;

	if (fd < 0)
		return errno == ENOENT ? try_beside(path) : errno;
	named = look_at(fd);
	close(fd);
	return named == NAMED_FOREIGN ? EEXIST : 0;
}

static bool is_ours(const struct record_file *file, int fd, struct stat *status)
{
	return fd >= 0 && fstat(fd, status) == 0 && status->st_dev == file->device &&
	       status->st_ino == file->inode;
}

/*
 * There is none between writes, or the program closed it (and perhaps has its number now): open the
 * file anew.
 */
static bool reopened(struct record_file *file, struct stat *status)
{
	int fd = own_file_open(file->path);

	file->fd = -1;
	if (fd < 0)
		return false;
	if (!is_ours(file, fd, status)) {
		close(fd);
		errno = ESTALE;
		return false;
	}
	file->fd = fd;
	return true;
}

/* Bytes of the whole entries among the first `nr`. */
static size_t whole_entries(const uint8_t *entries, size_t nr)
{
	size_t at = 0;

	while (nr - at >= RECORD_ENTRY_BYTES &&
	       nr - at - RECORD_ENTRY_BYTES >= load_u32(entries + at))
		at += RECORD_ENTRY_BYTES + load_u32(entries + at);
	return at;
}

static enum ms_status give_up(struct record_file *file)
{
	log_warning_errno("cannot write to the record '%s': it ends with what was written before",
			  file->path);
	file->failed = true;
	return MS_ERR_IO;
}

static enum ms_status append(struct record_file *file, const uint8_t *entries, size_t nr)
{
	struct stat status;
	size_t allowed = nr, done;

	if (file->failed)
		return MS_ERR_IO;
	if (!is_ours(file, file->fd, &status) && !reopened(file, &status))
		return give_up(file);
	/* a forked child that did not abandon it */
	if ((uint64_t)status.st_size != file->bytes) {
		log_warning(
			"the record '%s' was changed by another process: nothing more is written to it",
			file->path);
		file->failed = true;
		return MS_ERR_IO;
	}
	while (allowed && !limit_allows(file->bytes + allowed))
		allowed = allowed > 4096 ? whole_entries(entries, allowed - 4096) : 0;
	done = transfer_pwrite(file->fd, entries, allowed, (off_t)file->bytes);
	if (done == nr) {
		file->bytes += nr;
		return MS_OK;
	}
	if (done == allowed)
		errno = EFBIG;
	give_up(file);
	file->bytes += whole_entries(entries, done);
	if (done && ftruncate(file->fd, (off_t)file->bytes))
		log_debug("cannot cut the record '%s' back; its readers pass over the torn end",
			  file->path);
	return MS_ERR_IO;
}

enum ms_status record_file_append(struct record_file *file, const uint8_t *entries, size_t nr)
{
	enum ms_status status = append(file, entries, nr);
	struct stat still;

	if (file->fd >= 0 && file->fd < PROGRAMS_NUMBERS && is_ours(file, file->fd, &still))
		file->fd = moved_away(file->fd);
	return status;
}

void record_file_close(struct record_file *file)
{
	struct stat status;

	if (is_ours(file, file->fd, &status) && close(file->fd) && !file->failed && errno != EINTR)
		/* network file systems may say only now that the disk is full */
		give_up(file);
	file->fd = -1;
	file->failed = true;
}
