/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: all stacks are small, the first thread's too. */
/* Shell: ulimit -s 64; export OMP_STACKSIZE=16k */
#include <stdio.h>

#define N 200000
#define STEPS 1500

static double a[N], b[N];

int main(void)
{
	double sum = 0;

	for (int s = 0; s < STEPS; s++) {
#pragma omp parallel for
		for (int i = 1; i < N - 1; i++)
			a[i] = b[i - 1] + b[i + 1];
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < N; i++) {
			b[i] = a[i] * 0.5 + 1;
			sum += i % 7 == s % 7;
		}
	}
	for (int i = 0; i < N; i++)
		sum += a[i];
	printf("%.6e\n", sum);
	return 0;
}
