/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutexes of the thread library in parallel regions. Each of 100 steps is one region, in which each thread locks `plain` 50 times,
 * `nested` 50 times twice, `tried` 50 times by trials, and a thread of two waits for `ready` while it has `queue`. Prints all results,
 * and errno, of calls that succeed and fail.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 100, ROUNDS = 50, WAIT_NS = 500000 };

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, tried = PTHREAD_MUTEX_INITIALIZER, queue = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t nested = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER, other_nested = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, abandoned;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static volatile unsigned long work[2], times[4];
static int is_ready;

static void compute(int thread, int rounds)
{
	for (int i = 0; i < rounds; i++)
		work[thread & 1] = work[thread & 1] * 25214903917u + 11;
}

static void round_of(int thread)
{
	compute(thread, 20000);
	pthread_mutex_lock(&plain);         /* HERE: plain */
	times[0]++;
	pthread_mutex_unlock(&plain);
	pthread_mutex_lock(&nested);        /* HERE: nested */
	pthread_mutex_lock(&nested);
	times[1]++;
	pthread_mutex_unlock(&nested);
	pthread_mutex_unlock(&nested);
	while (pthread_mutex_trylock(&tried)) /* HERE: tried */
		;
	times[2]++;
	pthread_mutex_unlock(&tried);
}

/* One thread signals while it has the mutex, the other one waits for that. */
static void meet(int thread)
{
	pthread_mutex_lock(&queue);         /* HERE: queue */
	if (thread == 0) {
		is_ready++;
		pthread_cond_broadcast(&ready);
	}
	while (thread && !is_ready)
		pthread_cond_wait(&ready, &queue);
	pthread_mutex_unlock(&queue);
}

static struct timespec soon(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_nsec += WAIT_NS;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

static void *lock_and_end(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&abandoned);
	return NULL;
}

static void *wait_for_ever(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&queue);
	pthread_cleanup_push((void (*)(void *))pthread_mutex_unlock, &queue);
	for (;;)
		pthread_cond_wait(&ready, &queue);
	pthread_cleanup_pop(0);
	return NULL;
}

#define SAY(call) \
	do { \
		int status; \
\
		errno = 77; \
		status = call; \
		printf(#call ": %d, errno %d\n", status, errno); \
	} while (0)

static void say_results(void)
{
	struct timespec real = soon(CLOCK_REALTIME), monotonic = soon(CLOCK_MONOTONIC);

	SAY(pthread_mutex_lock(&checked));
	SAY(pthread_mutex_lock(&checked));
	SAY(pthread_mutex_trylock(&checked));
	SAY(pthread_mutex_unlock(&checked));
	SAY(pthread_mutex_unlock(&checked));
	SAY(pthread_mutex_lock(&other_nested));
	SAY(pthread_mutex_trylock(&other_nested));
	SAY(pthread_mutex_unlock(&other_nested));
	SAY(pthread_mutex_unlock(&other_nested));
	SAY(pthread_mutex_unlock(&other_nested));
	SAY(pthread_mutex_lock(&other));
	SAY(pthread_mutex_trylock(&other));
	SAY(pthread_mutex_timedlock(&other, &real));
	SAY(pthread_mutex_clocklock(&other, CLOCK_MONOTONIC, &monotonic));
	SAY(pthread_cond_timedwait(&ready, &other, &real));
	SAY(pthread_cond_clockwait(&ready, &other, CLOCK_MONOTONIC, &monotonic));
	SAY(pthread_mutex_unlock(&other));
	SAY(pthread_mutex_lock(&abandoned));
	SAY(pthread_mutex_consistent(&abandoned));
	SAY(pthread_mutex_unlock(&abandoned));
}

static void abandon(void)
{
	pthread_mutexattr_t robust;
	pthread_t thread;

	pthread_mutexattr_init(&robust);
	pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&abandoned, &robust);
	pthread_create(&thread, NULL, lock_and_end, NULL);
	pthread_join(thread, NULL);
}

static void cancel(void)
{
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, wait_for_ever, NULL);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	printf("cancelled: %d\n", result == PTHREAD_CANCELED);
	SAY(pthread_mutex_lock(&queue));
	SAY(pthread_mutex_unlock(&queue));
}

static void fork_with_lock(void)
{
	int status;

	pthread_mutex_lock(&other);
	fflush(stdout);
	if (!fork()) {
		SAY(pthread_mutex_trylock(&other));
		SAY(pthread_mutex_unlock(&other));
		SAY(pthread_mutex_lock(&other));
		fflush(stdout);
		_exit(0);
	}
	wait(&status);
	pthread_mutex_unlock(&other);
	printf("child: %d\n", status);
}

int main(void)
{
	for (int step = 0; step < STEPS; step++) {
		is_ready = 0;
#pragma omp parallel num_threads(2)
		{
			int thread = 0;

#pragma omp for schedule(static, 1)
			for (int i = 0; i < 2; i++)
				thread = i;
			for (int i = 0; i < ROUNDS; i++)
				round_of(thread);
			meet(thread);
		}
	}
	abandon();
#pragma omp parallel num_threads(2)
#pragma omp single
	say_results();
	cancel();
	fork_with_lock();
	printf("%lu %lu %lu\n", times[0], times[1], times[2]);
	return 0;
}
