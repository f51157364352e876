/* SPDX-License-Identifier: Apache-2.0 */
/* userfaultfd(2): numbers of Linux 6.7, absent from older headers. */
#define _GNU_SOURCE /* syscall */
#include "ompt_tool/placement/write_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analysis/base/descriptor.h"
#include "analysis/base/system_text.h"

#define USER_MODE_ONLY 1 /* needs no privilege: vm.unprivileged_userfaultfd is about others */
#define API_VERSION 0xAA
#define FEATURE_WP_ASYNC (1ull << 15)
#define MODE_WP (1ull << 1)
/* as sensors do: beyond the numbers that programs use */
#define DESCRIPTOR_FIRST 200

struct api {
	uint64_t version, features, ioctls;
};
struct range {
	uint64_t start, bytes;
};
struct registration {
	struct range range;
	uint64_t mode, ioctls;
};
#define API_IOCTL _IOWR(0xAA, 0x3F, struct api)
#define REGISTER_IOCTL _IOWR(0xAA, 0x00, struct registration)
#define UNREGISTER_IOCTL _IOR(0xAA, 0x01, struct range)

/* It may kill the program for a system call that it does not expect. */
static bool has_filter(void)
{
	char text[4096];
	const char *line;

	system_text_read("/proc/self/status", text, sizeof(text));
	line = strstr(text, "\nSeccomp:");
	return line && strtoul(line + sizeof("\nSeccomp:") - 1, NULL, 10);
}

static const char *why_not(int error)
{
	if (error == EPERM || error == EACCES)
		return "not permitted: userfaultfd, refused by a security module or a container";
	if (error == EMFILE || error == ENFILE)
		return "not permitted: the limit of open files is reached (RLIMIT_NOFILE)";
	return "unsupported: this kernel lacks userfaultfd with WP_ASYNC (Linux 6.7, CONFIG_PTE_MARKER_UFFD_WP)";
}

static int open_descriptor(void)
{
	struct api api = { .version = API_VERSION, .features = FEATURE_WP_ASYNC };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | USER_MODE_ONLY), away,
	    error;

	if (fd < 0)
		return -1;
	error = ioctl(fd, API_IOCTL, &api) ? errno : 0;
	away = error ? -1 : descriptor_move_away(fd, DESCRIPTOR_FIRST);
	if (away >= 0)
		return away;
	close(fd);
	errno = error ? error : EMFILE;
	return -1;
}

bool write_watch_open(struct write_watch *watch, const char **why_out)
{
	struct stat status;

	*watch = (struct write_watch){ .fd = -1 };
	if (has_filter()) {
		*why_out = "not permitted: a seccomp filter may kill the program for userfaultfd (docker run --security-opt seccomp=unconfined)";
		return false;
	}
	watch->fd = open_descriptor();
	if (watch->fd < 0 || fstat(watch->fd, &status)) {
		*why_out = why_not(errno);
		write_watch_close(watch, &(struct memory_ranges){ 0 });
		return false;
	}
	watch->device = status.st_dev;
	watch->inode = status.st_ino;
	return true;
}

bool write_watch_register(const struct write_watch *watch, const struct memory_range *mapping)
{
	struct registration registration = {
		.range = { mapping->low, mapping->high - mapping->low }, .mode = MODE_WP
	};

	return !ioctl(watch->fd, REGISTER_IOCTL, &registration);
}

/* The program may have closed it, and opened a file with its number. */
static bool is_own(const struct write_watch *watch)
{
	struct stat status;

	return watch->fd >= 0 && !fstat(watch->fd, &status) && status.st_dev == watch->device &&
	       status.st_ino == watch->inode;
}

void write_watch_close(struct write_watch *watch, const struct memory_ranges *mappings)
{
	bool own = is_own(watch);

	/* A child of fork holds the descriptor, too: closing it alone ends nothing. */
	for (size_t i = 0; own && i < mappings->nr; i++) {
		struct range range = { mappings->items[i].low,
				       mappings->items[i].high - mappings->items[i].low };

		ioctl(watch->fd, UNREGISTER_IOCTL, &range);
	}
	if (own)
		close(watch->fd);
	*watch = (struct write_watch){ .fd = -1 };
}
