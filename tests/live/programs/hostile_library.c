/* SPDX-License-Identifier: Apache-2.0 */
/* A library that comes and goes; FACTOR: which one of two. */
void work(double *to, const double *from, long nr, int step);

void work(double *to, const double *from, long nr, int step)
{
#pragma omp parallel for schedule(static)
	for (long i = 0; i < nr; i++)
		to[i] = from[i] * FACTOR + step;
}
