/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serial programs, one a PROGRAM, that do the same work in every step: for bench/whole_programs.sh.
 *     program [steps]
 * A small parallel region begins each step, so that memsearch knows where one ends.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned int seed = 12345;

/* Knuth's and Lewis' */
static unsigned int next(void)
{
	seed = seed * 1664525u + 1013904223u;
	return seed >> 8;
}

#if PROGRAM == 0                         /* a sparse matrix, columns anywhere, times a vector */
#define ROWS 60000
#define EACH 12
static double values[ROWS * EACH], x[ROWS], y[ROWS];
static int columns[ROWS * EACH];

static void setup(void)
{
	for (int i = 0; i < ROWS * EACH; i++) {
		values[i] = next() % 100;
		columns[i] = (int)(next() % ROWS);
	}
	for (int i = 0; i < ROWS; i++)
		x[i] = i;
}

static double work(void)
{
	for (int row = 0; row < ROWS; row++) {
		double sum = 0;

		for (int i = row * EACH; i < (row + 1) * EACH; i++)
			sum += values[i] * x[columns[i]];
		y[row] = sum;
	}
	return y[ROWS / 2];
}
#elif PROGRAM == 1                       /* matrices, one of them down its columns */
#define SIDE 260
static double a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];

static void setup(void)
{
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			a[i][j] = i + j;
			b[i][j] = i - j;
		}
}

static __attribute__((noinline)) double product(const double *row, int column)
{
	double sum = 0;

	for (int k = 0; k < SIDE; k++)
		sum += row[k] * b[k][column];
	return sum;
}

static double work(void)
{
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			c[i][j] = product(a[i], j);
	return c[SIDE / 2][1];
}
#elif PROGRAM == 2                       /* sorting what was put anywhere, by recursion */
#define NUMBERS 300000
static int given[NUMBERS], numbers[NUMBERS];

static void setup(void)
{
	for (int i = 0; i < NUMBERS; i++)
		given[i] = (int)next();
}

static void sort(int *from, int *to)
{
	int *low = from, *high = to, middle = from[(to - from) / 2];

	while (low <= high) {
		while (*low < middle)
			low++;
		while (*high > middle)
			high--;
		if (low <= high) {
			int kept = *low;

			*low++ = *high;
			*high-- = kept;
		}
	}
	if (from < high)
		sort(from, high);
	if (low < to)
		sort(low, to);
}

static double work(void)
{
	for (int i = 0; i < NUMBERS; i++)
		numbers[i] = given[i];
	sort(numbers, numbers + NUMBERS - 1);
	return numbers[NUMBERS / 2];
}
#elif PROGRAM == 3                       /* lists behind a table, of blocks of the heap */
#define BUCKETS 20000
#define NODES 100000
#define LOOKS 400000
struct node {
	unsigned int key, count;
	struct node *next;
};
static struct node *buckets[BUCKETS];

static void setup(void)
{
	for (unsigned int i = 0; i < NODES; i++) {
		struct node *node = malloc(sizeof(*node));

		if (!node)
			exit(1);
		*node = (struct node){ .key = i, .next = buckets[i * 7919u % BUCKETS] };
		buckets[i * 7919u % BUCKETS] = node;
	}
}

static double work(void)
{
	unsigned int found = 0;

	seed = 12345;
	for (int i = 0; i < LOOKS; i++) {
		unsigned int key = next() % NODES;

		for (struct node *node = buckets[key * 7919u % BUCKETS]; node; node = node->next)
			if (node->key == key)
				found += ++node->count > 0;
	}
	return found;
}
#else                                    /* functions of libm over a grid */
#define SIDE 300
static double here[SIDE][SIDE], there[SIDE][SIDE];

static void setup(void)
{
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			here[i][j] = next() % 1000 / 1000.0;
}

static double work(void)
{
	for (int i = 1; i < SIDE - 1; i++)
		for (int j = 1; j < SIDE - 1; j++)
			there[j][i] = exp(-here[i][j] * here[i][j]) + sin(here[i - 1][j] + here[i + 1][j]) * log(1 + here[i][j - 1]);
	return there[SIDE / 2][SIDE / 2];
}
#endif

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 100, ticks = 0;
	double sum = 0;

	fprintf(stderr, "frame %u\n", (unsigned)((uintptr_t)__builtin_frame_address(0) % 4096));
	setup();
	for (int step = 0; step < steps; step++) {
#pragma omp parallel
		ticks++;
		sum += work();
	}
	printf("%d steps, %g\n", ticks, sum);
	return 0;
}
