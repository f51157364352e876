/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: every thread has an alternate stack of the least size, and gets signals on it in regions. */
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "guest.h"

static _Thread_local char *stack;
static _Thread_local long on_it;
static long size;

static void caught(int number)
{
	char here;

	(void)number;
	on_it += &here >= stack && &here < stack + size;
}

int main(void)
{
	struct sigaction action = { .sa_handler = caught, .sa_flags = SA_ONSTACK };
	long sum = 0;

	size = getauxval(51) + 2048;     /* AT_MINSIGSTKSZ */
	size = size < 4096 ? 4096 : size;
	sigaction(SIGUSR1, &action, NULL);
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel reduction(+ : sum)
		{
			if (!stack) {
				stack_t mine = { .ss_size = size };

				mine.ss_sp = stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
				sum += 1000 * sigaltstack(&mine, NULL);
			}
			on_it = 0;
			syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1);
			sum += on_it;
		}
	}
	return guest_end(sum);
}
