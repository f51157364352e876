/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a program's first call of OpenMP can be: ./first_calls constructor LIBRARY | malloc | signal | helper. The tool starts with it, while the dynamic linker's lock is
 * held, while it allocates, in a handler, on a thread that is not the initial one. -DLIBRARY: a library whose constructor asks.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#ifdef LIBRARY

__attribute__((constructor)) static void ask(void)
{
	usleep(100000);          /* the other thread is about to start the tool, and needs the lock */
	if (omp_get_max_threads() < 1)
		abort();
}

#else

enum { NR = 20000 };
static double values[NR];
static volatile int asked, in_malloc;

extern void *__libc_malloc(size_t bytes);
void *malloc(size_t bytes)
{
	if (in_malloc)
		asked += omp_get_max_threads();
	return __libc_malloc(bytes);
}

static void *open_library(void *path)
{
	return dlopen(path, RTLD_NOW) ? NULL : (void *)1;
}

static void on_alarm(int number)
{
	(void)number;
	asked += omp_get_num_procs();
}

static void *help(void *nothing)
{
	asked += omp_get_max_threads() + omp_get_num_procs();
	return nothing;
}

static double compute(void)
{
	double sum = 0;

	for (int step = 0; step < 2500; step++) {
#pragma omp parallel for schedule(dynamic, 100) reduction(+ : sum)
		for (int i = 0; i < NR; i++)
			sum += values[i] = values[i] * 0.5 + i;
	}
	return sum;
}

int main(int argc, char **argv)
{
	const struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
	const char *mode = argc > 1 ? argv[1] : "";
	pthread_t thread;
	void *failed = NULL;
	double sum;

	in_malloc = !strcmp(mode, "malloc");
	if (!strcmp(mode, "signal")) {
		signal(SIGALRM, on_alarm);
		setitimer(ITIMER_REAL, &often, NULL);
	}
	if (!strcmp(mode, "constructor") && !pthread_create(&thread, NULL, open_library, argv[2]))
		usleep(50000);
	if (!strcmp(mode, "helper") && (pthread_create(&thread, NULL, help, NULL) || pthread_join(thread, NULL)))
		return 1;
	sum = compute();
	setitimer(ITIMER_REAL, &never, NULL);
	if (!strcmp(mode, "constructor"))
		pthread_join(thread, &failed);
	printf("%.6e\n", sum);
	return failed != NULL;
}

#endif
