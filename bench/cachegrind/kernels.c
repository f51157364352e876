/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What bench/cachegrind.sh runs: serial kernels of the usual kinds (dense, sparse, spectral, bodies, grids, dynamic programming), on data that fits L1 (resident,
 * bodies), L2 (matrix, blocked, factor, fft, paths) or nothing, in loops from five times on.
 */
#include "bench/clones/kernels.h"

enum { COLUMN = 1335, COLUMNS = 200, ROWS = 60000, ENTRIES = 8, LENGTH = 1 << 20, SIDE = 300, POINTS = 1000, WIDE = 1100, STREAMS = 14, STREAM = 40000, CUBE = 100,
       TILED = 256, TILE = 32, ORDER = 200, BODIES = 400, IMAGE = 512, MASK = 5, SIGNAL = 1 << 14 };

static double u[COLUMNS][COLUMN], v[COLUMNS][COLUMN], p[COLUMNS][COLUMN], cu[COLUMNS][COLUMN], cv[COLUMNS][COLUMN], z[COLUMNS][COLUMN], h[COLUMNS][COLUMN];
static double values[ROWS * ENTRIES], x[LENGTH], y[LENGTH], sums[ROWS], a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE], points[2][POINTS];
static double wide[WIDE][WIDE], turned[WIDE][WIDE], streams[STREAMS][STREAM];
static double cubes[2][CUBE][CUBE][CUBE], vector[WIDE], products[WIDE];
static double tiled[3][TILED][TILED], system_of[ORDER][ORDER], factors[ORDER][ORDER], bodies_at[4][BODIES], forces[3][BODIES];
static double signal[2 * SIGNAL], twiddles[SIGNAL];
static float image[IMAGE][IMAGE], blurred[IMAGE][IMAGE], mask[MASK][MASK];
static int columns[ROWS * ENTRIES], lengths[ORDER][ORDER];

#define WHOLE(array) { &(array), sizeof(array) }
const struct kernel_data kernel_data[] = {
	WHOLE(u), WHOLE(v), WHOLE(p), WHOLE(cu), WHOLE(cv), WHOLE(z), WHOLE(h), WHOLE(values), WHOLE(columns), WHOLE(x), WHOLE(y), WHOLE(sums),
	WHOLE(a), WHOLE(b), WHOLE(c), WHOLE(points), WHOLE(wide), WHOLE(turned), WHOLE(streams), WHOLE(cubes),
	WHOLE(vector), WHOLE(products), WHOLE(tiled), WHOLE(system_of), WHOLE(factors), WHOLE(bodies_at), WHOLE(forces), WHOLE(signal), WHOLE(twiddles),
	WHOLE(image), WHOLE(blurred), WHOLE(mask), WHOLE(lengths), { 0, 0 },
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
	for (int i = 0; i < ORDER; i++)
		for (int j = 0; j < ORDER; j++)
			system_of[i][j] = i == j ? 2 * ORDER : 1;
	for (int i = 0; i < ORDER; i++)
		for (int j = 0; j < ORDER; j++)
			lengths[i][j] = (i * 7919 + j * 104729) % 1009;
	for (int i = 0; i < BODIES; i++)
		for (int j = 0; j < 4; j++)
			bodies_at[j][i] = (i * 37 + j * 11) % 101;
	for (int i = 0; i < SIGNAL; i++)
		twiddles[i] = 1. / (1 + i);
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

/* Matrix times matrix, tile by tile */
static void blocked(void)
{
	for (int ii = 0; ii < TILED; ii += TILE)
		for (int kk = 0; kk < TILED; kk += TILE)
			for (int jj = 0; jj < TILED; jj += TILE)
				for (int i = ii; i < ii + TILE; i++)
					for (int k = kk; k < kk + TILE; k++)
						for (int j = jj; j < jj + TILE; j++)
							tiled[0][i][j] += tiled[1][i][k] * tiled[2][k][j];
}

/* LU, without pivots */
static void factor(void)
{
	for (int i = 0; i < ORDER; i++)
		for (int j = 0; j < ORDER; j++)
			factors[i][j] = .5 * system_of[i][j];
	for (int k = 0; k < ORDER; k++)
		for (int i = k + 1; i < ORDER; i++) {
			double by = factors[i][k] /= factors[k][k];

			for (int j = k + 1; j < ORDER; j++)
				factors[i][j] -= by * factors[k][j];
		}
}

/* All pairs */
static void bodies(void)
{
	for (int i = 0; i < BODIES; i++) {
		double force[3] = { 0, 0, 0 };

		for (int j = 0; j < BODIES; j++) {
			double dx = bodies_at[0][j] - bodies_at[0][i], dy = bodies_at[1][j] - bodies_at[1][i], dz = bodies_at[2][j] - bodies_at[2][i];
			double distance = dx * dx + dy * dy + dz * dz + .01, pull = bodies_at[3][j] / (distance * distance);

			force[0] += dx * pull;
			force[1] += dy * pull;
			force[2] += dz * pull;
		}
		for (int axis = 0; axis < 3; axis++)
			forces[axis][i] = force[axis];
	}
}

/* An image filtered by a mask */
static void filter(void)
{
	for (int i = 0; i < IMAGE - MASK; i++)
		for (int j = 0; j < IMAGE - MASK; j++) {
			float sum = 0;

			for (int k = 0; k < MASK; k++)
				for (int l = 0; l < MASK; l++)
					sum += image[i + k][j + l] * mask[k][l];
			blurred[i][j] = sum;
		}
}

/* The butterflies of a fast Fourier transform */
static void fft(void)
{
	for (int half = 1; half < SIGNAL; half *= 2)
		for (int begin = 0; begin < SIGNAL; begin += 2 * half)
			for (int i = 0; i < half; i++) {
				double *even = &signal[2 * (begin + i)], *odd = &signal[2 * (begin + half + i)];
				const double *twiddle = &twiddles[2 * i * (SIGNAL / 2 / half) % SIGNAL];
				double re = odd[0] * twiddle[0] - odd[1] * twiddle[1], im = odd[0] * twiddle[1] + odd[1] * twiddle[0];

				odd[0] = .5 * (even[0] - re);
				odd[1] = .5 * (even[1] - im);
				even[0] = .5 * (even[0] + re);
				even[1] = .5 * (even[1] + im);
			}
}

/* Shortest paths between all places (Floyd, Warshall) */
static void paths(void)
{
	for (int k = 0; k < ORDER; k++)
		for (int i = 0; i < ORDER; i++)
			for (int j = 0; j < ORDER; j++) {
				int now = lengths[i][j], through = lengths[i][k] + lengths[k][j];

				lengths[i][j] = through < now ? through : now;
			}
}

const struct kernel kernels[] = {
	{ "stencil", stencil }, { "sparse", sparse }, { "matrix", matrix }, { "resident", resident }, { "heat", heat }, { "product", product }, { "triad", triad }, { "transpose", transpose },
	{ "starved", starved }, { "blocked", blocked }, { "factor", factor }, { "bodies", bodies }, { "filter", filter }, { "fft", fft },
	{ "paths", paths }, { 0, 0 },
};
