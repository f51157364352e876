/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: the rest of OpenMP: critical, atomic, ordered, doacross, sections, single with copyprivate, locks, cancellation. */
/* Shell: export OMP_CANCELLATION=true */
#include <omp.h>
#include "guest.h"

static long steps_of(int step, omp_lock_t *lock)
{
	static long values[200];
	long sum = 0, last = 0, ordered = 0, critical = 0, atomic = 0, locked = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
	{
		long got;
#pragma omp single copyprivate(got)
		got = step;
#pragma omp for ordered schedule(static, 3) lastprivate(last)
		for (int i = 0; i < 60; i++) {
			last = i * got;
#pragma omp ordered
			ordered = (ordered * 3 + i) % 100003;
		}
#pragma omp for ordered(1)
		for (int i = 1; i < 200; i++) {
#pragma omp ordered depend(sink : i - 1)
			values[i] = values[i - 1] * 5 % 997 + i;
#pragma omp ordered depend(source)
		}
#pragma omp sections
		{
			sum += 1;
#pragma omp section
			sum += 2;
#pragma omp section
			sum += 3;
		}
		for (int i = 0; i < 20; i++) {
#pragma omp critical
			critical += i;
#pragma omp atomic
			atomic += 2;
			omp_set_lock(lock);
			locked++;
			omp_unset_lock(lock);
		}
#pragma omp for
		for (int i = 0; i < 100; i++) {
#pragma omp cancel for if (i < 0)
			sum += i;
		}
	}
	return sum + last + ordered + critical + atomic + locked;
}

int main(void)
{
	omp_lock_t lock;
	long sum = 0;

	omp_init_lock(&lock);
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		sum += steps_of(step, &lock);
	}
	omp_destroy_lock(&lock);
	return guest_end(sum);
}
