/* SPDX-License-Identifier: Apache-2.0 */
/* Writing beyond the limit of file size, and to pipes without reader, without the signals. */
#define _GNU_SOURCE
#include "analysis/base/quiet_write.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>

#include "tests/host/scratch.h"
#include "tests/unit/test.h"

static int came;

static void note(int signal)
{
	(void)signal;
	came++;
}

static int full_file(void)
{
	struct rlimit limit = { 4, 4 };
	int fd;

	scratch_enter();
	fd = open("x", O_RDWR | O_CREAT, 0600);
	CHECK(fd >= 0 && setrlimit(RLIMIT_FSIZE, &limit) == 0);
	return fd;
}

TEST(quiet_write__no_signal_comes)
{
	int fd = full_file(), ends[2];

	signal(SIGXFSZ, SIG_DFL); /* would end this process */
	CHECK_THAT(quiet_write(fd, "12345678", 8), ==, 4);
	CHECK(quiet_write(fd, "5678", 4) < 0 && errno == EFBIG);
	CHECK(quiet_pwrite(fd, "5678", 4, 4) < 0 && errno == EFBIG);
	signal(SIGPIPE, SIG_DFL);
	CHECK(pipe(ends) == 0 && close(ends[0]) == 0);
	CHECK(quiet_write(ends[1], "x", 1) < 0 && errno == EPIPE);
}

TEST(quiet_write__the_mask_is_as_it_was)
{
	int fd = full_file();
	sigset_t mask;

	signal(SIGXFSZ, note);
	CHECK(quiet_pwrite(fd, "x", 1, 4) < 0 && came == 0);
	CHECK(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0 && !sigismember(&mask, SIGXFSZ));
	CHECK(pwrite(fd, "x", 1, 4) < 0 && came == 1); /* the program's own writes still get it */
}

TEST(quiet_write__a_signal_the_program_holds_back_is_kept)
{
	int fd = full_file();
	sigset_t one, pending;

	sigemptyset(&one);
	sigaddset(&one, SIGXFSZ);
	CHECK_INT(pthread_sigmask(SIG_BLOCK, &one, NULL), 0);
	CHECK_THAT(quiet_pwrite(fd, "x", 1, 4), <, 0);
	CHECK(sigpending(&pending) == 0 && !sigismember(&pending, SIGXFSZ));
	CHECK_THAT(pwrite(fd, "x", 1, 4), <, 0);
	CHECK_THAT(quiet_pwrite(fd, "x", 1, 4), <, 0);
	CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ));
}
