/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: timers that begin threads (SIGEV_THREAD), which run regions of their own. */
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include "guest.h"

static sem_t done;
static long sum;

static void fired(union sigval value)
{
	long part = 0;

#pragma omp parallel for reduction(+ : part)
	for (int i = 0; i < 1000; i++)
		part += i % value.sival_int;
	sum += part;
	sem_post(&done);
}

int main(void)
{
	sem_init(&done, 0, 0);
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step % 10 == 0) {
			struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = fired, .sigev_value.sival_int = step + 3 };
			struct itimerspec once = { .it_value = { 0, 1000 } };
			timer_t timer;

			timer_create(CLOCK_MONOTONIC, &event, &timer);
			timer_settime(timer, 0, &once, NULL);
			sem_wait(&done);
			timer_delete(timer);
		}
	}
	return guest_end(sum);
}
