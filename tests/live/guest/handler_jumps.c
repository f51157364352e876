/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: a handler of SIGSEGV jumps out of a parallel loop's body, at accesses to a page that is not there. */
#define _GNU_SOURCE
#include "guest.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

static _Thread_local sigjmp_buf back;

static void jump(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info, (void)context;
	siglongjmp(back, 1);
}

__attribute__((noinline)) static long try_to_read(volatile const long *from)
{
	if (sigsetjmp(back, 1))
		return -1;
	return *from & 15;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = jump, .sa_flags = SA_SIGINFO };
	const long *nothing = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long sum = 0;

	sigaction(SIGSEGV, &action, NULL);
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < GUEST_ELEMENTS; i += 10)
			sum += try_to_read(i % 2000 == 0 ? nothing : (const long *)&guest_to[i]);
	}
	return guest_end(sum);
}
