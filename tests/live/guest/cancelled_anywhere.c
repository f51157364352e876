/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: threads with teams of their own are cancelled at any instruction, while they compute. */
/* Flags: -pthread */
#define _GNU_SOURCE
#include "guest.h"

#include <pthread.h>
#include <unistd.h>

#ifndef CANCEL_TYPE
#define CANCEL_TYPE PTHREAD_CANCEL_ASYNCHRONOUS
#endif

static long cleaned;
static double data[4096];
static volatile int rounds;

static void clean(void *ctx)
{
	(void)ctx;
	__atomic_fetch_add(&cleaned, 1, __ATOMIC_RELAXED);
}

static void *work(void *ctx)
{
	int before;

	pthread_setcanceltype(CANCEL_TYPE, &before);
	pthread_cleanup_push(clean, ctx);
	for (;;) {
		for (int i = 0; i < 4096; i++)
			data[i] = data[i] * 0.5 + i;
		__atomic_fetch_add(&rounds, 1, __ATOMIC_RELAXED);
		pthread_testcancel();
	}
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step % 10 == 0) {
			pthread_t thread;
			int before = rounds;

			pthread_create(&thread, NULL, work, NULL);
			while (rounds == before)
				usleep(100);
			pthread_cancel(thread);
			pthread_join(thread, NULL);
		}
	}
	return guest_end(cleaned);
}
