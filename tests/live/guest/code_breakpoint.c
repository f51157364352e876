/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: counts the initial thread's executions of one of its functions by a hardware breakpoint (perf_event_open). */
/* Does: refused */
/* Says: breakpoints are set */
#define _GNU_SOURCE
#include "guest.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) long counted(long x)
{
	__asm__ volatile("");
	return x * 3;
}

/* The kernel sends a SIGTRAP as well in 1 to 3 % of the runs, also alone (Linux 6.18, virtual machine); the count is exact all the same. */
static void trapped(int number) { (void)number; }

int main(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT, .size = sizeof attr, .bp_type = HW_BREAKPOINT_X, .bp_addr = (uintptr_t)counted, .bp_len = sizeof(long),
		.exclude_kernel = 1, .exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	long sum = 0;
	uint64_t calls = 0;

	if (fd < 0 || signal(SIGTRAP, trapped) == SIG_ERR)
		return 77;
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		sum += counted(step);
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < 64; i++)
			sum += counted(i);
	}
	if (read(fd, &calls, sizeof calls) != sizeof calls)
		return 77;
	return guest_end(sum + (long)calls);
}
