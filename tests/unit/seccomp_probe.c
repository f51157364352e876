/* SPDX-License-Identifier: Apache-2.0 */
/* Results of the probe under filters that are already installed. */
#include "ompt_tool/loader/seccomp_probe.h"

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

/* Stays installed until the test's process exits. */
static void answer(unsigned int call, unsigned int action)
{
	struct sock_filter rows[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(rows) / sizeof(rows[0]), rows };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		test_skip("no seccomp filters: %s", strerror(errno));
}

static void hear(int number)
{
	(void)number;
}

static void check(enum seccomp_probe want)
{
	errno = 7;
	CHECK_INT(seccomp_probe(), want);
	CHECK_INT(errno, 7);
}

static void no_child_is_left(void)
{
	CHECK(waitpid(-1, NULL, __WALL | WNOHANG) < 0 && errno == ECHILD);
}

TEST(seccomp_probe__without_filter)
{
	check(SECCOMP_ALLOWS_ALL);
	no_child_is_left();
}

TEST(seccomp_probe__errors_are_allowed)
{
	answer(SYS_perf_event_open, SECCOMP_RET_ERRNO | EPERM);
	check(SECCOMP_ALLOWS_ALL);
	no_child_is_left();
}

TEST(seccomp_probe__kill_process)
{
	answer(SYS_perf_event_open, SECCOMP_RET_KILL_PROCESS);
	check(SECCOMP_KILLS_SOME);
	no_child_is_left();
}

TEST(seccomp_probe__kill_thread)
{
	answer(SYS_getrusage, SECCOMP_RET_KILL_THREAD);
	check(SECCOMP_KILLS_SOME);
	no_child_is_left();
}

TEST(seccomp_probe__trap_with_a_handler)
{
	signal(SIGSYS, hear);
	answer(SYS_mincore, SECCOMP_RET_TRAP);
	check(SECCOMP_KILLS_SOME);
	no_child_is_left();
}

TEST(seccomp_probe__output_is_killed)
{
	answer(SYS_fcntl, SECCOMP_RET_KILL_PROCESS);
	check(SECCOMP_KILLS_OUTPUT);
}

/* LeakSanitizer calls wait4 itself. */
#if !SANITIZED
TEST(seccomp_probe__wait_is_killed)
{
	answer(SYS_wait4, SECCOMP_RET_KILL_PROCESS);
	check(SECCOMP_KILLS_SOME);
}
#endif
