/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: changes the number of threads, the schedule and the runtime's other settings from step to step, and reads them. */
#include <omp.h>
#include "guest.h"

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		omp_sched_t kind;
		int chunk;

		omp_set_num_threads(1 + step / 50 % 4);
		omp_set_dynamic(step % 100 == 99);
		omp_set_dynamic(0);
		omp_set_schedule(step % 2 ? omp_sched_dynamic : omp_sched_guided, 1 + step % 9);
		omp_get_schedule(&kind, &chunk);
		guest_step();
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
		for (int i = 0; i < 500; i++)
			sum += i % (step + 1);
#pragma omp parallel reduction(+ : sum)
		sum += omp_get_num_threads();
		sum += (kind & 7) * chunk + omp_get_max_threads() + omp_get_max_active_levels() * 0 + omp_get_dynamic();
	}
	return guest_end(sum);
}
