/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recursion that makes a task of every call, once in the program: what the tasks are too small for is neither
 * their waits nor their distribution.
 *
 * EXPECT SmallTasks at left,right severity 0.05..1
 * ALLOW TasksTooSmall|SmallTasks|ToolOverhead.*|SystemTime.*
 * PHASE whole_program
 * PRINTS checksum 514229
 */
#include "workload.h"

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
	int n = workload_steps(argc, argv, 29);
	uint64_t sum = 0;

#pragma omp parallel
#pragma omp single
	sum = fib(n);                                /* 1664 thousand tasks */
	workload_checksum(sum);
	return 0;
}
