/* SPDX-License-Identifier: Apache-2.0 */
/* What a child survives under filters that are in force already. */
#include "ompt_tool/filtered.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/test.h"

/* In force for the rest of the test. */
static void answer(unsigned int call, unsigned int action)
{
	struct sock_filter rows[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(rows) / sizeof(rows[0]), rows };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		test_skip("no seccomp filters: %s", strerror(errno));
}

static void hear(int number) { (void)number; }

static void check(enum filtered want)
{
	errno = 7;
	CHECK_INT(filtered_calls(), want);
	CHECK_INT(errno, 7);
}

static void no_child_is_left(void)
{
	CHECK(waitpid(-1, NULL, __WALL | WNOHANG) < 0 && errno == ECHILD);
}

TEST(filtered__nothing)
{
	check(FILTERED_NOTHING);
	no_child_is_left();
}

TEST(filtered__calls_that_fail_are_borne)
{
	answer(SYS_perf_event_open, SECCOMP_RET_ERRNO | EPERM);
	check(FILTERED_NOTHING);
	no_child_is_left();
}

TEST(filtered__one_that_ends_the_process)
{
	answer(SYS_perf_event_open, SECCOMP_RET_KILL_PROCESS);
	check(FILTERED_SOME);
	no_child_is_left();
}

TEST(filtered__one_that_ends_the_thread)
{
	answer(SYS_getrusage, SECCOMP_RET_KILL_THREAD);
	check(FILTERED_SOME);
	no_child_is_left();
}

TEST(filtered__one_whose_signal_has_a_handler)
{
	signal(SIGSYS, hear);
	answer(SYS_mincore, SECCOMP_RET_TRAP);
	check(FILTERED_SOME);
	no_child_is_left();
}

TEST(filtered__no_line_may_be_written)
{
	answer(SYS_fcntl, SECCOMP_RET_KILL_PROCESS);
	check(FILTERED_LINES);
}

/* Its end cannot be waited for; LeakSanitizer waits for a child itself. */
#if !SANITIZED
TEST(filtered__no_waiting)
{
	answer(SYS_wait4, SECCOMP_RET_KILL_PROCESS);
	check(FILTERED_SOME);
}
#endif
