/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: samples where its threads are, by SIGPROF and the interrupted address, and looks each up in the loaded files. */
/* Says: signal handler of the program uses the address */
/* Does: refused */
/* Flags: -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>
#include "guest.h"

#define SAMPLES 4096

static void *samples[SAMPLES];
static int nr;

static void sample(int number, siginfo_t *info, void *context)
{
	const ucontext_t *at = context;
	int i = __atomic_fetch_add(&nr, 1, __ATOMIC_RELAXED);

	(void)number, (void)info;
	if (i < SAMPLES)
		samples[i] = (void *)at->uc_mcontext.gregs[REG_RIP];
}

int main(void)
{
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_sigaction = sample, .sa_flags = SA_SIGINFO | SA_RESTART };
	long nowhere = 0;
	Dl_info found;

	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &every, NULL);
	for (int step = 0; step < GUEST_STEPS || !nr; step++)
		if (step < GUEST_STEPS)
			guest_step();
	setitimer(ITIMER_PROF, &never, NULL);
	for (int i = 0; i < nr && i < SAMPLES; i++)
		nowhere += !dladdr(samples[i], &found);
	return guest_end(nowhere);
}
