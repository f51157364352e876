/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: has a thread pointer of its own while it computes, set by a system call without the C library, as emulators do. */
/* Flags: -fno-stack-protector */
/* Does: refused */
#include <asm/prctl.h>
#include <sys/syscall.h>
#include "guest.h"

static double values[500], out[800];
static long elsewhere[64];

static inline void thread_pointer(long code, long argument)
{
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "a"(SYS_arch_prctl), "D"(code), "S"(argument) : "rcx", "r11", "memory");
}

__attribute__((noinline)) static double product(const double *p, int nr)
{
	double sum = 0;

	for (int i = 0; i < nr; i++)
		sum += p[i] * p[i * 7 % nr];
	return sum;
}

__attribute__((noinline)) static double with_another(int k)
{
	unsigned long before;
	double sum = 0;

	thread_pointer(ARCH_GET_FS, (long)&before);
	thread_pointer(ARCH_SET_FS, (long)elsewhere);
	for (int i = 0; i < 5; i++)
		sum += product(values, 200 + k % 100 + i);
	thread_pointer(ARCH_SET_FS, (long)before);
	return sum;
}

int main(void)
{
	double total = 0;
	long written = 0;

	for (int i = 0; i < 500; i++)
		values[i] = i * 0.01;
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for schedule(static)
		for (int k = 0; k < 800; k++)
			out[k] = with_another(k);
		for (int k = 0; k < 800; k++)
			total += out[k];
	}
	for (int i = 0; i < 64; i++)
		written += elsewhere[i] != 0;
	printf("%.6f\n", total);
	return guest_end(written);
}
