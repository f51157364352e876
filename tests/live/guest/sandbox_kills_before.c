/* SPDX-License-Identifier: Apache-2.0 */
/* Does: went away */
/* Guest: begins under a filter that its launcher, which then became it, has set (seccomp): what measures ends it, and SIGSYS has a handler. */
/* Says: a seccomp filter */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "guest.h"

/* The first one by its signal, for which the program has a handler, the others at once. */
static const int forbidden[] = { SYS_memfd_create, SYS_perf_event_open, SYS_process_vm_readv, SYS_mincore, SYS_capget, SYS_mremap, SYS_getrusage };
enum { FORBIDDEN = sizeof(forbidden) / sizeof(forbidden[0]) };

static int confine(void)
{
	struct sock_filter rows[2 * FORBIDDEN + 2] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)) };
	struct sock_fprog filter = { 2 * FORBIDDEN + 2, rows };

	for (int i = 0; i < FORBIDDEN; i++) {
		rows[1 + 2 * i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, forbidden[i], 0, 1);
		rows[2 + 2 * i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, i ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_TRAP);
	}
	rows[2 * FORBIDDEN + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
}

static void told(int signal)
{
	(void)signal;
	write(STDOUT_FILENO, "told\n", 5);
}

int main(int argc, char **argv)
{
	if (argc == 1) {
		if (confine())
			return 77;
		execl("/proc/self/exe", argv[0], "confined", NULL);
		return 77;
	}
	signal(SIGSYS, told);
	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	return guest_end(0);
}
