/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays whose pages are placed in known ways on a machine with several nodes: touched first by one
 * thread, by those that use them, by threads of another node, interleaved by mbind(2), written by half
 * and read by three quarters, and one that is freed. Huge pages are off: 2 MiB would hold several.
 * Jobs check it with `memsearch numa`: there is no report of it.
 *
 *     placed STEPS NODES [bind]    NODES: a bit for each node that the interleaved array is on; bind:
 *                                  all others on node 0, as by numactl --membind=0
 */
#define _GNU_SOURCE
#include <linux/mempolicy.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef NR
#define NR (1 << 17) /* elements: 1 MiB, a multiple of 64 KiB pages for 8 threads */
#endif
#define ALIGNED __attribute__((aligned(65536)))

static double by_one[NR] ALIGNED, by_all[NR] ALIGNED, by_other[NR] ALIGNED, half[NR] ALIGNED;
static double spread[NR] ALIGNED;
static double *freed;

static void initialise(void)
{
#pragma omp parallel
	{
		int threads = omp_get_num_threads(), me = omp_get_thread_num();
		int other = (me + threads / 2) % threads, part = NR / threads;

		for (int i = me * part; i < (me + 1) * part; i++)
			by_all[i] = i % 7;
		for (int i = other * part; i < (other + 1) * part; i++)
			by_other[i] = i % 7;
	}
	for (int i = 0; i < NR; i++) {
		by_one[i] = spread[i] = freed[i] = i % 7;
		if (i < NR / 2)
			half[i] = i % 7;
	}
}

static void step(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < NR; i++) {
		by_one[i] = 0.5 * (by_one[i] + by_all[i]);
		by_all[i] = 0.5 * (by_one[i] + by_other[i]);
		by_other[i] = 0.5 * (by_all[i] + spread[i]);
		spread[i] = 0.5 * (spread[i] + freed[i]);
	}
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 20;
	unsigned long nodes = argc > 2 ? strtoul(argv[2], NULL, 0) : 3;
	unsigned long first = 1;
	double sum = 0;

	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	if (argc > 3 && syscall(SYS_set_mempolicy, MPOL_BIND, &first, 8 * sizeof(first) + 1))
		return 3;
	freed = mmap(NULL, sizeof(double) * NR, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (freed == MAP_FAILED)
		return 1;
	if (syscall(SYS_mbind, spread, sizeof(spread), MPOL_INTERLEAVE, &nodes, 8 * sizeof(nodes) + 1, 0))
		return 2;
	initialise();
	for (int i = 0; i < steps; i++)
		step();
	for (int i = 0; i < NR; i++)
		sum += by_one[i] + by_all[i] + by_other[i] + spread[i] + (i < NR / 4 * 3 ? half[i] : 0);
	munmap(freed, sizeof(double) * NR);
	printf("%g\n", sum);
	return 0;
}
