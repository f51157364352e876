/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: counts interrupted system calls: only its own signals may interrupt them. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include "guest.h"

static void nothing(int number)
{
	(void)number;
}

int main(void)
{
	struct sigaction action = { .sa_handler = nothing };
	long interrupted = 0;
	int ends[2];

	sigaction(SIGUSR1, &action, NULL);
	if (pipe(ends))
		return 1;
	for (int step = 0; step < GUEST_STEPS; step++) {
		struct timespec short_time = { 0, 100000 };
		struct pollfd one = { .fd = ends[0], .events = POLLIN };

		guest_step();
		interrupted += nanosleep(&short_time, NULL) && errno == EINTR;
		interrupted += poll(&one, 1, 1) < 0;
		if (step % 50 == 0) {
			sigset_t none, own;

			sigemptyset(&none);
			sigemptyset(&own);
			sigaddset(&own, SIGUSR1);
			pthread_sigmask(SIG_BLOCK, &own, NULL);
			pthread_kill(pthread_self(), SIGUSR1);
			interrupted += ppoll(&one, 1, NULL, &none) < 0 && errno == EINTR;
			pthread_sigmask(SIG_UNBLOCK, &own, NULL);
		}
	}
	return guest_end(interrupted);
}
