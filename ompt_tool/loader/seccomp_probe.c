/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child issues the system calls one by one and counts them in shared memory; a filter kills it at
 * the first forbidden one.
 */
#define _GNU_SOURCE
#include "ompt_tool/loader/seccomp_probe.h"

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
 * With every argument -1 these calls fail, or affect only the child. Calls that every threaded
 * program makes are not listed.
 */
static const int for_output[] = { SYS_rt_sigprocmask, SYS_openat, SYS_fcntl,
				  SYS_write,          SYS_close,  SYS_newfstatat };
static const int others[] = {
	SYS_wait4,
	SYS_lseek,
	SYS_pread64,
	SYS_pwrite64,
	SYS_ftruncate,
	SYS_fchmod,
	SYS_flock,
	SYS_ioctl,
	SYS_sendfile,
	SYS_getdents64,
	SYS_faccessat,
	SYS_faccessat2,
	SYS_readlinkat,
	SYS_unlinkat,
	SYS_renameat2,
	SYS_mkdirat,
	SYS_memfd_create,
	SYS_socket,
	SYS_bind,
	SYS_mremap,
	SYS_mincore,
	SYS_mlock2,
	SYS_munlock,
	SYS_mlockall,
	SYS_madvise,
	SYS_mprotect,
	SYS_process_vm_readv,
	SYS_move_pages,
	SYS_get_mempolicy, /* libnuma's constructor */
	SYS_perf_event_open,
	SYS_clock_gettime,
	SYS_clock_nanosleep,
	SYS_getrusage,
	SYS_getcpu,
	SYS_getpid,
	SYS_gettid,
	SYS_geteuid,
	SYS_uname,
	SYS_capget,
	SYS_prlimit64,
	SYS_sched_getaffinity,
	SYS_sched_setaffinity,
	SYS_rt_sigaction,
	SYS_rt_sigpending,
	SYS_rt_sigtimedwait,
	SYS_getrandom,
#ifdef SYS_open /* libc prefers these on architectures that have them */
	SYS_access,
	SYS_readlink,
	SYS_unlink,
	SYS_rename,
	SYS_mkdir,
#endif
#ifdef SYS_arch_prctl
	SYS_arch_prctl,
#endif
};
enum {
	OUTPUT = sizeof(for_output) / sizeof(for_output[0]),
	OTHERS = sizeof(others) / sizeof(others[0]),
	ALL = OUTPUT + 1 + OTHERS
};

/* proc(5): "Seccomp:", a tab, and 0 without a filter. True if the line is missing. */
static bool may_have_filter(void)
{
	static const char label[] = "\nSeccomp:\t";
	char text[2048]; /* the file has 1300 bytes plus 5 to 11 per supplementary group */
	const char *row;

	system_text_read("/proc/self/status", text, sizeof(text));
	row = strstr(text, label);
	return !row || row[sizeof(label) - 1] != '0';
}

/*
 * Uses the system call that pthread_create uses, as a filter may allow only one of the two.
 * CLONE_VFORK suspends the parent until the child exits; exit signal 0 sends no SIGCHLD. The child
 * must not run the program's SIGSYS handler.
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

/* Runs in the child. */
static void try_each(const int *calls, size_t nr, volatile uint32_t *survived)
{
	for (size_t i = 0; i < nr; i++, ++*survived)
		syscall(calls[i], -1L, -1L, -1L, -1L, -1L, -1L);
}

__attribute__((noreturn)) static void try_all(volatile uint32_t *survived)
{
	try_each(for_output, OUTPUT, survived);
	prctl(PR_SET_DUMPABLE, 0); /* no core file when the filter kills the child */
	++*survived;
	try_each(others, OTHERS, survived);
	syscall(SYS_exit_group, 0);
	__builtin_unreachable();
}

/*
 * Number of calls the child survived; OUTPUT if it cannot be forked. Reaps the child only if wait4
 * was survived.
 */
static uint32_t count_survived(void)
{
	volatile uint32_t *survived = mmap(NULL, sizeof(*survived), PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint32_t nr = OUTPUT;
	long child;

	if (survived == MAP_FAILED)
		return nr;
	child = fork_and_wait();
	if (!child)
		try_all(survived);
	if (child > 0)
		nr = *survived;
	if (child > 0 && nr > OUTPUT + 1)
		waitpid((pid_t)child, NULL, __WALL);
	munmap((void *)survived, sizeof(*survived));
	return nr;
}

enum seccomp_probe seccomp_probe(void)
{
	int error = errno;
	uint32_t nr = may_have_filter() ? count_survived() : ALL;

	errno = error;
	return nr == ALL      ? SECCOMP_ALLOWS_ALL
	       : nr >= OUTPUT ? SECCOMP_KILLS_SOME
			      : SECCOMP_KILLS_OUTPUT;
}
