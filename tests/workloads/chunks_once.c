/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ten million iterations of some ns each, handed out one by one, in one loop of the program.
 *
 * EXPECT ChunksTooSmallInLoop at loop severity 0.05..1
 * ALLOW ChunksTooSmall.*|ToolOverhead.*
 * PHASE whole_program
 * PRINTS checksum 93822844764160000
 */
#include "workload.h"

#define ITERATIONS 10000000

static uint64_t cells[1 << 16];

int main(int argc, char **argv)
{
	int iterations = workload_steps(argc, argv, ITERATIONS);
	uint64_t sum = 0;

#pragma omp parallel for schedule(dynamic, 1)    /* HERE: loop */
	for (int i = 0; i < iterations; i++) {
		if (i < 1 << 16)
			cells[i] = (uint64_t)i * (uint64_t)i;
	}
	for (int i = 0; i < 1 << 16; i++)
		sum += cells[i] * 1000;
	workload_checksum(sum);
	return 0;
}
