/* SPDX-License-Identifier: Apache-2.0 */
/* Does: went away */
/* Guest: after its first steps all its threads may only compute, write and end (seccomp, all else kills). */
/* Says: confines itself */
#include "filter.h"
#include "guest.h"

#ifndef LATE
#define LATE 0
#endif

static const int allowed[] = {
	SYS_read, SYS_write, SYS_futex, SYS_sched_yield, SYS_exit, SYS_exit_group, SYS_brk, SYS_mmap, SYS_munmap, SYS_madvise, SYS_clock_gettime,
	SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_restart_syscall, SYS_sched_getaffinity, SYS_mprotect, SYS_newfstatat, SYS_getpid,
};

int main(void)
{
	int failed = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step != (LATE ? GUEST_STEPS * 2 / 3 : 10))
			continue;
#pragma omp parallel if (LATE)
#pragma omp single
		failed = GUEST_FILTER(seccomp, allowed, SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS);
		if (failed)
			return 77;
	}
	guest_end(0);
	fflush(stdout);
	_exit(0);                /* LLVM's runtime opens and removes a file at its end */
}
