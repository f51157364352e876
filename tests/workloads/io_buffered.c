/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each step writes to a file through a large buffer: the program nearly never waits.
 *
 * NONE
 * PHASE sequence
 * PRINTS checksum 10147160728845270193
 * SAMPLED
 */
#include "workload.h"

#define CELLS 512

static uint64_t cells[CELLS];

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 250);
	FILE *file = tmpfile();
	uint64_t sum = 0;

	if (!file)
		return 1;
	for (int step = 0; step < steps; step++) {
#pragma omp parallel for
		for (int i = 0; i < CELLS; i++)
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 9000);
		fprintf(file, "%d %llu\n", step, (unsigned long long)cells[step % CELLS]);
	}
	fclose(file);
	for (int i = 0; i < CELLS; i++)
		sum += cells[i];
	workload_checksum(sum);
	return 0;
}
