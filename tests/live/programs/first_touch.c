/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A known answer for first touches, by 2 threads: arrays of 512 pages of 4 KiB each, touched before the OpenMP runtime begins, by the
 * initial thread alone, by all threads in halves, by nobody. With -DTWIN the serial one is touched in parallel, too.
 */
#include <omp.h>
#include <stdio.h>
#include <sys/prctl.h>

#define N (512 * 4096 / 8)
#define ALIGNED __attribute__((aligned(4096)))

static double early[N] ALIGNED, serial[N] ALIGNED, shared[N] ALIGNED, never[N] ALIGNED;
static double crooked[N - 100];

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
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	touch_early(argc);
	if (omp_get_max_threads() != 2)
		return 1;
#pragma omp parallel
	{
	}
	touch_serial(argc);
	touch_shared(argc);
	for (int i = 0; i < 20; i++)
		sum += use(argc);
	if (argc > 100)
		never[argc] = sum;
	printf("%.6e\n", sum);
	return 0;
}
