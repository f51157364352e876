/* SPDX-License-Identifier: Apache-2.0 */
/* What programs do with libgomp that few do: ./odd pause|fork|many|cancel, each with a result of its own. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NR = 4000, STEPS = 60 };
static double values[NR];

static double step(int threads)
{
	double sum = 0;

#pragma omp parallel for num_threads(threads) schedule(dynamic, 50) reduction(+ : sum)
	for (int i = 0; i < NR; i++) {
		values[i] = values[i] * 0.5 + i;
		sum += values[i];
	}
	return sum;
}

/* All threads of libgomp end, and new ones begin. */
static double pausing(int number)
{
	double sum = step(2);

	return number % 10 == 5 && omp_pause_resource_all(omp_pause_hard) ? -1 : sum;
}

/* A child of a thread in a region, that leaves the region. */
static double forking(int number)
{
	double sum = step(2);
	int failed = 0;

	if (number % 20)
		return sum;
#pragma omp parallel num_threads(2) reduction(+ : failed)
	{
		int status;
		pid_t child = fork();

		if (!child)
			_exit(7);
		failed += child < 0 || waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7;
	}
	return failed ? -1 : sum;
}

static double many(int number)
{
	return number % 20 ? step(2) : step(1000);
}

static double cancelling(int number)
{
	int found = 0;

#pragma omp parallel num_threads(2)
	{
#pragma omp for schedule(dynamic, 10)
		for (int i = 0; i < NR; i++) {
			if (i == number) {
#pragma omp atomic write
				found = i;
#pragma omp cancel for
			}
#pragma omp cancellation point for
		}
#pragma omp taskgroup
		{
#pragma omp task
			{
#pragma omp cancel taskgroup
			}
#pragma omp task
			{
#pragma omp atomic
				values[0] += 0;
			}
		}
	}
	return found;
}

int main(int argc, char **argv)
{
	const struct { const char *name; double (*run)(int number); } rows[] = {
		{ "pause", pausing }, { "fork", forking }, { "many", many }, { "cancel", cancelling },
	};
	double sum = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && argc > 1; i++)
		for (int number = 0; number < STEPS && !strcmp(argv[1], rows[i].name); number++)
			sum += rows[i].run(number);
	printf("%.0f\n", sum);
	return 5;
}
