/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serial code between short parallel regions, of which it is known how many bytes of which array it moves. It stands in functions and
 * in main's own time loop, before, between and behind regions. The sum printed is the same for every compiler.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define STEPS 60
#define VALUES 2097152
#define SIDE 1024
#define WIDE 1024
#define TEAM 50000
#define CALLS 20

static double team_from[TEAM], team_to[TEAM];
static double scale_from[VALUES], scale_to[VALUES];
static double main_from[VALUES], main_to[VALUES];
static int32_t counters[VALUES];
static double picks[VALUES], picked[VALUES];
static int64_t pick[VALUES];
static unsigned char copy_from[VALUES * 8], copy_to[VALUES * 8];
static double called_from[VALUES], called_to[VALUES];
static double by_columns[SIDE][WIDE], column_sums[WIDE];
static double by_rows[SIDE][WIDE], row_sums[SIDE];

static void fill(void)
{
	for (int i = 0; i < TEAM; i++)
		team_from[i] = i % 3;
	for (int i = 0; i < VALUES; i++) {
		scale_from[i] = main_from[i] = called_from[i] = i % 7;
		picks[i] = i % 11;
		pick[i] = (int64_t)(((uint32_t)i * 2654435769u ^ (uint32_t)i * (uint32_t)i) % VALUES);
	}
	for (int i = 0; i < VALUES * 8; i++)
		copy_from[i] = (unsigned char)(i % 251);
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < WIDE; j++)
			by_columns[i][j] = by_rows[i][j] = (i + j) % 3;
}

__attribute__((noinline)) static void begin_team(void)
{
#pragma omp parallel for schedule(static)   /* HERE: begin_team */
	for (int i = 0; i < TEAM; i++)
		team_to[i] = team_from[i] + 1;
}

__attribute__((noinline)) static void end_team(void)
{
#pragma omp parallel for schedule(static)   /* HERE: end_team */
	for (int i = 0; i < TEAM; i++)
		team_to[i] *= 2;
}

/* ------------------------------------------------------------------ counts */

__attribute__((noinline)) static void scale(void)
{
	for (int i = 0; i < VALUES; i++)
		scale_to[i] = scale_from[i] * 3;
}

__attribute__((noinline)) static void gather(void)
{
	for (int i = 0; i < VALUES; i++)
		picked[i] = picks[pick[i]];
}

__attribute__((noinline)) static void copy(void)
{
	memcpy(copy_to, copy_from, sizeof(copy_to));
	__asm__ volatile("" : : : "memory");
}

/* Serial code around a region of its own. */
__attribute__((noinline)) static void count(void)
{
	for (int i = 0; i < VALUES; i++)
		counters[i] += 3;
	end_team();
	gather();
}

static void add_called(void)
{
	for (int i = 0; i < VALUES; i++)
		called_to[i] = called_from[i] + 2;
}

static void nothing(void) { }

static void (*volatile choices[])(void) = { add_called, nothing };

/* Called through a pointer, with a region in it: on the stack when a stretch begins. */
__attribute__((noinline)) static void around_region(void)
{
	begin_team();
	for (int i = 0; i < CALLS; i++)
		choices[0]();
}

static void (*volatile around)(void) = around_region;

/* ------------------------------------------------------------------ strides */

/* The sum of a column must not be taken for many columns at once. */
__attribute__((noinline)) static void columns(void)
{
	for (int j = 0; j < WIDE; j++) {
		const volatile double *column = &by_columns[0][j];
		double all = 0;

		for (int i = 0; i < SIDE; i++)
			all += column[i * WIDE];                 /* HERE: columns */
		column_sums[j] = all;
	}
}

__attribute__((noinline)) static void rows(void)
{
	for (int i = 0; i < SIDE; i++) {
		double all = 0;

		for (int j = 0; j < WIDE; j++)
			all += by_rows[i][j];                    /* HERE: rows */
		row_sums[i] = all;
	}
}

static double total(void)
{
	double all = 0;

	for (int i = 0; i < TEAM; i++)
		all += team_to[i];
	for (int i = 0; i < VALUES; i++)
		all += scale_to[i] + main_to[i] + counters[i] + picked[i] + copy_to[i] + called_to[i];
	for (int i = 0; i < SIDE; i++)
		all += row_sums[i];
	for (int j = 0; j < WIDE; j++)
		all += column_sums[j];
	return all;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";

	fill();
	for (int step = 0; step < STEPS && !strcmp(kind, "counts"); step++) {
		begin_team();
		scale();
		copy();
		count();
		end_team();
		for (int i = 0; i < VALUES; i++)
			main_to[i] = main_from[i] + step;
	}
	for (int step = 0; step < STEPS && !strcmp(kind, "pointers"); step++) {
		around();
		end_team();
	}
	for (int step = 0; step < STEPS && !strcmp(kind, "strides"); step++) {
		begin_team();
		columns();                               /* HERE: after_begin */
		end_team();
		rows();
	}
	printf("%.17g\n", total());
	return 7;
}
