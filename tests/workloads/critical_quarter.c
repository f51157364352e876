/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A quarter of each thread's work is done in a critical construct, at two places: two threads hardly wait, four keep it busy all the time.
 *
 * ALLOW LockWaiting|CriticalContention
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * LOCK update at large,small use 0.42..0.52 saturation_threads 3.6..4.4 threads 2..2 places 2..2
 * PHASE sequence
 * PRINTS checksum 5759595169731030396
 */
#include "workload.h"

#define CELLS 200

static uint64_t cells[CELLS], total;

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 200);

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for
		for (int i = 0; i < CELLS; i++) {
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 9000);
#pragma omp critical(update)                 /* HERE: large */
			total += workload_churn(cells[i], 2000);
#pragma omp critical(update)                 /* HERE: small */
			total += workload_churn(cells[i], 1000);
		}
	}
	workload_checksum(total);
	return 0;
}
