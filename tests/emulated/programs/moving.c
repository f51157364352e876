/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two arrays that a step uses: the threads move their parts of `moving` to one node or another one in each step, as automatic NUMA
 * balancing may, and leave `staying` where it is. argv[1]: steps.
 */
#define _GNU_SOURCE
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NR (1 << 17) /* elements: 1 MiB */
#define ALIGNED __attribute__((aligned(65536)))
#define PARTS 16

static double moving[NR] ALIGNED, staying[NR] ALIGNED;

/* Whether a call succeeds is the kernel's affair: memsearch asks where pages are. */
static void move(char *first, size_t bytes, int node)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t at = 0; at < bytes; at += page) {
		void *address = first + at;
		int status;

		syscall(SYS_move_pages, 0, 1ul, &address, &node, &status, MPOL_MF_MOVE);
	}
}

/* The node follows no power of two, which memsearch's queries do. */
static int node_in(unsigned int step)
{
	return __builtin_popcount(step * 2654435761u) & 1;
}

static double step(unsigned int number)
{
	double sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)
	for (int part = 0; part < PARTS; part++) {
		move((char *)moving + sizeof(moving) / PARTS * (size_t)part, sizeof(moving) / PARTS, node_in(number));
		for (int i = part * (NR / PARTS); i < (part + 1) * (NR / PARTS); i++) {
			moving[i] += 0.5 * staying[i];
			staying[i] += 1;
			sum += moving[i];
		}
	}
	return sum;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 100;
	double sum = 0;

	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	for (int i = 0; i < NR; i++)
		moving[i] = staying[i] = i % 7;
	for (int i = 0; i < steps; i++)
		sum += step((unsigned int)i);
	printf("%g\n", sum);
	return 0;
}
