/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: takes all rights from a page of its initialised data now and then, and counts who faults there; calls functions through pointers. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
#include "guest.h"

enum { PAGE = 4096 };

static char data[3 * PAGE] __attribute__((aligned(PAGE))) = { 1 };
static volatile sig_atomic_t faults;

static double half(double x) { return x * 0.5; }
static double third(double x) { return x / 3; }
static double (*const functions[])(double) = { half, third };

static void on_fault(int signal)
{
	(void)signal;
	faults++;
	if (mprotect(data + PAGE, PAGE, PROT_READ | PROT_WRITE))
		_exit(3);
}

int main(void)
{
	double sum = 0;

	signal(SIGSEGV, on_fault);
	data[PAGE + 5] = 1;
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < GUEST_ELEMENTS; i += 50)
			sum += functions[i / 50 & 1](guest_from[i]);
		if (step % 10 == 0 && mprotect(data + PAGE, PAGE, PROT_NONE))
			return 77;
		if (step % 10 == 9)
			sum += *(volatile char *)&data[PAGE + 5];
	}
	return guest_end(faults);
}
