/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nests of loops of which it is known which loop reads and writes how many bytes of which array. None of them can be
 * exchanged by a compiler, and what is read is read again in each turn. The sum printed is the same for every compiler.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define STEPS 500
#define OUTER 32
#define MIDDLE 32
#define INNER 1003                       /* leaves something over, however wide vectors are */
#define COLUMNS 512

static double values[MIDDLE][INNER], weights[MIDDLE], of_middle[OUTER][MIDDLE], of_outer[OUTER];
static int32_t numbers[MIDDLE][INNER], of_numbers[OUTER][MIDDLE];
static double lines[MIDDLE][INNER], of_calls[OUTER][MIDDLE];

static double wide[INNER][COLUMNS], long_ones[COLUMNS][INNER], factors[COLUMNS], of_wide[4][COLUMNS], of_long[4][COLUMNS];
static double both[INNER][COLUMNS], first[COLUMNS], second[COLUMNS];

static void fill(void)
{
	for (int i = 0; i < MIDDLE; i++) {
		weights[i] = i % 5;
		for (int k = 0; k < INNER; k++)
			values[i][k] = lines[i][k] = numbers[i][k] = (i + k) % 7;
	}
	for (int i = 0; i < COLUMNS; i++) {
		factors[i] = i % 3;
		for (int k = 0; k < INNER; k++)
			wide[k][i] = long_ones[i][k] = both[k][i] = (i + k) % 3;
	}
}

/* ------------------------------------------------------------------ counts */

__attribute__((noinline)) static void nest(void)
{
#pragma omp parallel for schedule(static)   /* HERE: nest_region */
	for (int i = 0; i < OUTER; i++) {
		double last = 0;

		for (int j = 0; j < MIDDLE; j++) {               /* HERE: middle */
			double all = 0;

			for (int k = 0; k < INNER; k++)          /* HERE: inner */
				all += values[j][k];             /* HERE: inner_body */
			of_middle[i][j] = all * weights[j];      /* HERE: middle_body */
			last += all;
		}
		of_outer[i] = last;
	}
}

__attribute__((noinline)) static void whole_numbers(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < OUTER; i++)
		for (int j = 0; j < MIDDLE; j++) {               /* HERE: numbers_middle */
			int32_t all = 0;

			for (int k = 0; k < INNER; k++)          /* HERE: numbers_inner */
				all += numbers[j][k];            /* HERE: numbers_inner_body */
			of_numbers[i][j] = all;                  /* HERE: numbers_middle_body */
		}
}

__attribute__((noinline)) static double sum_of(const double *line, int n)
{
	double all = 0;

	for (int k = 0; k < n; k++)                              /* HERE: callee */
		all += line[k];                                  /* HERE: callee_body */
	return all;
}

__attribute__((noinline)) static void calls(void)
{
#pragma omp parallel for schedule(static)   /* HERE: calls_region */
	for (int i = 0; i < OUTER; i++)
		for (int j = 0; j < MIDDLE; j++)
			of_calls[i][j] = sum_of(lines[(i + j) % MIDDLE], INNER);
}

/* ------------------------------------------------------------------ strides */

__attribute__((noinline)) static void transposed(void)
{
#pragma omp parallel for schedule(static)   /* HERE: transposed_region */
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < COLUMNS; j++) {              /* HERE: transposed_middle */
			double all = 0;

			for (int k = 0; k < INNER; k++)          /* HERE: transposed_inner */
				all += wide[k][j];               /* HERE: transposed_body */
			of_wide[i][j] = all * factors[j];
		}
}

__attribute__((noinline)) static void straight(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < COLUMNS; j++) {
			double all = 0;

			for (int k = 0; k < INNER; k++)
				all += long_ones[j][k];
			of_long[i][j] = all * factors[j];
		}
}

/* ------------------------------------------------------------------ shared by two loops */

__attribute__((noinline)) static void twice(void)
{
#pragma omp parallel for schedule(static)   /* HERE: twice_region */
	for (int j = 0; j < COLUMNS; j++) {
		double all = 0, most = 0;

		for (int k = 0; k < INNER; k++)
			all += both[k][j];
		first[j] = all * factors[j];
		for (int k = 0; k < INNER; k++)
			most = most + 0.5 * both[k][j];
		second[j] = most * factors[j];
	}
}

static void counts_step(void)
{
	nest();
	whole_numbers();
	calls();
}

static void strides_step(void)
{
	transposed();
	straight();
}

int main(int argc, char **argv)
{
	const struct { const char *name; void (*step)(void); int steps; } kinds[] = {
		{ "counts", counts_step, STEPS }, { "strides", strides_step, STEPS / 3 }, { "shared", twice, STEPS / 2 },
	};
	double all = 0;

	fill();
	for (int kind = 0; argc > 1 && kind < 3; kind++)
		for (int i = 0; i < kinds[kind].steps && !strcmp(argv[1], kinds[kind].name); i++)
			kinds[kind].step();
	for (int i = 0; i < OUTER; i++)
		for (int j = 0; j < MIDDLE; j++)
			all += of_middle[i][j] + of_outer[i] + of_numbers[i][j] + of_calls[i][j];
	for (int j = 0; j < COLUMNS; j++)
		all += of_wide[j % 4][j] + of_long[j % 4][j] + first[j] + second[j];
	printf("%.17g\n", all);
	return 7;
}
