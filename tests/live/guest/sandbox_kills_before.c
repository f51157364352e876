/* SPDX-License-Identifier: Apache-2.0 */
/* Does: went away */
/* Guest: begins under a filter that its launcher, which then became it, has set (seccomp): what measures ends it, and SIGSYS has a handler. */
/* Says: a seccomp filter */
#include <signal.h>
#include "filter.h"
#include "guest.h"

/* The first by its signal, for which the program has a handler, the others at once. */
static const int trapped[] = { SYS_memfd_create };
static const int killing[] = { SYS_perf_event_open, SYS_process_vm_readv, SYS_mincore, SYS_capget, SYS_mremap, SYS_getrusage };

static int confine(void)
{
	return GUEST_FILTER(prctl, trapped, SECCOMP_RET_TRAP, SECCOMP_RET_ALLOW) ||
	       GUEST_FILTER(prctl, killing, SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW);
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
