/* SPDX-License-Identifier: Apache-2.0 */
/* Work of a known number of instructions: thread t runs t + 1 times ROUNDS of a loop of two, a step. */
#include <omp.h>

#include "workload.h"

#define ROUNDS 8000000ul

static void work(unsigned long rounds)
{
#if defined(__x86_64__)
	__asm__ volatile("1: sub $1, %0\n\tjne 1b" : "+r"(rounds) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(rounds) : : "cc");
#elif defined(__powerpc64__)
	__asm__ volatile("1: addic. %0, %0, -1\n\tbne 1b" : "+b"(rounds) : : "cr0", "xer");
#endif
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 20);

	for (int step = 0; step < steps; step++) {
#pragma omp parallel                     /* HERE: region */
		work(ROUNDS * ((unsigned long)omp_get_thread_num() + 1));
	}
	workload_checksum(2 * ROUNDS);
	return 0;
}
