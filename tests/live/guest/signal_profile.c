/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: profiles itself with SIGPROF by CPU time, as gprof and others do: the timer and the signal are its own. */
#include <signal.h>
#include <sys/time.h>
#include "guest.h"

static volatile long ticks;

static void tick(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	ticks += info->si_code == SI_KERNEL;
}

int main(void)
{
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, left;
	struct sigaction action = { .sa_sigaction = tick, .sa_flags = SA_SIGINFO | SA_RESTART };

	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &every, NULL);
	for (int step = 0; step < GUEST_STEPS || !ticks; step++)
		if (step < GUEST_STEPS)
			guest_step();
	getitimer(ITIMER_PROF, &left);
	return guest_end(left.it_interval.tv_usec + (ticks > 0));
}
