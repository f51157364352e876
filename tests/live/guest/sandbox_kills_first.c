/* SPDX-License-Identifier: Apache-2.0 */
/* Does: went away */
/* Guest: forbids itself, before its first region, on one thread, what measures, debugs and masks signals (seccomp, each brings SIGSYS), twice. */
/* Threads: 1 */
/* Says: seccomp */
/* Not: bare_record           without rt_sigprocmask no line can be printed */
#include "filter.h"
#include "guest.h"

static const int forbidden[] = {
	SYS_rt_sigprocmask, SYS_munlock, SYS_perf_event_open, SYS_ptrace, SYS_process_vm_readv,
	SYS_process_vm_writev, SYS_memfd_create, SYS_rename, SYS_fsync,
	SYS_timer_create, SYS_setitimer, SYS_userfaultfd, SYS_kcmp, SYS_execve, SYS_getdents64, SYS_socket,
};

static int confine(void)
{
	return GUEST_FILTER(prctl, forbidden, SECCOMP_RET_TRAP, SECCOMP_RET_ALLOW);
}

int main(void)
{
	void *block;

	if (confine())
		return 77;
	block = malloc(1 << 20);
	if (confine())           /* again: what reads the filter is forbidden now */
		return 77;
	free(block);
	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	return guest_end(0);
}
