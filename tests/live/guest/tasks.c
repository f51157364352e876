/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: tasks, with dependences, groups, loops, priorities, untied and detached, and reductions in them. */
/* Threads: 2 */
/* More threads than CPUs wait for each other's task queues in libomp for minutes, alone as well (OMP_WAIT_POLICY=passive, sched_yield). */
#include <omp.h>
#include "guest.h"

static long fibonacci(int n)
{
	long a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a) firstprivate(n) untied
	a = fibonacci(n - 1);
#pragma omp task shared(b) firstprivate(n) final(n < 5)
	b = fibonacci(n - 2);
#pragma omp taskwait
	return a + b;
}
static long chain(void)
{
	long value[4] = { 1, 2, 3, 4 };

#pragma omp taskgroup
	for (int i = 0; i < 40; i++) {
#pragma omp task depend(inout : value[i % 4]) depend(in : value[(i + 1) % 4]) priority(i % 3) shared(value) firstprivate(i)
		value[i % 4] = (value[i % 4] * 3 + value[(i + 1) % 4]) % 10007;
	}
	return value[0] + value[1] + value[2] + value[3];
}
static long loops(void)
{
	long sum = 0;

#pragma omp taskloop grainsize(7) reduction(+ : sum)
	for (int i = 0; i < 200; i++)
		sum += i * i % 31;
	return sum;
}

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel
#pragma omp single
		sum += fibonacci(9) + chain() + loops();
	}
	return guest_end(sum);
}
