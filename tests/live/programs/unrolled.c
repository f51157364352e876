/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops that compilers unroll: a field of structs of 104 bytes, rows of 64 KiB, and two fields of
 * structs of 128 bytes, half of a struct apart.
 */
#include <stdio.h>
#include <stdlib.h>

#define DROPS 60000
#define ROWS 28
#define ROW 8192
#define PAIRS 50000

struct drop {
	double position[3], speed[3], force[3], mass, radius, warmth;
	int id, kind;
};
struct pair {
	double first[8], second[8];
};

static struct drop drops[DROPS];
static double columns[ROWS * ROW];
static struct pair pairs[PAIRS];

static void relax(double ambient)
{
#pragma omp parallel for
	for (long i = 0; i < DROPS; i++)
		drops[i].warmth += 0.1 * (ambient - drops[i].warmth); /* HERE: field */
}

static void add_columns(double *sums, long row)
{
#pragma omp parallel for
	for (long i = 0; i < ROW; i++) {
		double sum = 0;

		for (long k = 0; k < ROWS; k++)
			sum += columns[k * row + i]; /* HERE: rows */
		sums[i] = sum;
	}
}

static double add_pairs(void)
{
	double sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (long i = 0; i < PAIRS; i++)
		sum += pairs[i].first[0] + pairs[i].second[0]; /* HERE: pairs */
	return sum;
}

int main(int argc, char **argv)
{
	static double sums[ROW];
	long row = argc > 9 ? atol(argv[9]) : ROW;
	double all = 0;

	for (long i = 0; i < ROWS * ROW; i++)
		columns[i] = 1;
	for (long i = 0; i < PAIRS; i++)
		pairs[i].first[0] = pairs[i].second[0] = row;
	for (int step = 0; step < 150; step++) {
		relax(280);
		add_columns(sums, row);
		all += add_pairs();
	}
	printf("%.0f %.0f\n", sums[0] + all, drops[0].warmth);
	return 0;
}
