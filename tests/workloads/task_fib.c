/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recursion that makes a task of every call: some 10 ns of work each, and waits at every level. Half of
 * its CPU time is the kernel's, because threads without a task yield.
 *
 * EXPECT SmallTasks at left,right severity 0.05..1
 * ALLOW TasksTooSmall|SmallTasks|TaskwaitHere|TaskImbalance|ToolOverhead.*|SystemTime.*
 * PRINTS checksum 1480500
 */
#include "workload.h"

#define N 16                     /* 3192 tasks a step */

static uint64_t fib(int n)
{
	uint64_t a, b;

	if (n < 2)
		return (uint64_t)n;
#pragma omp task shared(a)                       /* HERE: left */
	a = fib(n - 1);
#pragma omp task shared(b)                       /* HERE: right */
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 1500);
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++) {
#pragma omp parallel
#pragma omp single
		sum += fib(N);
	}
	workload_checksum(sum);
	return 0;
}
