/* SPDX-License-Identifier: Apache-2.0 */
/* An array of 128 KiB, which the L3 of small.machine holds from one marked step to the next: none of its misses is a first one. */
#include <stdio.h>
#include <stdlib.h>

#include "memsearch/phase.h"

#define NR (1 << 14)

static double kept[NR] __attribute__((aligned(4096)));

static void step(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < NR; i++)
		kept[i] = kept[i] * 0.5 + i;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1000;

	for (int i = 0; i < steps; i++) {
		memsearch_phase_begin(1);
		step();
		memsearch_phase_end(1);
	}
	printf("%g\n", kept[NR / 2]);
	return 0;
}
