/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three different regions, once each: the whole program is one phase, and its triangular loop is still found.
 *
 * EXPECT ImbalanceIn.*|SlowThreads at triangle severity 0.1..0.4
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE whole_program
 * PRINTS checksum 5007907550234411377
 */
#include "workload.h"

#define CELLS 4000

static uint64_t cells[CELLS];

int main(int argc, char **argv)
{
	long rounds = workload_steps(argc, argv, 40000);
	uint64_t sum = 0;

#pragma omp parallel for
	for (int i = 0; i < CELLS; i++)
		cells[i] = workload_churn((uint64_t)i, rounds);
#pragma omp parallel for schedule(static)       /* HERE: triangle */
	for (int i = 0; i < CELLS; i++)
		cells[i] = workload_churn(cells[i], rounds * 4 * i / CELLS);
#pragma omp parallel for
	for (int i = 0; i < CELLS; i++)
		cells[i] = workload_churn(cells[i], rounds);
	for (int i = 0; i < CELLS; i++)
		sum += cells[i];
	workload_checksum(sum);
	return 0;
}
