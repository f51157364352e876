/* SPDX-License-Identifier: Apache-2.0 */
/* A loop whose function calls another library's, which reads tables of its own. */
#include <math.h>
#include <stdio.h>

#define N 20000

static double from[N], to[N];

int main(void)
{
	double sum = 0;

	for (int i = 0; i < N; i++)
		from[i] = 1 + i * 1e-4;
	for (int step = 0; step < 2000; step++) {
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			to[i] = pow(from[i], 1.25) + step;
	}
	for (int i = 0; i < N; i++)
		sum += to[i];
	printf("%.10e\n", sum);
	return 0;
}
