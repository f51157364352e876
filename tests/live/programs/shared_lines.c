/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops of which it is known whether threads share cache lines, and how: KIND is what to run. The sum printed is the same for every compiler.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#define STEPS 120
#define SLOW_STEPS 80            /* of those whose lines go back and forth */
#define FAST_STEPS 300          /* of the same where they do not */
#define VALUES 1048576
#define COUNTS 500000
#define THREADS_MOST 64
#define LINE 64

static _Alignas(LINE) volatile long packed[THREADS_MOST];
static _Alignas(LINE) volatile int narrow[THREADS_MOST];
static struct { _Alignas(LINE) volatile long value; } padded[THREADS_MOST];
static _Alignas(LINE) double cyclic[VALUES], blocks[VALUES], old[VALUES], new[VALUES], table[1024];
static _Alignas(LINE) volatile long common[8];

__attribute__((noinline)) static void count_packed(void)
{
#pragma omp parallel
	for (int i = 0; i < COUNTS; i++)
		packed[omp_get_thread_num()]++;                  /* HERE: packed */
}

__attribute__((noinline)) static void count_narrow(void)
{
#pragma omp parallel
	for (int i = 0; i < COUNTS; i++)
		narrow[omp_get_thread_num()]++;                  /* HERE: narrow */
}

__attribute__((noinline)) static void count_padded(void)
{
#pragma omp parallel
	for (int i = 0; i < COUNTS; i++)
		padded[omp_get_thread_num()].value++;            /* HERE: padded */
}

__attribute__((noinline)) static void walk_cyclic(void)
{
#pragma omp parallel for schedule(static, 1)
	for (int i = 0; i < VALUES; i++)
		cyclic[i] += 1;                                  /* HERE: cyclic */
}

__attribute__((noinline)) static void walk_blocks(void)
{
#pragma omp parallel for schedule(static, 64)
	for (int i = 0; i < VALUES; i++)
		blocks[i] += 1;                                  /* HERE: blocks */
}

/* Each thread's part is contiguous but for the borders, and all read one table. */
__attribute__((noinline)) static void stencil(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 1; i < VALUES - 1; i++)
		new[i] = old[i - 1] + old[i + 1] + table[i % 1024];      /* HERE: stencil */
}

/* The program means it: all write the same word, one after the other. */
__attribute__((noinline)) static void add_up(void)
{
#pragma omp parallel
	for (int i = 0; i < VALUES / 16; i++) {
#pragma omp atomic
		common[0]++;                                     /* HERE: common */
	}
}

static const struct {
	const char *kind;
	void (*step)(void);
	int steps;
} kinds[] = {
	{ "packed", count_packed, SLOW_STEPS }, { "narrow", count_narrow, SLOW_STEPS }, { "padded", count_padded, FAST_STEPS },
	{ "cyclic", walk_cyclic, STEPS }, { "blocks", walk_blocks, STEPS }, { "stencil", stencil, STEPS }, { "common", add_up, STEPS },
};

int main(int argc, char **argv)
{
	double sum = 0;

	for (int i = 0; i < VALUES; i++)
		table[i % 1024] = old[i] = i % 1000;
	for (size_t i = 0; argc == 2 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (int step = 0; step < kinds[i].steps && !strcmp(argv[1], kinds[i].kind); step++)
			kinds[i].step();
	for (int i = 0; i < THREADS_MOST; i++)
		sum += (double)(packed[i] + narrow[i] + padded[i].value);
	for (int i = 0; i < VALUES; i++)
		sum += cyclic[i] + blocks[i] + new[i];
	printf("%.6g\n", sum + (double)common[0]);
	return 0;
}
