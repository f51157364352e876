/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that repeat nothing, or end soon: look-ups at random places in one region that runs once, in its tasks, after
 * other loops of it, or after a loop that is soon over; a few steps that the compiler unrolls; steps of which the first
 * waits for pages.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE = 1 << 23, LOOKUPS = 24 << 20, ROWS = 1200, COUNTS = 1 << 21 };

static double *table;
static long lookups = LOOKUPS;
static double matrix[ROWS][ROWS];

static unsigned long mix(unsigned long x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ul;
	x = (x ^ x >> 27) * 0x94d049bb133111ebul;
	return x ^ x >> 31;
}

/* serially: the look-ups are the program's first construct. */
static double look_up(int serially)
{
	double sum = 0;

	table = malloc(TABLE * sizeof(*table));
	if (serially) {
		for (int i = 0; i < TABLE; i++)
			table[i] = i % 7;
	} else {
#pragma omp parallel for
		for (int i = 0; i < TABLE; i++)
			table[i] = i % 7;
	}
#pragma omp parallel for schedule(dynamic, 4096) reduction(+ : sum)
	for (long i = 0; i < lookups; i++)
		sum += table[mix((unsigned long)i) % TABLE];     /* HERE: look-up */
	return sum;
}

enum { PART = 4096, SMALL = 512 };

static double small[LOOKUPS / PART / 4][SMALL];

static void look_up_part(long first, double *sum)
{
	double own = 0;

	for (long i = first; i < first + PART; i++)
		own += table[mix((unsigned long)i) % TABLE];     /* HERE: task's look-up */
#pragma omp atomic
	*sum += own;
}

static void work_in_caches(double *values)
{
	for (int again = 0; again < 256; again++)
		for (int i = 1; i < SMALL; i++)
			values[i] = 0.5 * (values[i - 1] + values[i]);
}

/*
 * One task creates all others. They are executed in the barrier that closes the region. later: after
 * tasks that work in the caches, for longer than a burst.
 */
static double look_up_in_tasks(int later)
{
	double sum = 0;

	table = malloc(TABLE * sizeof(*table));
#pragma omp parallel for
	for (int i = 0; i < TABLE; i++)
		table[i] = i % 7;
#pragma omp parallel
#pragma omp single nowait
#pragma omp task shared(sum)
	{
		for (int i = 0; later && i < LOOKUPS / PART / 4; i++) {
#pragma omp task firstprivate(i)
			work_in_caches(small[i]);
		}
#pragma omp taskwait
		for (long first = 0; first < LOOKUPS; first += PART) {
#pragma omp task firstprivate(first) shared(sum)
			look_up_part(first, &sum);
		}
	}
	return sum;
}

/*
 * Loops one after the other in one region: in the caches, for longer than a burst, then down columns, then the look-ups.
 * by_hand: divided by the threads' numbers.
 */
static double one_after_the_other(int by_hand)
{
	double sum = 0;

	table = malloc(TABLE * sizeof(*table));
#pragma omp parallel reduction(+ : sum)
	{
		long me = omp_get_thread_num(), threads = omp_get_num_threads();

#pragma omp for
		for (int i = 0; i < TABLE; i++)
			table[i] = i % 7;
#pragma omp for
		for (int i = 0; i < LOOKUPS / PART / 4; i++)
			work_in_caches(small[i]);
#pragma omp for
		for (int j = 0; j < ROWS; j++)
			for (int again = 0; again < 24; again++)
				for (int i = 0; i < ROWS; i++)
					sum += matrix[i][j];             /* HERE: later column */
		if (by_hand) {
			for (long i = me * (lookups / threads); i < (me + 1) * (lookups / threads); i++)
				sum += table[mix((unsigned long)i) % TABLE];     /* HERE: by hand */
#pragma omp barrier
		} else {
#pragma omp for
			for (long i = 0; i < lookups; i++)
				sum += table[mix((unsigned long)i) % TABLE];     /* HERE: later look-up */
		}
	}
	return sum;
}

/* No construct but barriers: what takes a tenth of the time, and then twice the look-ups. */
static double divided_by_hand(void)
{
	double sum = 0;

	table = malloc(TABLE * sizeof(*table));
#pragma omp parallel reduction(+ : sum)
	{
		long me = omp_get_thread_num(), threads = omp_get_num_threads();

		for (long i = me * (TABLE / threads); i < (me + 1) * (TABLE / threads); i++)
			table[i] = i % 7;
#pragma omp barrier
		for (long i = me * (2 * lookups / threads); i < (me + 1) * (2 * lookups / threads); i++)
			sum += table[mix((unsigned long)i) % TABLE];     /* HERE: all by hand */
#pragma omp barrier
	}
	return sum;
}

/* Steps that prepare something, short ones, and then the same look-ups, four times as many in each of two regions. */
static double after_steps(void)
{
	double sum = 0;

	lookups *= 4;
	for (int step = 0; step < 12; step++)
#pragma omp parallel for
		for (int i = 0; i < ROWS; i++)
			for (int j = 0; j < ROWS; j++)
				matrix[i][j] += i ^ j;
	for (int again = 0; again < 2; again++)
		sum += look_up(0) + matrix[again][0];
	return sum;
}

static double unrolled(void)
{
	double sum = 0;

	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < ROWS; j++)
			matrix[i][j] = i ^ j;
	for (int step = 0; step < 6; step++)
#pragma omp parallel for reduction(+ : sum)
		for (int j = 0; j < ROWS; j++)
			for (int again = 0; again < 3; again++)
				for (int i = 0; i < ROWS; i++)
					sum += matrix[i][j];             /* HERE: column */
	return sum;
}

/* 4.2 million reads and 2.1 million writes of counts a step, of which the first touches its pages. */
static double scattered(void)
{
	int *counts = calloc(COUNTS, sizeof(*counts));
	double sum = 0;

	for (int step = 0; step < 16; step++)
#pragma omp parallel for
		for (long i = 0; i < COUNTS; i++) {
			unsigned long at = mix((unsigned long)i + step) % (COUNTS - 1);

			__atomic_store_n(&counts[at], counts[at] + counts[at + 1] + 1, __ATOMIC_RELAXED);  /* HERE: scatter */
		}
	for (int i = 0; i < COUNTS; i++)
		sum += counts[i] != 0;
	return sum > 1e5;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	printf("%.0f\n", !strcmp(what, "unrolled")    ? unrolled()
			: !strcmp(what, "scattered") ? scattered()
			: !strcmp(what, "after_steps") ? after_steps()
			: !strcmp(what, "tasks")       ? look_up_in_tasks(0)
			: !strcmp(what, "later_tasks") ? look_up_in_tasks(1)
			: !strcmp(what, "later_loops") ? one_after_the_other(0)
			: !strcmp(what, "by_hand")     ? one_after_the_other(1)
			: !strcmp(what, "all_by_hand") ? divided_by_hand()
						     : look_up(!strcmp(what, "serially")));
	return 6;
}
