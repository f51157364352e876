/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops of which it is known what they read and write: how many bytes of which array, by what stride, and on which thread.
 * Each is a region of its own in the phase, and long enough for one. The sum printed is the same for every compiler.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define STEPS 80
#define VALUES 524288
#define SIDE 1024
#define WIDE 1024
#define TALL 2048

static double sum_left[VALUES], sum_right[VALUES], sum_to[VALUES];
static int32_t counters[VALUES];
static double picked[VALUES], picks[VALUES];
static int64_t pick[VALUES];
static double chosen[VALUES], choice[VALUES];
static unsigned char copy_to[VALUES * 8], copy_from[VALUES * 8];

static double by_columns[SIDE][WIDE], column_sums[WIDE];
static double by_rows[SIDE][SIDE], row_sums[SIDE];
static double unrolled[SIDE * SIDE];
static double near[SIDE * SIDE];
static struct body { double x, y, z, vx, vy, vz, mass, charge, radius, spin; } bodies[SIDE * SIDE / 32];
static double triangle[TALL][TALL], square[SIDE][SIDE];

static void fill(void)
{
	for (int i = 0; i < VALUES; i++) {
		sum_left[i] = i % 7;
		sum_right[i] = i % 5;
		picks[i] = i % 11;
		pick[i] = (int64_t)(((uint32_t)i * 2654435769u ^ (uint32_t)i * (uint32_t)i) % VALUES);
		choice[i] = i % 2 ? 1 : -1;
	}
	for (int i = 0; i < VALUES * 8; i++)
		copy_from[i] = (unsigned char)(i % 251);
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			by_columns[i][j % WIDE] = by_rows[i][j] = square[i][j] = unrolled[i * SIDE + j] = near[i * SIDE + j] = (i + j) % 3;
	for (int i = 0; i < SIDE * SIDE / 32; i++)
		bodies[i] = (struct body){ 1, 2, 3, 1, 1, 1, 4, 2, 1, 1 };
	memset(triangle, 0, sizeof(triangle));
}

/* ------------------------------------------------------------------ counts */

__attribute__((noinline)) static void sum(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < VALUES; i++)
		sum_to[i] = sum_left[i] + sum_right[i];          /* HERE: sum */
}

__attribute__((noinline)) static void count(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < VALUES; i++)
		counters[i] += 3;                                /* HERE: count */
}

__attribute__((noinline)) static void gather(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < VALUES; i++)
		picked[i] = picks[pick[i]];                      /* HERE: gather */
}

__attribute__((noinline)) static void choose(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < VALUES; i++)
		if (choice[i] > 0)
			chosen[i] = choice[i] * 3;               /* HERE: choose */
}

__attribute__((noinline)) static void copy(void)
{
#pragma omp parallel for schedule(static)
	for (int block = 0; block < 32; block++)
		memcpy(copy_to + block * (VALUES / 4), copy_from + block * (VALUES / 4), VALUES / 4);    /* HERE: copy */
}

/* ------------------------------------------------------------------ strides */

/* The sum of a column must not be taken for many columns at once. */
__attribute__((noinline)) static void columns(void)
{
#pragma omp parallel for schedule(static)   /* HERE: columns_region */
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
#pragma omp parallel for schedule(static)   /* HERE: rows_region */
	for (int i = 0; i < SIDE; i++) {
		double all = 0;

		for (int j = 0; j < SIDE; j++)
			all += by_rows[i][j];                    /* HERE: rows */
		row_sums[i] = all;
	}
}

__attribute__((noinline)) static void unroll(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < SIDE * SIDE; i += 16) {
		unrolled[i] += 1, unrolled[i + 1] += 1, unrolled[i + 2] += 1, unrolled[i + 3] += 1;
		unrolled[i + 4] += 1, unrolled[i + 5] += 1, unrolled[i + 6] += 1, unrolled[i + 7] += 1;
		unrolled[i + 8] += 1, unrolled[i + 9] += 1, unrolled[i + 10] += 1, unrolled[i + 11] += 1;
		unrolled[i + 12] += 1, unrolled[i + 13] += 1, unrolled[i + 14] += 1, unrolled[i + 15] += 1;
	}
}

/* Every fourth value is half of a line away, so that every line is used. */
__attribute__((noinline)) static void step_little(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < SIDE * SIDE; i += 4)
		near[i] += 2;
}

/* Fields are 80 bytes apart from one body to the next, and all of them are used. */
__attribute__((noinline)) static void move(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < SIDE * SIDE / 32; i++) {
		struct body *body = &bodies[i];

		body->x += body->vx * body->mass * body->spin;
		body->y += body->vy * body->charge;
		body->z += body->vz * body->radius;
	}
}

/* ------------------------------------------------------------------ threads */

__attribute__((noinline)) static void triangular(void)
{
#pragma omp parallel for schedule(static)   /* HERE: triangular_region */
	for (int i = 0; i < TALL; i++)
		for (int j = 0; j < i; j++)
			triangle[i][j] += 1;                     /* HERE: triangle */
}

__attribute__((noinline)) static void even(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			square[i][j] += 1;
}

static double total(void)
{
	double all = 0;

	for (int i = 0; i < VALUES; i++)
		all += sum_to[i] + counters[i] + picked[i] + chosen[i] + copy_to[i];
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			all += column_sums[i % WIDE] + row_sums[i] + unrolled[i * SIDE + j] + near[i * SIDE + j] + square[i][j];
	for (int i = 0; i < TALL; i++)
		for (int j = 0; j < TALL; j++)
			all += triangle[i][j];
	for (int i = 0; i < SIDE * SIDE / 32; i++)
		all += bodies[i].x + bodies[i].y + bodies[i].z;
	return all;
}

static void counts_step(void)
{
	sum();
	count();
	gather();
	choose();
	copy();
}

static void strides_step(void)
{
	columns();
	rows();
	unroll();
	step_little();
	move();
}

static void threads_step(void)
{
	triangular();
	even();
}

int main(int argc, char **argv)
{
	const struct { const char *name; void (*step)(void); } kinds[] = {
		{ "counts", counts_step }, { "strides", strides_step }, { "threads", threads_step },
	};

	fill();
	for (int kind = 0; argc > 1 && kind < 3; kind++)
		for (int i = 0; i < STEPS && !strcmp(argv[1], kinds[kind].name); i++)
			kinds[kind].step();
	printf("%.17g\n", total());
	return 7;
}
