/* SPDX-License-Identifier: Apache-2.0 */
/* Files in memory between `memsearch run` and the tool. */
#define _GNU_SOURCE /* memfd_create, secure_getenv */
#include "analysis/base/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/quiet_write.h"

#define NAME_FORMAT "memsearch run %s"

static bool make_token(char token[CHANNEL_TOKEN_DIGITS + 1])
{
	uint8_t bytes[CHANNEL_TOKEN_DIGITS / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
	return true;
}

bool channel_make(struct channel *channel, bool with_state)
{
	char name[64];

	*channel = (struct channel){ .process = getpid(), .files = { -1, -1 } };
	if (!make_token(channel->token))
		return false;
	snprintf(name, sizeof(name), NAME_FORMAT, channel->token);
	channel->files[CHANNEL_ATTACHED] = memfd_create(name, MFD_CLOEXEC);
	if (with_state)
		channel->files[CHANNEL_STATE] = memfd_create(name, MFD_CLOEXEC);
	if (channel->files[CHANNEL_ATTACHED] >= 0 &&
	    (!with_state || channel->files[CHANNEL_STATE] >= 0))
		return true;
	channel_close(channel);
	return false;
}

void channel_close(struct channel *channel)
{
	int error = errno;

	for (int i = 0; i < CHANNEL_FILES; i++) {
		if (channel->files[i] >= 0)
			close(channel->files[i]);
		channel->files[i] = -1;
	}
	errno = error;
}

void channel_text(const struct channel *channel, char text[CHANNEL_TEXT_BYTES])
{
	snprintf(text, CHANNEL_TEXT_BYTES, "%d.%d.%d.%s", channel->process,
		 channel->files[CHANNEL_ATTACHED], channel->files[CHANNEL_STATE], channel->token);
}

/* As channel_text writes it, to the letter. */
bool channel_parse(const char *text, struct channel *channel)
{
	char again[CHANNEL_TEXT_BYTES];

	*channel = (struct channel){ 0 };
	if (sscanf(text, "%9d.%9d.%9d.%32[0-9a-f]", &channel->process,
		   &channel->files[CHANNEL_ATTACHED], &channel->files[CHANNEL_STATE],
		   channel->token) != 4)
		return false;
	channel_text(channel, again);
	return channel->process > 0 && strlen(channel->token) == CHANNEL_TOKEN_DIGITS &&
	       !strcmp(text, again);
}

bool channel_is_named(void)
{
	const char *text = secure_getenv(CHANNEL_VARIABLE);

	return text && *text;
}

int channel_process(void)
{
	const char *text = secure_getenv(CHANNEL_VARIABLE);
	struct channel channel;

	return text && channel_parse(text, &channel) ? channel.process : 0;
}

/* Checked before it is opened: opening a device may have effects. */
static bool carries_token(const char *path, const struct channel *channel)
{
	char target[128], wanted[128];
	ssize_t nr = readlink(path, target, sizeof(target));
	int length = snprintf(wanted, sizeof(wanted), "/memfd:" NAME_FORMAT " (deleted)",
			      channel->token);

	if (nr < 0)
		return false;
	errno = ESTALE;
	return nr == length && !memcmp(target, wanted, (size_t)length);
}

static bool has_no_name(int fd)
{
	struct stat info;

	return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 0 &&
	       info.st_uid == geteuid();
}

int channel_open(enum channel_file which)
{
	const char *text = secure_getenv(CHANNEL_VARIABLE);
	struct channel channel;
	char path[64];
	int fd;

	errno = text && *text ? EINVAL : ENOENT;
	if (!text || !*text || !channel_parse(text, &channel))
		return -1;
	errno = ENOENT;
	if (channel.files[which] < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", channel.process, channel.files[which]);
	fd = carries_token(path, &channel)
		     ? open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
		     : -1;
	if (fd < 0 || has_no_name(fd))
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

bool channel_append(int fd, const void *bytes, size_t nr)
{
	ssize_t put;

	do
		put = quiet_write(fd, bytes, nr);
	while (put < 0 && errno == EINTR);
	if (put >= 0 && (size_t)put < nr)
		errno = ENOSPC;
	return put == (ssize_t)nr;
}
