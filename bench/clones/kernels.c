/* SPDX-License-Identifier: Apache-2.0 */
/* What bench/clones.sh records: kernels of scientific programs, their data in the caches, so that recording is what costs. */
#include "kernels.h"

enum { SIDE = 64, LENGTH = 2048, ROWS = 256, ENTRIES = 9, BUCKETS = 256 };

double a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE], x[LENGTH], y[LENGTH], z[LENGTH];
double values[ROWS * ENTRIES];
int columns[ROWS * ENTRIES], starts[ROWS + 1], counts[BUCKETS];
unsigned char bytes[LENGTH];

#define WHOLE(array) { &(array), sizeof(array) }
const struct kernel_data kernel_data[] = {
	WHOLE(a), WHOLE(b), WHOLE(c), WHOLE(x), WHOLE(y), WHOLE(z), WHOLE(values), WHOLE(columns), WHOLE(starts), WHOLE(counts), WHOLE(bytes), { 0, 0 },
};

void prepare(void)
{
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			a[i][j] = i + j, b[i][j] = i - j;
	for (int i = 0; i < LENGTH; i++)
		x[i] = y[i] = i, bytes[i] = (unsigned char)(i * 37 >> 2);
	for (int i = 0; i < ROWS * ENTRIES; i++)
		values[i] = i, columns[i] = (i * 7919) % ROWS;
	for (int i = 0; i <= ROWS; i++)
		starts[i] = i * ENTRIES;
}

static void stencil(void)
{
	for (int i = 1; i < SIDE - 1; i++)
		for (int j = 1; j < SIDE - 1; j++)
			b[i][j] = 0.2 * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
}

static void matrix(void)
{
	for (int i = 0; i < 24; i++)
		for (int j = 0; j < 24; j++) {
			double sum = 0;

			for (int k = 0; k < 24; k++)
				sum += a[i][k] * b[k][j];
			c[i][j] = sum;
		}
}

static void sparse(void)
{
	for (int i = 0; i < ROWS; i++) {
		double sum = 0;

		for (int k = starts[i]; k < starts[i + 1]; k++)
			sum += values[k] * x[columns[k]];
		y[i] = sum;
	}
}

static void triad(void)
{
	for (int i = 0; i < LENGTH; i++)
		z[i] = x[i] + 3.0 * y[i];
}

/* One access an iteration. */
static void fill(void)
{
	for (int i = 0; i < LENGTH; i++)
		z[i] = i;
}

static void histogram(void)
{
	for (int i = 0; i < LENGTH; i++)
		counts[bytes[i]]++;
}

static void reduction(void)
{
	double sum = 0, most = x[0];

	for (int i = 0; i < LENGTH; i++) {
		sum += x[i] * y[i];
		most = x[i] > most ? x[i] : most;
	}
	z[0] = sum + most;
}

/* More addresses than registers, as in loops over many fields. */
static void crowded(void)
{
	double *restrict p[14];

	for (int i = 0; i < 14; i++)
		p[i] = i < 7 ? x + 128 * i : z + 128 * (i - 7);
	for (int i = 0; i < 120; i++) {
		p[7][i] = p[0][i] + p[1][i], p[8][i] = p[1][i] - p[2][i], p[9][i] = p[2][i] * p[3][i], p[10][i] = p[3][i] + p[4][i];
		p[11][i] = p[4][i] - p[5][i], p[12][i] = p[5][i] * p[6][i], p[13][i] = p[6][i] + p[0][i];
	}
}

const struct kernel kernels[] = {
	{ "stencil", stencil }, { "matrix", matrix }, { "sparse", sparse }, { "triad", triad }, { "fill", fill }, { "histogram", histogram },
	{ "reduction", reduction }, { "crowded", crowded }, { 0, 0 },
};
