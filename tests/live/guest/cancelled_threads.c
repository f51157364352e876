/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: cancels threads, deferred and at any instruction, while they compute with the regions' functions; their cleanups run. */
#include <pthread.h>
#include <semaphore.h>
#include "guest.h"

static sem_t begun;
static long cleaned;
static volatile double sink;

static void cleanup(void *argument)
{
	__atomic_fetch_add(&cleaned, (long)argument, __ATOMIC_SEQ_CST);
}
static void *thread(void *asynchronous)
{
	pthread_cleanup_push(cleanup, (void *)3);
	if (asynchronous)
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	sem_post(&begun);
	for (;;) {
		sink = guest_value(sink);
		if (!asynchronous)
			pthread_testcancel();
	}
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	long sum = 0;

	sem_init(&begun, 0, 0);
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step % 5 == 0) {
			pthread_t one;
			void *result;

			pthread_create(&one, NULL, thread, step % 10 ? &begun : NULL);
			sem_wait(&begun);
			pthread_cancel(one);
			pthread_join(one, &result);
			sum += result == PTHREAD_CANCELED;
		}
	}
	return guest_end(sum * 1000 + cleaned);
}
