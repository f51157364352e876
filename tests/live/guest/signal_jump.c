/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: leaves SIGSEGV and SIGFPE by siglongjmp, in regions, on every thread. */
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>
#include "guest.h"

static _Thread_local sigjmp_buf back;
static _Thread_local volatile int armed;

static void caught(int number)
{
	if (!armed)
		_exit(3);
	siglongjmp(back, number);
}

__attribute__((noinline)) static long probe(volatile long *address, volatile long divisor)
{
	volatile long result;
	int number = sigsetjmp(back, 1);

	if (number)
		return armed = 0, number;
	armed = 1;
	result = address ? 7 / divisor : *address;
	armed = 0;
	return result;
}

int main(void)
{
	long sum = 0, good = 5;

	signal(SIGSEGV, caught);
	signal(SIGFPE, caught);
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 600; i++)
			sum += probe(i % 97 == 0 ? NULL : &good, i % 89 == 1 ? 0 : i);
	}
	return guest_end(sum);
}
