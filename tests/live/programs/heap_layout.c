/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Says where its blocks of memory lie after many steps whose accesses are worth recording: what glibc knows of the heap, which sizes
 * are mapped, and where small blocks are. All this must not depend on what a tool reads meanwhile.
 */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NR (1 << 21)

static double from[NR], to[NR];

static void step(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < NR; i++)
		to[i] = 0.5 * (from[i] + to[i]);
}

static void say_blocks(const char *heap)
{
	static const size_t sizes[] = { 24, 100, 500, 1000, 3000, 10000, 40000, 120000, 140000, 200000, 400000, 2 << 20, 4 << 20, 30 << 20 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t mapped = mallinfo2().hblks;
		char *block = malloc(sizes[i]);

		*(volatile char *)block = 1;
		if (mallinfo2().hblks > mapped)
			printf("%zu mapped\n", sizes[i]);
		else
			printf("%zu at %td\n", sizes[i], block - heap);
	}
}

static void say_heap(const char *heap)
{
	struct mallinfo2 info = mallinfo2();

	printf("end %td; %zu bytes, %zu mapped, %zu used, %zu and %zu free in %zu blocks and %zu\n", (char *)sbrk(0) - heap, info.arena,
	       info.hblkhd, info.uordblks, info.fordblks, info.fsmblks, info.ordblks, info.smblks);
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 600;
	char *heap = malloc(16);
	double sum = 0;

	for (int i = 0; i < NR; i++)
		from[i] = i % 7;
	for (int i = 0; i < steps; i++)
		step();
	say_heap(heap);
	say_blocks(heap);
	say_heap(heap);
	for (int i = 0; i < NR; i++)
		sum += to[i];
	printf("%g\n", sum);
	free(heap);
	return 0;
}
