/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A serial function between parallel regions is led to its twin and back, a thousand times, while the workers wait in the
 * runtime: asleep, or (argument "active") spinning and known to wait. Says what was refused, and prints the sum.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ompt_tool/clones/switching.h"

#define STEPS 2000
#define THREADS_MAX 64

static long sum, twin_calls;
static int workers[THREADS_MAX];

__attribute__((noinline)) static void step(int n)
{
	for (int i = 0; i < 10; i++)
		sum += (n * 31 + i) % 17;
}

__attribute__((noinline)) static void step_twin(int n)
{
	twin_calls++;
	for (int i = 0; i < 10; i++)
		sum += (n * 31 + i) % 17;
}

static void (*volatile twin)(int) = step_twin;

static bool is_worker(void *ctx, int os_id)
{
	(void)ctx;
	for (int i = 1; i < THREADS_MAX; i++)
		if (workers[i] == os_id)
			return true;
	return false;
}

static void parallel_part(void)
{
#pragma omp parallel reduction(+ : sum)
	{
		workers[omp_get_thread_num()] = (int)syscall(SYS_gettid);
		sum += omp_get_thread_num() < omp_get_num_threads();
	}
}

/* Until the workers that sleep do so, a second at most. */
static bool turn(bool on, switching_waits *waits, const char **why)
{
	for (int i = 0; i < 1000 && !switching_entry((uintptr_t)step, (uintptr_t)twin, on, waits, NULL, why); i++)
		usleep(1000);
	return !*why;
}

int main(int argc, char **argv)
{
	bool active = argc > 1 && !strcmp(argv[1], "active");
	unsigned char before[64], after[64];
	const char *why = "";
	int refused = 0;

	omp_set_num_threads(2);
	memcpy(before, (const void *)step, sizeof(before));
	parallel_part();
	if (active && switching_entry((uintptr_t)step, (uintptr_t)twin, true, NULL, NULL, &why))
		printf("a running thread was not seen\n");
	else if (active)
		fprintf(stderr, "refused: %s\n", why);
	for (int n = 0; n < STEPS; n++) {
		parallel_part();
		if (!turn(n % 2, active ? is_worker : NULL, &why)) {
			refused++;
			fprintf(stderr, "refused: %s\n", why);
		}
		step(n);
	}
	if (!turn(false, active ? is_worker : NULL, &why))
		refused++;
	memcpy(after, (const void *)step, sizeof(after));
	printf("sum %ld twin %ld refused %d same %d\n", sum, twin_calls, refused, !memcmp(before, after, sizeof(before)));
	return 0;
}
