/* SPDX-License-Identifier: Apache-2.0 */
/* A library with a region. */
long library_sum(long nr);

long library_sum(long nr)
{
	long sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 8)
	for (long i = 0; i < nr; i++)
		sum += i % 7;
	return sum;
}
