/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: has a GS base of its own in every thread and reads through it in regions. */
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "guest.h"

static _Thread_local long mine[4] = { 3, 5, 7, 11 };

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel reduction(+ : sum)
		{
			if (step == 0)
				syscall(SYS_arch_prctl, ARCH_SET_GS, mine);
#pragma omp for schedule(static)
			for (long i = 0; i < 300; i++) {
				long value;

				__asm__ volatile("mov %%gs:(,%1,8), %0" : "=r"(value) : "r"(i % 4));
				sum += value;
				__asm__ volatile("addq $0, %%gs:16" : : : "memory", "cc");
			}
		}
	}
	return guest_end(sum);
}
