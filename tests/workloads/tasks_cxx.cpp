/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Equal tasks in a taskloop, in C++.
 *
 * NONE
 * PHASE sequence
 * PRINTS checksum 7400183996215679978
 * SAMPLED
 */
#include "workload.h"

#include <vector>

static void step_once(std::vector<uint64_t> &cells)
{
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(4)
	for (size_t i = 0; i < cells.size(); i++)
		cells[i] = workload_churn(cells[i] + i, 15000);
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 250);
	std::vector<uint64_t> cells(256);
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++)
		step_once(cells);
	for (uint64_t cell : cells)
		sum += cell;
	workload_checksum(sum);
	return 0;
}
