/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time step is marked: four sweeps, where the detector would have taken each one for a step.
 *
 * EXPECT ImbalanceIn.*|SlowThreads at loop severity 0.2..0.45
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE control_tool
 * PRINTS checksum 6292556310166789844
 */
#include "memsearch/phase.h"
#include "workload.h"

#define ROWS 400

static uint64_t cells[ROWS];

static void calc(int sweeps)
{
	for (int sweep = 0; sweep < sweeps; sweep++) {
#pragma omp parallel for schedule(static)       /* HERE: loop */
		for (int i = 0; i < ROWS; i++)
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 40L * i);
	}
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 60), sweeps = argc > 2 ? 1 : 4;

	for (int step = 0; step < steps; step++) {
		memsearch_phase_begin(1);
		calc(sweeps);
		memsearch_phase_end(1);
	}
	workload_checksum(cells[1] + cells[ROWS - 1]);
	return 0;
}
