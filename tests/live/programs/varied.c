/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of two parallel loops that sleep: 12 units of 0.5 ms each, which need no CPU. Arguments:
 * number of steps, and what the program does beside that:
 *
 *   plain     prints a checksum that is the same with any number of threads
 *   clock     prints, besides, the time, which differs from run to run
 *   rounding  prints a sum that is added up in another order with each number of threads
 *   teams     prints the threads of all regions, added up
 *   fails     ends with status 1 if a region had fewer threads than the first one
 *   clause    requests the first number of threads in each region
 *   sets      calls omp_set_num_threads in each step
 *   region    repeats its steps inside one parallel region
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define UNITS 12

static int results[2 * UNITS];
static int teams, fewest;

static void unit(int *result)
{
	nanosleep(&(struct timespec){ 0, 500000 }, NULL);
	++*result;
}

static void loop(int *to)
{
#pragma omp for schedule(static)
	for (int i = 0; i < UNITS; i++)
		unit(&to[i]);
#pragma omp master
	{
		teams += omp_get_num_threads();
		fewest = omp_get_num_threads() < fewest ? omp_get_num_threads() : fewest;
	}
}

static void step(int threads)
{
#pragma omp parallel num_threads(threads)
	loop(results);
#pragma omp parallel num_threads(threads)
	loop(results + UNITS);
}

static void step_by_setting(void)
{
#pragma omp parallel
	loop(results);
#pragma omp parallel
	loop(results + UNITS);
}

static void steps_in_region(int nr)
{
#pragma omp parallel
	for (int i = 0; i < nr; i++) {
		loop(results);
		loop(results + UNITS);
	}
}

static double sum(void)
{
	double total = 0;

#pragma omp parallel for schedule(static) reduction(+ : total)
	for (int i = 1; i < 100000; i++)
		total += 1.0 / i / i;
	return total;
}

int main(int nr, char **words)
{
	int steps = nr > 1 ? atoi(words[1]) : 1, first = omp_get_max_threads(), checksum = 0;
	const char *what = nr > 2 ? words[2] : "plain";
	double total = 0;

	fewest = first;
	if (!strcmp(what, "region"))
		steps_in_region(steps);
	for (int i = 0; i < steps && strcmp(what, "region"); i++) {
		if (!strcmp(what, "sets"))
			omp_set_num_threads(first);
		if (!strcmp(what, "rounding"))
			total += sum();
		if (!strcmp(what, "clause"))
			step(first);
		else
			step_by_setting();
	}
	for (int i = 0; i < 2 * UNITS; i++)
		checksum += (i + 1) * results[i];
	printf("checksum %d\n", checksum);
	if (!strcmp(what, "clock"))
		printf("at %.9f\n", omp_get_wtime());
	if (!strcmp(what, "rounding"))
		printf("sum %.17g\n", total);
	if (!strcmp(what, "teams"))
		printf("threads %d\n", teams);
	return !strcmp(what, "fails") && fewest < first;
}
