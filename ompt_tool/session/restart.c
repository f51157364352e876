/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between the tool and `memsearch run`. */
#include "ompt_tool/session/restart.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/channel.h"
#include "analysis/base/hash.h"
#include "analysis/base/log.h"
#include "analysis/base/process_alive.h"
#include "analysis/base/transfer.h"
#include "analysis/search/carry.h"
#include "analysis/search/earlier_verdicts.h"
#include "analysis/search/engine_results.h"

#define STATES_BYTES_MAX ((uint64_t)64 << 20)

/* -1: no launcher, or it cannot be reached, which restart_attached reports. */
static int open_file(enum channel_file which)
{
	return channel_is_named() ? channel_open(which) : -1;
}

static uint64_t file_bytes(int fd)
{
	struct stat info;

	return fstat(fd, &info) == 0 && info.st_size > 0 ? (uint64_t)info.st_size : 0;
}

/* NULL: it cannot be read. */
static char *read_text(struct arena *arena, int fd, uint64_t at, uint64_t nr)
{
	char *text = nr < STATES_BYTES_MAX ? arena_alloc(arena, nr + 1) : NULL;

	return text && transfer_pread(fd, text, nr, (off_t)at) == nr ? text : NULL;
}

/* -- the attached program */

#define CHOICE_TRIES 100 /* of 10 ms */

/* Each has opened the channel by itself, so the lock is between programs; it ends with its holder. */
int restart_choose(void)
{
	static const struct timespec pause = { 0, 10000000 };
	int error = errno, fd = open_file(CHANNEL_ATTACHED);

	for (int i = 0; fd >= 0 && i < CHOICE_TRIES && flock(fd, LOCK_EX | LOCK_NB); i++)
		nanosleep(&pause, NULL);
	errno = error;
	return fd;
}

void restart_chosen(int choice)
{
	if (choice >= 0)
		close(choice);
}

static int launcher; /* its process; 0: it does not know of this program */

static void say_not_told(const char *record_path)
{
	bool has_record = record_path && strcmp(record_path, CHANNEL_FAILED) != 0;

	log_warning(
		"cannot reach `memsearch run` (%s): it has ended, or this program runs as another user or in another container%s%s",
		strerror(errno), has_record ? "; the record: " : "", has_record ? record_path : "");
}

void restart_attached(const char *record_path)
{
	char line[PATH_MAX + 2];
	int fd = open_file(CHANNEL_ATTACHED);
	int length = snprintf(line, sizeof(line), "%s\n", record_path ? record_path : "");

	if (fd >= 0 && channel_append(fd, line, (size_t)length))
		launcher = channel_process();
	else if (channel_is_named())
		say_not_told(record_path);
	if (fd >= 0)
		close(fd);
}

bool restart_is_awaited(void)
{
	return launcher && process_is_alive(launcher);
}

static bool has_line(const char *lines, const char *wanted)
{
	size_t length = strlen(wanted);

	while (*lines) {
		size_t nr = strcspn(lines, "\n");

		if (nr == length && !memcmp(lines, wanted, nr))
			return true;
		lines += nr + (lines[nr] == '\n');
	}
	return false;
}

bool restart_is_taken(struct arena *arena, const char *record_path)
{
	int fd = open_file(CHANNEL_ATTACHED);
	const char *lines;

	if (fd < 0)
		return channel_is_named();
	lines = read_text(arena, fd, 0, file_bytes(fd));
	close(fd);
	return !lines || has_line(lines, record_path);
}

/* -- states */

static uint64_t this_program(void)
{
	char path[PATH_MAX];
	ssize_t nr = readlink("/proc/self/exe", path, sizeof(path));

	return hash_bytes(HASH_START, path, nr > 0 ? (size_t)nr : 0);
}

/* Text of a program's last entry; NULL: none. */
static char *last_entry(struct arena *arena, int fd, uint64_t program)
{
	uint64_t end = file_bytes(fd), at = 0, found = 0, bytes = 0;
	struct channel_entry entry;

	while (pread(fd, &entry, sizeof(entry), (off_t)at) == (ssize_t)sizeof(entry) &&
	       entry.mark == CHANNEL_ENTRY_MARK && entry.bytes <= end - at - sizeof(entry)) {
		at += sizeof(entry);
		if (entry.program == program) {
			found = at;
			bytes = entry.bytes;
		}
		at += entry.bytes;
	}
	return found ? read_text(arena, fd, found, bytes) : NULL;
}

void restart_load(struct engine *engine, struct carry *carry, struct arena *arena)
{
	int fd = open_file(CHANNEL_STATE);
	char *text = fd >= 0 ? last_entry(arena, fd, this_program()) : NULL;
	char *earlier = fd >= 0 ? last_entry(arena, fd, 0) : NULL;
	enum ms_status status = MS_OK;

	if (fd >= 0)
		close(fd);
	if (earlier)
		status = earlier_verdicts_load(engine, earlier);
	if (text && status == MS_OK)
		status = carry_is(text) ? carry_load(carry, text) : engine_load(engine, text);
	if (status != MS_OK)
		log_warning(
			"the search state of the run before is damaged; the search starts anew");
}

static bool append_entry(struct arena *arena, int fd, const char *text)
{
	struct channel_entry entry = { CHANNEL_ENTRY_MARK, this_program(), strlen(text) };
	char *bytes = arena_alloc(arena, sizeof(entry) + entry.bytes);

	errno = bytes ? ENOSPC : ENOMEM;
	if (!bytes || file_bytes(fd) + sizeof(entry) + entry.bytes > STATES_BYTES_MAX)
		return false;
	memcpy(bytes, &entry, sizeof(entry));
	memcpy(bytes + sizeof(entry), text, entry.bytes);
	return channel_append(fd, bytes, sizeof(entry) + entry.bytes);
}

void restart_save(const struct engine *engine, const struct carry *carry, struct arena *arena)
{
	int fd = open_file(CHANNEL_STATE);
	char *text = NULL;

	if (fd < 0)
		return;
	if (carry)
		text = carry_save(carry, arena);
	else if (engine)
		text = engine_save(engine, arena);
	if (text && !append_entry(arena, fd, text))
		log_warning_errno("cannot keep the search state for the next run");
	close(fd);
}
