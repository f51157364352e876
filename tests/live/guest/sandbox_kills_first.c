/* SPDX-License-Identifier: Apache-2.0 */
/* Does: went away */
/* Guest: forbids itself, before its first region, on one thread, what measures, debugs and masks signals (seccomp, each brings SIGSYS), twice. */
/* Threads: 1 */
/* Says: seccomp */
/* Not: bare_record           without rt_sigprocmask no line can be printed */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include "guest.h"

static const int forbidden[] = {
	SYS_rt_sigprocmask, SYS_munlock, SYS_perf_event_open, SYS_ptrace, SYS_process_vm_readv,
	SYS_process_vm_writev, SYS_memfd_create, SYS_rename, SYS_fsync,
	SYS_timer_create, SYS_setitimer, SYS_userfaultfd, SYS_kcmp, SYS_execve, SYS_getdents64, SYS_socket,
};
enum { FORBIDDEN = sizeof(forbidden) / sizeof(forbidden[0]) };

static int confine(void)
{
	struct sock_filter rows[2 * FORBIDDEN + 2] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)) };
	struct sock_fprog filter = { 2 * FORBIDDEN + 2, rows };

	for (int i = 0; i < FORBIDDEN; i++) {
		rows[1 + 2 * i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, forbidden[i], 0, 1);
		rows[2 + 2 * i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
	}
	rows[2 * FORBIDDEN + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
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
