/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A known answer for first touches, by 2 threads: arrays and a heap block of 512 pages of 4 KiB each, touched before the OpenMP
 * runtime begins, by the initial thread alone, by all threads in halves, by nobody. With -DTWIN the serial one is touched
 * in parallel, too.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#define N (512 * 4096 / 8)
#define ALIGNED __attribute__((aligned(4096)))

static double early[N] ALIGNED, serial[N] ALIGNED, shared[N] ALIGNED, never[N] ALIGNED;
static double crooked[N - 100];
static double *heap;                         /* HERE: heap_variable */

static __attribute__((noinline)) void touch_early(double start)
{
	for (int i = 0; i < N; i++)
		early[i] = start + i;                    /* HERE: early */
}

static __attribute__((noinline)) void touch_serial(double start)
{
#ifdef TWIN
#pragma omp parallel for schedule(static)
#endif
	for (int i = 0; i < N; i++)
		serial[i] = start * i;                   /* HERE: serial */
}

static __attribute__((noinline)) void touch_shared(double start)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < N; i++)
		shared[i] = start - i;                   /* HERE: shared */
#pragma omp parallel for schedule(static)
	for (int i = 0; i < N - 100; i++)
		crooked[i] = start + 2 * i;
}

/* A block of 512 pages that one thread touches, and shorter ones in the same place that two touch; those go before the end. */
static __attribute__((noinline)) double touch_heap(double start)
{
	double sum = 0;

	heap = aligned_alloc(4096, sizeof(double) * N);  /* HERE: heap_block */
	for (int i = 0; heap && i < N; i++)
		heap[i] = start + 3 * i;                 /* HERE: heap_touch */
	for (volatile int round = 0; round < 3; round++) {
		double *short_lived = mmap(NULL, 64 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < 64 * 512; i++) {
			short_lived[i] = i;              /* HERE: short_lived */
			sum += short_lived[i];
		}
		munmap(short_lived, 64 * 4096);
	}
	return heap ? sum + heap[77] : sum;
}

static __attribute__((noinline)) double use(int wanted)
{
	double sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < N - 100; i++)
		sum += early[i] + serial[i] + shared[i] + crooked[i];
	return wanted > 100 ? sum + never[wanted] : sum;
}

int main(int argc, char **argv)
{
	double sum = 0;

	(void)argv;
	setvbuf(stdout, NULL, _IONBF, 0);                /* no heap block for it */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	touch_early(argc);
	if (omp_get_max_threads() != 2)
		return 1;
#pragma omp parallel
	{
	}
	touch_serial(argc);
	touch_shared(argc);
	sum = touch_heap(argc);
	for (int i = 0; i < 20; i++)
		sum += use(argc);
	if (argc > 100)
		never[argc] = sum;
	printf("%.6e\n", sum);
	return 0;
}
