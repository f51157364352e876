/* SPDX-License-Identifier: Apache-2.0 */
/* Does: went away */
/* Guest: after its first steps all its threads may only compute, write and end (seccomp, all else kills). */
/* Says: confines itself */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "guest.h"

#ifndef LATE
#define LATE 0
#endif

static const int allowed[] = {
	SYS_read, SYS_write, SYS_futex, SYS_sched_yield, SYS_exit, SYS_exit_group, SYS_brk, SYS_mmap, SYS_munmap, SYS_madvise, SYS_clock_gettime,
	SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_restart_syscall, SYS_sched_getaffinity, SYS_mprotect, SYS_newfstatat, SYS_getpid,
};
enum { ALLOWED = sizeof(allowed) / sizeof(allowed[0]) };

static int confine(void)
{
	struct sock_filter rows[2 * ALLOWED + 2] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)) };
	struct sock_fprog filter = { 2 * ALLOWED + 2, rows };

	for (int i = 0; i < ALLOWED; i++) {
		rows[1 + 2 * i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], 0, 1);
		rows[2 + 2 * i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	rows[2 * ALLOWED + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
}

int main(void)
{
	int failed = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step != (LATE ? GUEST_STEPS * 2 / 3 : 10))
			continue;
#pragma omp parallel if (LATE)
#pragma omp single
		failed = confine();
		if (failed)
			return 77;
	}
	guest_end(0);
	fflush(stdout);
	_exit(0);                /* LLVM's runtime opens and removes a file at its end */
}
