/* SPDX-License-Identifier: Apache-2.0 */
/* Adds BYTES of one array to as many of another, in each of so many STEPS, in so many PARTS: each of them by a construct of its own. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	size_t nr = strtoull(argc > 1 ? argv[1] : "", NULL, 10) / sizeof(double), parts = strtoull(argc > 2 ? argv[2] : "", NULL, 10);
	int steps = argc > 3 ? atoi(argv[3]) : 0;
	double *from = calloc(nr + 1, sizeof(*from)), *to = calloc(nr + 1, sizeof(*to)), sum = 0;

	if (!from || !to || !parts)
		return 1;
	for (size_t i = 0; i < nr; i++)          /* else all its pages are one page of zeros, which caches hold */
		from[i] = (double)(i % 7);
	for (int step = 0; step < steps; step++)
		for (size_t part = 0; part < parts; part++) {
#pragma omp parallel for                                         /* HERE: sweep */
			for (size_t i = part * (nr / parts); i < (part + 1) * (nr / parts); i++)
				to[i] += from[i] + 1;
		}
	for (size_t i = 0; i < nr; i++)
		sum += to[i];
	printf("%.0f\n", sum);
	return 0;
}
