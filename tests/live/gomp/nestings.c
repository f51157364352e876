/* SPDX-License-Identifier: Apache-2.0 */
/* Many short nested teams, whose threads libgomp creates anew each time: ./nestings NUMBER. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 2000 };
static long cells[2][CELLS];

static void inner(int half)
{
#pragma omp parallel for num_threads(2)
	for (int i = 0; i < CELLS; i++)
		cells[half][i] = cells[half][i] * 3 % 10007 + i;
}

int main(int argc, char **argv)
{
	int nestings = argc > 1 ? atoi(argv[1]) : 2;
	long sum = 0;

	omp_set_max_active_levels(2);
	for (int nr = 0; nr < nestings; nr += 2) {
#pragma omp parallel for num_threads(2)
		for (int half = 0; half < 2; half++)
			inner(half);
	}
	for (int i = 0; i < CELLS; i++)
		sum += cells[0][i] + cells[1][i];
	printf("%ld\n", sum);
	return 0;
}
