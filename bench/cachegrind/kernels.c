/* SPDX-License-Identifier: Apache-2.0 */
/* What bench/cachegrind.sh runs: serial kernels on data that fits L1 (resident), L2 (matrix) or nothing. */
#include "bench/clones/kernels.h"

enum { COLUMN = 1335, COLUMNS = 200, ROWS = 60000, ENTRIES = 8, LENGTH = 1 << 20, SIDE = 300, POINTS = 1000, WIDE = 1100, STREAMS = 14, STREAM = 40000, CUBE = 100 };

static double u[COLUMNS][COLUMN], v[COLUMNS][COLUMN], p[COLUMNS][COLUMN], cu[COLUMNS][COLUMN], cv[COLUMNS][COLUMN], z[COLUMNS][COLUMN], h[COLUMNS][COLUMN];
static double values[ROWS * ENTRIES], x[LENGTH], y[LENGTH], sums[ROWS], a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE], points[2][POINTS];
static double wide[WIDE][WIDE], turned[WIDE][WIDE], streams[STREAMS][STREAM];
static double cubes[2][CUBE][CUBE][CUBE], vector[WIDE], products[WIDE];
static int columns[ROWS * ENTRIES];

#define WHOLE(array) { &(array), sizeof(array) }
const struct kernel_data kernel_data[] = {
	WHOLE(u), WHOLE(v), WHOLE(p), WHOLE(cu), WHOLE(cv), WHOLE(z), WHOLE(h), WHOLE(values), WHOLE(columns), WHOLE(x), WHOLE(y), WHOLE(sums),
	WHOLE(a), WHOLE(b), WHOLE(c), WHOLE(points), WHOLE(wide), WHOLE(turned), WHOLE(streams), WHOLE(cubes),
	WHOLE(vector), WHOLE(products), { 0, 0 },
};

void prepare(void)
{
	unsigned int random = 12345;

	for (int i = 0; i < ROWS * ENTRIES; i++) {
		random = random * 1664525u + 1013904223u;        /* Knuth's and Lewis' */
		columns[i] = (int)((random >> 8) % LENGTH);
		values[i] = i % 100;
	}
	for (int i = 0; i < COLUMNS; i++)
		for (int j = 0; j < COLUMN; j++)
			u[i][j] = v[i][j] = p[i][j] = 1 + (i + j) % 10;
	for (int i = 0; i < LENGTH; i++)
		x[i] = i;
}

/* swim's calc1 */
static void stencil(void)
{
	for (int j = 0; j < COLUMNS - 1; j++)
		for (int i = 0; i < COLUMN - 1; i++) {
			cu[j][i + 1] = .5 * (p[j][i + 1] + p[j][i]) * u[j][i + 1];
			cv[j + 1][i] = .5 * (p[j + 1][i] + p[j][i]) * v[j + 1][i];
			z[j + 1][i + 1] = (4 * (v[j + 1][i + 1] - v[j + 1][i]) - 4 * (u[j + 1][i + 1] - u[j][i + 1])) / (p[j][i] + p[j][i + 1] + p[j + 1][i + 1] + p[j + 1][i]);
			h[j][i] = p[j][i] + .25 * (u[j][i + 1] * u[j][i + 1] + u[j][i] * u[j][i] + v[j + 1][i] * v[j + 1][i] + v[j][i] * v[j][i]);
		}
}

static void sparse(void)
{
	for (int row = 0; row < ROWS; row++) {
		double sum = 0;

		for (int i = row * ENTRIES; i < (row + 1) * ENTRIES; i++)
			sum += values[i] * x[columns[i]];
		sums[row] = sum;
	}
}

/* Down the columns of b. */
static void matrix(void)
{
	for (int i = 0; i < SIDE / 4; i++)
		for (int j = 0; j < SIDE; j++) {
			double sum = 0;

			for (int k = 0; k < SIDE; k++)
				sum += a[i][k] * b[k][j];
			c[i][j] = sum;
		}
}

/* Jacobi */
static void resident(void)
{
	for (int sweep = 0; sweep < 500; sweep++) {
		const double *from = points[sweep % 2];
		double *to = points[1 - sweep % 2];

		for (int i = 1; i < POINTS - 1; i++)
			to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;
	}
}

/* A step of heat conduction */
static void heat(void)
{
	for (int i = 1; i < CUBE - 1; i++)
		for (int j = 1; j < CUBE - 1; j++)
			for (int k = 1; k < CUBE - 1; k++)
				cubes[1][i][j][k] = .4 * cubes[0][i][j][k] + .1 * (cubes[0][i - 1][j][k] + cubes[0][i + 1][j][k] + cubes[0][i][j - 1][k] +
										    cubes[0][i][j + 1][k] + cubes[0][i][j][k - 1] + cubes[0][i][j][k + 1]);
}

/* Matrix times vector */
static void product(void)
{
	for (int i = 0; i < WIDE; i++) {
		double sum = 0;

		for (int j = 0; j < WIDE; j++)
			sum += wide[i][j] * vector[j];
		products[i] = sum;
	}
}

static void triad(void)
{
	for (int i = 0; i < LENGTH / 2; i++)
		y[i] = x[i] + 3 * x[i + LENGTH / 2];
}

static void transpose(void)
{
	for (int i = 0; i < WIDE; i++)
		for (int j = 0; j < WIDE; j++)
			turned[j][i] = wide[i][j];
}

/* More addresses than registers. */
static void starved(void)
{
	double *restrict s[STREAMS];

	for (int i = 0; i < STREAMS; i++)
		s[i] = streams[(i * 5) % STREAMS];
	for (int i = 0; i < STREAM; i++) {
		s[7][i] = s[0][i] + s[1][i], s[8][i] = s[1][i] - s[2][i], s[9][i] = s[2][i] * s[3][i], s[10][i] = s[3][i] + s[4][i];
		s[11][i] = s[4][i] - s[5][i], s[12][i] = s[5][i] * s[6][i], s[13][i] = s[6][i] + s[0][i];
	}
}

const struct kernel kernels[] = {
	{ "stencil", stencil }, { "sparse", sparse }, { "matrix", matrix }, { "resident", resident }, { "heat", heat }, { "product", product }, { "triad", triad }, { "transpose", transpose },
	{ "starved", starved }, { 0, 0 },
};
