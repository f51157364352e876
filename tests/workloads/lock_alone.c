/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread alone holds a lock for half of the time: nobody waits for it, and nothing is said of more threads.
 *
 * NONE
 * LOCK writing at alone use 0.40..0.55 waiting_threads 0..0.01 handovers 0..0 threads 1..1 saturation_threads null
 * PHASE sequence
 * PRINTS checksum 1225566788032886153
 */
#include <omp.h>

#include "workload.h"

#define CELLS 200

static uint64_t cells[CELLS], total;
static omp_lock_t writing;

static uint64_t write_down(uint64_t value)
{
	uint64_t written;

	omp_set_lock(&writing);                      /* HERE: alone */
	written = workload_churn(value, 6000);
	omp_unset_lock(&writing);
	return written;
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 200);

	omp_init_lock(&writing);
	for (int step = 0; step < steps; step++) {
#pragma omp parallel for
		for (int i = 0; i < CELLS; i++) {
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 6000);
			cells[i] = omp_get_thread_num() ? workload_churn(cells[i], 6000) : write_down(cells[i]);
		}
	}
	for (int i = 0; i < CELLS; i++)
		total += cells[i];
	omp_destroy_lock(&writing);
	workload_checksum(total);
	return 0;
}
