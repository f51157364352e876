/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: reads blocked signals from a signalfd, and others by sigwaitinfo: none is lost and none comes that it did not send. */
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "guest.h"

int main(void)
{
	sigset_t usual, waited;
	struct signalfd_siginfo info;
	siginfo_t wait;
	long sum = 0;
	int descriptor;

	sigfillset(&usual);
	pthread_sigmask(SIG_BLOCK, &usual, NULL);
	sigdelset(&usual, SIGUSR2);
	sigemptyset(&waited);
	sigaddset(&waited, SIGUSR2);
	descriptor = signalfd(-1, &usual, SFD_NONBLOCK);
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		kill(getpid(), SIGUSR1);
		sigqueue(getpid(), SIGUSR2, (union sigval){ .sival_int = step });
		while (read(descriptor, &info, sizeof info) == sizeof info)
			sum += info.ssi_signo;
		sum += sigwaitinfo(&waited, &wait) + wait.si_value.sival_int;
	}
	return guest_end(sum);
}
