/* SPDX-License-Identifier: Apache-2.0 */
/* A library of a program of which memsearch knows nothing. */
void axpy(long n, double a, const double *x, double *y)
{
	for (long i = 0; i < n; i++)
		y[i] += a * x[i];
}
