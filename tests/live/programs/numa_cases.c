/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory use of programs whose problem with NUMA nodes was published (X. Liu and J. Mellor-Crummey, SC 2013 and PPoPP 2014), by their descriptions, with the arrays'
 * roles for names: one thread initialises what all threads use.
 *
 * NODAL: elements of a mesh gather the coordinates of their eight nodes (LULESH: the nodes' coordinates). MATRIX: a sparse matrix by a vector (AMG2006: the matrix's
 * values, then its columns). POINTS: distances of points to a centre (streamcluster: the points). REFERENCE: a table along diagonals of blocks (Needleman-Wunsch: the
 * reference matrix, then the table).
 */
#include <stdio.h>
#include <stdlib.h>

static int steps;

static void *made(size_t nr, size_t bytes)
{
	void *memory = NULL;

	return posix_memalign(&memory, 4096, nr * bytes) ? NULL : memory;
}

#if defined NODAL
#define SIDE 36
#define NODES ((SIDE + 1) * (SIDE + 1) * (SIDE + 1))
#define ELEMENTS (SIDE * SIDE * SIDE)
static double *nodes_x, *nodes_y, *nodes_z, *volumes;
static int (*corners)[8];

static void initialise(void)
{
	nodes_x = made(NODES, sizeof(double));
	nodes_y = made(NODES, sizeof(double));
	nodes_z = made(NODES, sizeof(double));
	volumes = made(ELEMENTS, sizeof(double));
	corners = made(ELEMENTS, sizeof(*corners));
	for (int i = 0; i < NODES; i++) {
		nodes_x[i] = i % (SIDE + 1);
		nodes_y[i] = i / (SIDE + 1) % (SIDE + 1);
		nodes_z[i] = i / (SIDE + 1) / (SIDE + 1);
	}
#pragma omp parallel for schedule(static)
	for (int i = 0; i < ELEMENTS; i++) {
		int low = i / SIDE / SIDE * (SIDE + 1) * (SIDE + 1) + i / SIDE % SIDE * (SIDE + 1) + i % SIDE;

		volumes[i] = 0;
		for (int k = 0; k < 8; k++)
			corners[i][k] = low + (k & 1) + (k >> 1 & 1) * (SIDE + 1) + (k >> 2) * (SIDE + 1) * (SIDE + 1);
	}
}

static double step(void)
{
#pragma omp parallel for schedule(static)   /* HERE: used */
	for (int i = 0; i < ELEMENTS; i++) {
		double sum = 0;

		for (int k = 0; k < 8; k++)
			sum += nodes_x[corners[i][k]] + nodes_y[corners[i][k]] + nodes_z[corners[i][k]];
		volumes[i] = 0.5 * volumes[i] + sum;
	}
	return volumes[ELEMENTS / 2];
}
#elif defined MATRIX
#define ROWS 20000
#define IN_ROW 7
static double *values, *in, *out;
static int *columns;

static void initialise(void)
{
	values = made(ROWS * IN_ROW, sizeof(double));
	columns = made(ROWS * IN_ROW, sizeof(int));
	in = made(ROWS, sizeof(double));
	out = made(ROWS, sizeof(double));
	for (int i = 0; i < ROWS * IN_ROW; i++) {
		values[i] = i % 5;
		columns[i] = (i / IN_ROW + (i % IN_ROW - IN_ROW / 2) * 97 + ROWS) % ROWS;
	}
#pragma omp parallel for schedule(static)
	for (int i = 0; i < ROWS; i++)
		in[i] = out[i] = 1;
}

static double step(void)
{
#pragma omp parallel for schedule(static)   /* HERE: used */
	for (int i = 0; i < ROWS; i++) {
		double sum = 0;

		for (int k = i * IN_ROW; k < (i + 1) * IN_ROW; k++)
			sum += values[k] * in[columns[k]];
		out[i] = sum;
	}
	return out[ROWS / 2];
}
#elif defined POINTS
#define NR 8000
#define DIMENSIONS 32
static float *points, *distances;

static void initialise(void)
{
	points = made(NR * DIMENSIONS, sizeof(float));
	distances = made(NR, sizeof(float));
	for (int i = 0; i < NR * DIMENSIONS; i++)
		points[i] = i % 11;
#pragma omp parallel for schedule(static)
	for (int i = 0; i < NR; i++)
		distances[i] = 0;
}

static double step(void)
{
	const float *centre = points + (size_t)(steps * 7919 % NR) * DIMENSIONS;

#pragma omp parallel for schedule(static)   /* HERE: used */
	for (int i = 0; i < NR; i++) {
		float sum = 0;

		for (int k = 0; k < DIMENSIONS; k++)
			sum += (points[i * DIMENSIONS + k] - centre[k]) * (points[i * DIMENSIONS + k] - centre[k]);
		distances[i] = sum;
	}
	return distances[NR / 2];
}
#else
#define SIDE 512
#define BLOCK 32
static int *reference, *table;

static void initialise(void)
{
	reference = made(SIDE * SIDE, sizeof(int));
	table = made(SIDE * SIDE, sizeof(int));
	for (int i = 0; i < SIDE * SIDE; i++) {
		reference[i] = i % 21 - 10;
		table[i] = -(i % SIDE) - i / SIDE;
	}
}

static void block(int row, int column)
{
	for (int i = row > 0 ? row : 1; i < row + BLOCK; i++)
		for (int k = column > 0 ? column : 1; k < column + BLOCK; k++) {
			int match = table[(i - 1) * SIDE + k - 1] + reference[i * SIDE + k];
			int gap = table[(i - 1) * SIDE + k] > table[i * SIDE + k - 1] ? table[(i - 1) * SIDE + k] - 10 : table[i * SIDE + k - 1] - 10;

			table[i * SIDE + k] = match > gap ? match : gap;
		}
}

static double step(void)
{
	for (int diagonal = 0; diagonal < 2 * SIDE / BLOCK - 1; diagonal++) {
		int first = diagonal < SIDE / BLOCK ? 0 : diagonal - SIDE / BLOCK + 1;
		int last = diagonal < SIDE / BLOCK ? diagonal : SIDE / BLOCK - 1;

#pragma omp parallel for schedule(static)   /* HERE: used */
		for (int i = first; i <= last; i++)
			block(i * BLOCK, (diagonal - i) * BLOCK);
	}
	return table[SIDE * SIDE - 1];
}
#endif

int main(int argc, char **argv)
{
	double sum = 0;

	initialise();
	for (steps = argc > 1 ? atoi(argv[1]) : 300; steps > 0; steps--)
		sum += step();
	printf("%.0f\n", sum);
	return 0;
}
