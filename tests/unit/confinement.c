/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls confine a program so that it may be ended for what memsearch calls. */
#include "ompt_tool/loader/confinement.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/test.h"

enum { LONG = 200 };

/* A filter of `nr` instructions that allow, but for one: by all three ways in. */
static bool asked(size_t nr, size_t at, struct sock_filter odd)
{
	struct sock_filter rows[LONG];
	struct sock_fprog program = { (unsigned short)nr, rows };
	unsigned long address = (unsigned long)&program;
	bool deadly;

	for (size_t i = 0; i < nr; i++)
		rows[i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	rows[at] = odd;
	deadly = confinement_by_prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, address);
	CHECK_THAT(deadly, ==,
		   confinement_by_syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, address));
	CHECK_THAT(deadly, ==,
		   confinement_by_syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
					  SECCOMP_FILTER_FLAG_TSYNC, address));
	return deadly;
}

static bool answers(unsigned int action)
{
	struct sock_filter row = BPF_STMT(BPF_RET | BPF_K, action);

	return asked(3, 1, row);
}

TEST(confinement__by_what_a_filter_may_answer)
{
	struct sock_filter computed = BPF_STMT(BPF_RET | BPF_A, 0),
			   load = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, SECCOMP_RET_KILL_PROCESS);

	CHECK(!answers(SECCOMP_RET_ALLOW));
	CHECK(!answers(SECCOMP_RET_ERRNO | EPERM));
	CHECK(!answers(SECCOMP_RET_LOG));
	CHECK(answers(SECCOMP_RET_KILL_PROCESS));
	CHECK(answers(SECCOMP_RET_KILL_THREAD));
	CHECK(answers(SECCOMP_RET_TRAP | 7));
	CHECK(answers(SECCOMP_RET_TRACE));
	CHECK(answers(SECCOMP_RET_USER_NOTIF));
	CHECK(asked(3, 1, computed));
	CHECK(!asked(3, 1, load)); /* no answer, whatever its number */
}

TEST(confinement__all_of_a_long_filter_is_read)
{
	struct sock_filter kill = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD);

	CHECK(asked(LONG, LONG - 1, kill));
	CHECK(asked(LONG, 64, kill));
	CHECK(asked(1, 0, kill));
}

TEST(confinement__strict_mode)
{
	CHECK(confinement_by_prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0));
	CHECK(confinement_by_syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, 0));
}

/* A call that the kernel refuses installs no filter; errno stays unchanged. */
TEST(confinement__other_calls_and_bad_addresses)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0);
	struct sock_fprog program = { 100, NULL };
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);

	CHECK(pages != MAP_FAILED);
	CHECK(!munmap(pages + page, page));
	errno = 77;
	CHECK(!confinement_by_prctl(PR_SET_NAME, SECCOMP_MODE_FILTER, 0));
	CHECK(!confinement_by_syscall(SYS_getpid, SECCOMP_SET_MODE_FILTER, 0, 0));
	CHECK(!confinement_by_syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, 0));
	CHECK(!confinement_by_prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 8));
	CHECK(!confinement_by_prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (unsigned long)&program));
	/* its end is not there */
	program.filter = (struct sock_filter *)(void *)(pages + page) - 10;
	for (int i = 0; i < 10; i++)
		program.filter[i] = allow;
	CHECK(!confinement_by_prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (unsigned long)&program));
	CHECK_INT(errno, 77);
}
