/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: handlers of a timer check that they run on their thread's stack, as a garbage collector's must, and with the right mask. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>

#define N 200000
#define STEPS 1500

static double a[N], b[N];
static _Thread_local uintptr_t low, bytes;
static volatile int handled, elsewhere;

static void handle(int number)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	(void)number;
	handled = handled + 1;
	if (bytes && here - low >= bytes)
		elsewhere = 1;
}

static void note_stack(void)
{
	pthread_attr_t attributes;
	void *start;
	size_t size;

	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &start, &size);
	pthread_attr_destroy(&attributes);
	low = (uintptr_t)start;
	bytes = size;
}

static int is_blocked(void)
{
	sigset_t mask;
	int blocked = 0;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	for (int number = 1; number < 65; number++)
		blocked |= sigismember(&mask, number) == 1;
	return blocked;
}

int main(void)
{
	struct itimerval every_ms = { { 0, 1000 }, { 0, 1000 } };
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
	int blocked = 0;
	double sum = 0;

#pragma omp parallel
	note_stack();
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every_ms, NULL);
	for (int s = 0; s < STEPS; s++) {
#pragma omp parallel for reduction(| : blocked)
		for (int i = 1; i < N - 1; i++) {
			a[i] = b[i - 1] + b[i + 1];
			if (i % 10000 == 0)
				blocked |= is_blocked();
		}
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			b[i] = a[i] * 0.5 + 1;
		blocked |= is_blocked();
	}
	for (int i = 0; i < N; i++)
		sum += a[i];
	printf("%.10e handled %d elsewhere %d blocked %d\n", sum, handled > 10, elsewhere, blocked);
	return 0;
}
