/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: teams in teams in teams, of changing sizes, with what threads keep between regions. */
/* Shell: export OMP_MAX_ACTIVE_LEVELS=3 OMP_DYNAMIC=false */
#include <omp.h>
#include "guest.h"

static long kept;
#pragma omp threadprivate(kept)

int main(void)
{
	long sum = 0;

	kept = 5;
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel num_threads(2) reduction(+ : sum) copyin(kept)
		{
			kept += omp_get_thread_num();
#pragma omp parallel num_threads(1 + step % 3) reduction(+ : sum)
			{
				sum += omp_get_level() * 10 + omp_get_team_size(1);
#pragma omp parallel for num_threads(2) reduction(+ : sum)
				for (int i = 0; i < 20; i++)
					sum += i * omp_get_active_level();
			}
			sum += kept;
		}
		kept = 5;
	}
	return guest_end(sum);
}
