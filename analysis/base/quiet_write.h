/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_QUIET_WRITE_H
#define MEMSEARCH_BASE_QUIET_WRITE_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/*
 * write(2) and pwrite(2) for code inside the user's program, without the signals they send to the
 * calling thread: SIGXFSZ beyond RLIMIT_FSIZE, SIGPIPE for a pipe without reader. The program may
 * lower its limit at any time, so a check before cannot replace this. A failure is errno alone
 * (EFBIG, EPIPE). The thread's mask and the program's own pending signals stay as they were.
 * Inline, because libmemsearch.so needs it and links libc only. Any thread; no malloc.
 */
struct quiet_write {
	sigset_t sent, before, pending;
};

static inline void quiet_write_begin(struct quiet_write *quiet)
{
	sigemptyset(&quiet->sent);
	sigaddset(&quiet->sent, SIGXFSZ);
	sigaddset(&quiet->sent, SIGPIPE);
	sigemptyset(&quiet->pending);
	pthread_sigmask(SIG_BLOCK, &quiet->sent, &quiet->before);
	if (sigismember(&quiet->before, SIGXFSZ) || sigismember(&quiet->before, SIGPIPE))
		sigpending(&quiet->pending);
}

static inline void quiet_write_end(const struct quiet_write *quiet, bool failed)
{
	const struct timespec at_once = { 0, 0 };
	int signal = failed && errno == EFBIG   ? SIGXFSZ
		     : failed && errno == EPIPE ? SIGPIPE
						: 0,
	    error = errno;
	sigset_t one;

	if (signal && !sigismember(&quiet->pending, signal)) {
		sigemptyset(&one);
		sigaddset(&one, signal);
		sigtimedwait(&one, NULL, &at_once);
	}
	pthread_sigmask(SIG_SETMASK, &quiet->before, NULL);
	errno = error;
}

static inline ssize_t quiet_write(int fd, const void *bytes, size_t nr)
{
	struct quiet_write quiet;
	ssize_t written;

	quiet_write_begin(&quiet);
	written = write(fd, bytes, nr);
	quiet_write_end(&quiet, written < 0);
	return written;
}

static inline ssize_t quiet_pwrite(int fd, const void *bytes, size_t nr, off_t at)
{
	struct quiet_write quiet;
	ssize_t written;

	quiet_write_begin(&quiet);
	written = pwrite(fd, bytes, nr, at);
	quiet_write_end(&quiet, written < 0);
	return written;
}

#endif
