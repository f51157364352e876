/* SPDX-License-Identifier: Apache-2.0 */
static double values[1 << 16];

long work(int steps)
{
	long sum = 0;

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : sum)
		for (int i = 0; i < 1 << 16; i++) {
			values[i] += i;
			sum += i;
		}
	}
	return sum;
}
