/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of 16 parallel regions. In the second of three parts of the run all regions take page faults
 * alike, and all threads, so that none of them stands out: only the part does. The third part has a
 * region of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <memsearch/phase.h>
#include <omp.h>

#define REGIONS 16
#define THREADS 2
#define PAGES 160
#define PAGE 4096

static char *pages[REGIONS][THREADS];
static double sums[THREADS * 16];

static void work(int region, int faults)
{
	int thread = omp_get_thread_num();
	char *mine = pages[region][thread];
	double sum = 0;

	if (faults)
		madvise(mine, PAGES * PAGE, MADV_DONTNEED);
	for (int page = 0; page < PAGES; page++)
		mine[page * PAGE] = 1;
	for (int i = 0; i < 15000; i++)
		sum += 1 / (1.0 + i + region);
	sums[16 * thread] += sum;
}

#define STEP_REGION(region) \
	_Pragma("omp parallel num_threads(THREADS)") \
	work(region, faults);

static void step(int faults)
{
	/* clang-format off */
	STEP_REGION(0) STEP_REGION(1) STEP_REGION(2) STEP_REGION(3)
	STEP_REGION(4) STEP_REGION(5) STEP_REGION(6) STEP_REGION(7)
	STEP_REGION(8) STEP_REGION(9) STEP_REGION(10) STEP_REGION(11)
	STEP_REGION(12) STEP_REGION(13) STEP_REGION(14) STEP_REGION(15)
	/* clang-format on */
}

static void __attribute__((noinline)) late(void)
{
#pragma omp parallel num_threads(THREADS)
	work(0, 0);
	sums[1]++; /* so that the region is no tail call, which returns into main */
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 600;

	for (int region = 0; region < REGIONS; region++)
		for (int thread = 0; thread < THREADS; thread++)
			pages[region][thread] = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
						     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
						     -1, 0);
	for (int number = 0; number < steps; number++) {
		if (number == steps / 3)
			memsearch_interval_begin(3);
		if (number == 2 * steps / 3)
			memsearch_interval_end(3);
		memsearch_phase_begin(1);
		step(number >= steps / 3 && number < 2 * steps / 3);
		if (number >= 2 * steps / 3)
			late();
		memsearch_phase_end(1);
	}
	printf("%.6f\n", sums[0]);
	return 0;
}
