/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explicit tasks of which it is known what they read and write: how many bytes of which array in one step. Each kind keeps to
 * arrays of its own; `mixed` is used by a loop and by the tasks that its threads execute at a barrier.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES 524288
#define PARTS 16
#define PART (VALUES / PARTS)
#define LEAVES 256

static double from[VALUES], to[VALUES], mixed[VALUES], looped[VALUES], halves[VALUES], waited[VALUES], pieces[VALUES], called[VALUES];
static int64_t leaves[LEAVES][PART / 16];

__attribute__((noinline)) static void axpy(int part)
{
	for (int i = part * PART; i < (part + 1) * PART; i++)
		to[i] += from[i];
}

/* Reads `from` once, reads and writes `to` once. */
static void simple(void)
{
#pragma omp parallel
#pragma omp single
	for (int part = 0; part < PARTS; part++)
#pragma omp task
		axpy(part);
}

/* Half of them are made by each thread, and executed by any at the barrier. The loop reads and writes `mixed` once, so do the tasks. */
static void at_barrier(void)
{
#pragma omp parallel
	{
#pragma omp for schedule(static) nowait
		for (int i = 0; i < VALUES; i++)
			mixed[i] += 1;
#pragma omp for schedule(static)
		for (int part = 0; part < PARTS; part++)
#pragma omp task firstprivate(part)
			for (int i = part * PART; i < (part + 1) * PART; i++)
				mixed[i] *= 0.5;
#pragma omp for schedule(static)
		for (int i = 0; i < VALUES; i++)
			halves[i] += mixed[i];
	}
}

static void loop(void)
{
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1024)
	for (int i = 0; i < VALUES; i++)
		looped[i] = looped[i] * 0.5 + 1;
}

/* Tasks wait for tasks, and go on reading and writing; a leaf adds 1 to all of its row. */
__attribute__((noinline)) static int64_t descend(int low, int high)
{
	int64_t left = 0, right = 0;
	int middle = (low + high) / 2;

	if (high - low == 1) {
		for (int i = 0; i < PART / 16; i++)
			left += ++leaves[low][i];
		return left;
	}
#pragma omp task shared(left)
	left = descend(low, middle);
#pragma omp task shared(right)
	right = descend(middle, high);
#pragma omp taskwait
	for (int i = low * (VALUES / LEAVES); i < (low + 1) * (VALUES / LEAVES) && high - low == 2; i++)
		waited[i] += 1;
	return left + right;
}

/* Not known to the compiler, which must not make another copy of the constructs for the first call. */
static int64_t (*volatile first)(int low, int high) = descend;

static int64_t recursive(void)
{
	int64_t sum = 0;

#pragma omp parallel
#pragma omp single
	sum = first(0, LEAVES);
	return sum;
}

/* Parts of untied tasks run on any thread. */
static void untied(void)
{
#pragma omp parallel
#pragma omp single
	for (int part = 0; part < PARTS; part++)
#pragma omp task untied
	{
		for (int i = part * PART; i < part * PART + PART / 2; i++)
			pieces[i] += 1;
#pragma omp taskyield
		for (int i = part * PART + PART / 2; i < (part + 1) * PART; i++)
			pieces[i] += 2;
	}
}

/* Undeferred, as only every other is made a task: both by who meets them. */
static void undeferred(void)
{
#pragma omp parallel
#pragma omp single
	for (int part = 0; part < PARTS; part++) {
#pragma omp task if(part % 2)
		for (int i = part * PART; i < (part + 1) * PART; i++)
			called[i] += part;
	}
}

int main(int argc, char **argv)
{
	int steps = argc > 2 ? atoi(argv[2]) : 1500;
	double sum = 0;
	int64_t count = 0;

	for (int i = 0; i < VALUES; i++)
		from[i] = i % 7, mixed[i] = i % 5;
	for (int step = 0; argc > 1 && step < steps; step++) {
		if (!strcmp(argv[1], "simple"))
			simple();
		else if (!strcmp(argv[1], "barrier"))
			at_barrier();
		else if (!strcmp(argv[1], "taskloop"))
			loop();
		else if (!strcmp(argv[1], "recursive"))
			count += recursive();
		else if (!strcmp(argv[1], "untied"))
			untied();
		else if (!strcmp(argv[1], "undeferred"))
			undeferred();
	}
	for (int i = 0; i < VALUES; i++)
		sum += to[i] + mixed[i] + halves[i] + looped[i] + waited[i] + pieces[i] + called[i];
	printf("%.17g %lld\n", sum, (long long)count);
	return 3;
}
