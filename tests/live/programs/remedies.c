/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One flaw, whose remedy is known: COUNTS: threads count in neighbouring elements; ROWS: columns of a matrix whose rows are a power of two apart; STRUCTS: one
 * field of structs is used; FIELDS: fields with the same random index lie in arrays of their own; else none: each thread
 * passes over the part of an array that it has initialised.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#if defined COUNTS
static volatile long counts[8] __attribute__((aligned(64)));

static double step(void)
{
#pragma omp parallel                     /* HERE: used */
	for (int i = 0; i < 20000; i++)
		counts[omp_get_thread_num() % 8]++;
	return (double)counts[0];
}

static void initialise(void) {}
#elif defined ROWS
static double matrix[256][1024];

static double step(void)
{
	double sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)   /* HERE: used */
	for (int column = 0; column < 1024; column++)
		for (int row = 0; row < 256; row++)
			sum += matrix[row][column];
	return sum;
}

static void initialise(void)
{
	for (int row = 0; row < 256; row++)
		for (int column = 0; column < 1024; column++)
			matrix[row][column] = row ^ column;
}
#elif defined STRUCTS
#define NR (1 << 15)
static struct particle {
	double mass, charge, position[3], velocity[3];
} particles[NR] __attribute__((aligned(4096)));

static double step(void)
{
	double sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)   /* HERE: used */
	for (int i = 0; i < NR; i++)
		sum += particles[i].mass;
	return sum;
}

static void initialise(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < NR; i++)
		particles[i].mass = i % 7;
}
#elif defined FIELDS
#define NR (1 << 16)
static double u[NR], v[NR], w[NR];
static int chosen[NR];

static double step(void)
{
	double sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)   /* HERE: used */
	for (int i = 0; i < NR; i++)
		sum += u[chosen[i]] + v[chosen[i]] + w[chosen[i]];
	return sum;
}

static void initialise(void)
{
	unsigned int random = 1;

	for (int i = 0; i < NR; i++) {
		random = random * 1664525 + 1013904223;
		chosen[i] = (int)(random >> 16);
		u[i] = v[i] = w[i] = i % 7;
	}
}
#else
#define NR (1 << 16)
static double values[NR] __attribute__((aligned(4096)));

static double step(void)
{
#pragma omp parallel for schedule(static)   /* HERE: used */
	for (int i = 0; i < NR; i++)
		values[i] = 0.5 * values[i] + 1;
	return values[0];
}

static void initialise(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < NR; i++)
		values[i] = i % 7;
}
#endif

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 500;
	double sum = omp_get_max_threads() - omp_get_max_threads();     /* the runtime has begun */

	initialise();
	for (int i = 0; i < steps; i++)
		sum += step();
	printf("%g\n", sum);
	return 0;
}
