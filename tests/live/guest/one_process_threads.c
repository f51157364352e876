/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: hundreds of threads, one after the other, each with a region and thread-local memory of its own. */
#include <pthread.h>
#include "guest.h"

static _Thread_local long mine[100];
static long sum;

static void *thread(void *argument)
{
	long part = 0;

#pragma omp parallel for reduction(+ : part) num_threads(2)
	for (int i = 0; i < 100; i++) {
		mine[i] += i + (long)argument;
		part += mine[i];
	}
	__atomic_fetch_add(&sum, part, __ATOMIC_SEQ_CST);
	return NULL;
}

int main(void)
{
	for (long step = 0; step < GUEST_STEPS; step++) {
		pthread_t one;

		guest_step();
		pthread_create(&one, NULL, thread, (void *)(step % 3));
		pthread_join(one, NULL);
	}
	return guest_end(sum > 0);
}
