/* SPDX-License-Identifier: Apache-2.0 */
/* Constructs in a shared library; see constructs.c. */
void library_scale(double *values, int n, double factor)
{
#pragma omp parallel /* @PARALLEL:library_scale */
	{
#pragma omp for schedule(dynamic, 32) /* @DO:library_scale */
		for (int i = 0; i < n; i++)
			values[i] *= factor;
#pragma omp barrier /* @BARRIER:library_scale */
		values[0] = 1;
	}
}
