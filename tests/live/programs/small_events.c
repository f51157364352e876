/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parallel region of constructs below a microsecond, tasks or loops, for SECONDS, with nested regions
 * among them; then steps of a fraction of a millisecond for half as long. What is printed does not depend on
 * how many there are: it includes how often tasks, which compute integers, raised floating-point
 * exceptions.
 *     small_events tasks|loops
 */
#include <fenv.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#define SECONDS 3 /* callbacks must take a quarter of a second, beside other programs, too */
#define SECONDS_OF_STEPS 1.5
#define CELLS 200000
#define STEPS 100 /* after these no cell changes */

static double cells[CELLS], begin;
static long counts[64];
static int raised;

static int is_over(double seconds)
{
	return omp_get_wtime() - begin > seconds;
}

static long fibonacci(int n)
{
	long a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fibonacci(n - 1);
#pragma omp task shared(b)
	b = fibonacci(n - 2);
#pragma omp taskwait
	return a + b;
}

static long nested(void)
{
	long sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
	sum++;
	return sum;
}

static long tasks(void)
{
	long sum = 0, rounds = 0;

#pragma omp parallel
#pragma omp master
	for (; !is_over(SECONDS); rounds++) {
		feclearexcept(FE_ALL_EXCEPT);
		sum += rounds % 1000 ? fibonacci(18) : fibonacci(18) * nested() / 2;
		raised += fetestexcept(FE_ALL_EXCEPT) != 0;
	}
	return sum / rounds;
}

static long loops(void)
{
	long rounds = 0;
	int over = 0;

#pragma omp parallel
	while (!over) {
		for (int k = 0; k < 1000; k++) {
#pragma omp for schedule(static) nowait
			for (int i = 0; i < 64; i++)
				counts[i] += i;
		}
#pragma omp barrier
#pragma omp single
		{
			over = is_over(SECONDS);
			rounds++;
		}
	}
	for (int i = 0; i < 64; i++)
		rounds -= counts[i] == i * 1000 * rounds ? 0 : 1000000;
	return rounds > 0;
}

int main(int argc, char **argv)
{
	double all = 0;
	long sum;

	omp_set_max_active_levels(2);
	begin = omp_get_wtime();
	sum = argc > 1 && !strcmp(argv[1], "loops") ? loops() : tasks();
	begin = omp_get_wtime();
	for (int step = 0; step < STEPS || !is_over(SECONDS_OF_STEPS); step++) {
#pragma omp parallel for
		for (int i = 0; i < CELLS; i++)
			cells[i] = cells[i] * 0.5 + i % 7;
	}
	for (int i = 0; i < CELLS; i++)
		all += cells[i];
	printf("%ld %.6f %d\n", sum, all, raised);
	return 0;
}
