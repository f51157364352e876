/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes of all bytes: in parts, at the end of a file, beyond the limit of file size,
 * interrupted.
 */
#define _GNU_SOURCE
#include "analysis/base/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/host/scratch.h"
#include "tests/unit/test.h"

static void ignore(int signal)
{
	(void)signal;
}

TEST(transfer__continues_after_parts_and_interruptions)
{
	/* no SA_RESTART: read returns EINTR */
	struct sigaction interrupts = { .sa_handler = ignore };
	char bytes[8];
	int ends[2], status = 0;
	pid_t child;

	CHECK(pipe(ends) == 0 && sigaction(SIGUSR1, &interrupts, NULL) == 0);
	child = fork();
	if (!child) {
		for (int i = 0; i < 8; i++) {
			usleep(2000);
			kill(getppid(), SIGUSR1);
			usleep(2000);
			if (write(ends[1], &"abcdefgh"[i], 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	CHECK_INT(transfer_read(ends[0], bytes, sizeof(bytes)), 8);
	CHECK(!memcmp(bytes, "abcdefgh", 8));
	CHECK(waitpid(child, &status, 0) == child && status == 0);
}

TEST(transfer__a_short_read_has_errno_0_at_the_end)
{
	char bytes[16];
	int fd;

	scratch_enter();
	fd = open("x", O_RDWR | O_CREAT, 0600);
	CHECK_INT(transfer_write(fd, "1234", 4), 4);
	CHECK_INT(transfer_pwrite(fd, "cd", 2, 2), 2);
	errno = EIO;
	CHECK_INT(transfer_pread(fd, bytes, sizeof(bytes), 1), 3);
	CHECK_INT(errno, 0);
	CHECK(!memcmp(bytes, "2cd", 3));
	CHECK_INT(transfer_read(-1, bytes, sizeof(bytes)), 0);
	CHECK_INT(errno, EBADF);
}

TEST(transfer__writes_what_fits_and_sends_no_signal)
{
	struct rlimit limit = { 6, 6 };
	int fd, ends[2];

	scratch_enter();
	fd = open("x", O_RDWR | O_CREAT, 0600);
	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0 && pipe(ends) == 0 && close(ends[0]) == 0);
	signal(SIGXFSZ, SIG_DFL); /* each would end this process */
	signal(SIGPIPE, SIG_DFL);
	CHECK_INT(transfer_write(fd, "12345678", 8), 6);
	CHECK_INT(errno, EFBIG);
	CHECK_INT(transfer_pwrite(fd, "12345678", 8, 3), 3);
	CHECK_INT(errno, EFBIG);
	CHECK_INT(transfer_write(ends[1], "x", 1), 0);
	CHECK_INT(errno, EPIPE);
}
