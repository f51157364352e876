/* SPDX-License-Identifier: Apache-2.0 */
/* Tries system calls in a child, which a filter ends at the first that it ends processes for. */
#define _GNU_SOURCE
#include "ompt_tool/filtered.h"

#include <errno.h>
#include <gnu/libc-version.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/base/system_text.h"

/*
 * With -1 for each argument all of them fail, or do nothing outside of the child. What every program with threads calls is left out: without
 * it, it would not come here.
 */
static const int for_lines[] = { SYS_rt_sigprocmask, SYS_openat, SYS_fcntl, SYS_write, SYS_close, SYS_newfstatat };
static const int others[] = {
	SYS_wait4, SYS_lseek, SYS_pread64, SYS_pwrite64, SYS_ftruncate, SYS_fchmod, SYS_ioctl, SYS_sendfile, SYS_getdents64, SYS_faccessat, SYS_faccessat2,
	SYS_readlinkat, SYS_unlinkat, SYS_renameat2, SYS_mkdirat, SYS_memfd_create, SYS_socket, SYS_bind, SYS_mremap, SYS_mincore, SYS_mlock2, SYS_munlock,
	SYS_mlockall, SYS_madvise, SYS_mprotect, SYS_process_vm_readv, SYS_perf_event_open, SYS_clock_gettime, SYS_clock_nanosleep, SYS_getrusage, SYS_getcpu,
	SYS_getpid, SYS_gettid, SYS_geteuid, SYS_uname, SYS_capget, SYS_prlimit64, SYS_sched_getaffinity, SYS_sched_setaffinity, SYS_rt_sigaction,
	SYS_rt_sigpending, SYS_rt_sigtimedwait, SYS_getrandom,
#ifdef SYS_open             /* libc makes these where there are such */
	SYS_access, SYS_readlink, SYS_unlink, SYS_rename, SYS_mkdir, SYS_arch_prctl,
#endif
};
enum { LINES = sizeof(for_lines) / sizeof(for_lines[0]), OTHERS = sizeof(others) / sizeof(others[0]), ALL = LINES + 1 + OTHERS };

/* proc(5): "Seccomp:" and a tab, 0 where there is no filter. Where it does not tell, there may be one. */
static bool may_be_filtered(void)
{
	static const char label[] = "\nSeccomp:\t";
	char text[2048];         /* it is some 1300 bytes; groups may make it longer */
	const char *row;

	system_text_read("/proc/self/status", text, sizeof(text));
	row = strstr(text, label);
	return !row || row[sizeof(label) - 1] != '0';
}

/*
 * As pthread_create does, since a filter that allows one way of it may not allow the other. The parent waits until the child has ended, whose end no
 * signal tells. The child has no handlers of the program; where the kernel cannot see to that, it sees itself to the one that would come.
 */
static long fork_and_wait(void)
{
	struct clone_args how = { .flags = CLONE_VFORK | CLONE_CLEAR_SIGHAND };
	long child = -1;

	if (atof(gnu_get_libc_version()) >= 2.34)
		child = syscall(SYS_clone3, &how, sizeof(how));
	if (child >= 0)
		return child;
	child = syscall(SYS_clone, CLONE_VFORK, NULL, NULL, NULL, NULL);
	if (!child)
		signal(SIGSYS, SIG_DFL);
	return child;
}

/* Of a child: how many calls it has survived. */
static void try(const int *calls, size_t nr, volatile uint32_t *survived)
{
	for (size_t i = 0; i < nr; i++, ++*survived)
		syscall(calls[i], -1L, -1L, -1L, -1L, -1L, -1L);
}

/* That it has no core file is a call like the others. */
__attribute__((noreturn)) static void try_all(volatile uint32_t *survived)
{
	try(for_lines, LINES, survived);
	prctl(PR_SET_DUMPABLE, 0);
	++*survived;
	try(others, OTHERS, survived);
	syscall(SYS_exit_group, 0);
	__builtin_unreachable();
}

/* How many a child survived; where there is none, a line is all that is dared. Its end is waited for if that may be. */
static uint32_t try_in_child(void)
{
	volatile uint32_t *survived = mmap(NULL, sizeof(*survived), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint32_t nr = LINES;
	long child;

	if (survived == MAP_FAILED)
		return nr;
	child = fork_and_wait();
	if (!child)
		try_all(survived);
	if (child > 0)
		nr = *survived;
	if (child > 0 && nr > LINES + 1)
		waitpid((pid_t)child, NULL, __WALL);
	munmap((void *)survived, sizeof(*survived));
	return nr;
}

enum filtered filtered_calls(void)
{
	int error = errno;
	uint32_t nr = may_be_filtered() ? try_in_child() : ALL;

	errno = error;
	return nr == ALL ? FILTERED_NOTHING : nr >= LINES ? FILTERED_SOME : FILTERED_LINES;
}
