/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Large arrays of main, and of a function that is inlined or not (-DNOINLINE); with -DPAD=N between arrays
 * of N numbers in both frames.
 */
#include <stdio.h>
#include <stdlib.h>

enum { N = 400 };

#ifdef NOINLINE
__attribute__((noinline))
#endif
static double smooth(double (*from)[N], int steps)
{
	double work[N][N];
#ifdef PAD
	volatile double pad[PAD];
	int first = steps, second = 2 * steps; /* with these the runtime gets arguments on the stack */
#endif

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for
		for (int i = 0; i < N; i++) {
#ifdef PAD
			pad[i] = first + second;
#endif
			for (int j = 0; j < N; j++)
				work[j][i] = from[j][i] + step;
		}
	}
	return work[N / 2][N / 2];
}

int main(int argc, char **argv)
{
	double grid[N][N];
#ifdef PAD
	volatile double pad[PAD];

	pad[argc] = 1;
#endif

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			grid[i][j] = i + argc;
	printf("%g\n", smooth(grid, argc > 1 ? atoi(argv[1]) : 20));
	return 0;
}
