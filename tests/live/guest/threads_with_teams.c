/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: threads of its own, each with teams of its own, that come and go while others work. */
#include <pthread.h>
#include "guest.h"

static void *thread(void *argument)
{
	long sum = 0;

	for (int round = 0; round < 20; round++) {
#pragma omp parallel for reduction(+ : sum) num_threads(2 + round % 3)
		for (int i = 0; i < 2000; i++)
			sum += i % (7 + (long)argument);
	}
	return (void *)sum;
}

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step % 20 == 0) {
			pthread_t threads[4];
			void *result;

			for (long i = 0; i < 4; i++)
				pthread_create(&threads[i], NULL, thread, (void *)i);
			for (int i = 0; i < 4; i++) {
				pthread_join(threads[i], &result);
				sum += (long)result;
			}
		}
	}
	return guest_end(sum);
}
