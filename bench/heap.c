/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocates and frees blocks of BYTES, COUNT times in each of THREADS threads; prints the threads'
 * CPU time in ns. heap THREADS COUNT BYTES [KIND]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* C++'s operators new and delete (Itanium C++ ABI). */
void *operator_new(size_t bytes) __asm__("_Znwm");
void operator_delete(void *block) __asm__("_ZdlPv");

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static void use_malloc(size_t bytes)
{
	void *block = malloc(bytes);

	__asm__ volatile("" : : "r"(block) : "memory"); /* keeps it from being left out */
	free(block);
}

static void use_calloc(size_t bytes)
{
	void *block = calloc(1, bytes);

	__asm__ volatile("" : : "r"(block) : "memory");
	free(block);
}

static void use_realloc(size_t bytes)
{
	void *block = realloc(malloc(bytes / 2), bytes);

	__asm__ volatile("" : : "r"(block) : "memory");
	free(block);
}

static void use_aligned_alloc(size_t bytes)
{
	void *block = aligned_alloc(64, bytes);

	__asm__ volatile("" : : "r"(block) : "memory");
	free(block);
}

static void use_new(size_t bytes)
{
	void *block = operator_new(bytes);

	__asm__ volatile("" : : "r"(block) : "memory");
	operator_delete(block);
}

static const struct {
	const char *name;
	void (*use)(size_t bytes);
} kinds[] = {
	{ "malloc", use_malloc },   { "calloc", use_calloc },
	{ "realloc", use_realloc }, { "aligned_alloc", use_aligned_alloc },
	{ "new", use_new },
};

static double churn(long count, size_t bytes, void (*use)(size_t bytes))
{
	double begin = cpu_ns();

	for (long i = 0; i < count; i++)
		use(bytes);
	return cpu_ns() - begin;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 4;
	long count = argc > 2 ? atol(argv[2]) : 10000000;
	size_t bytes = argc > 3 ? strtoul(argv[3], NULL, 10) : 64, kind = 0;
	double sum = 0;

	while (argc > 4 && kind + 1 < sizeof(kinds) / sizeof(*kinds) &&
	       strcmp(argv[4], kinds[kind].name))
		kind++;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
	sum += churn(count, bytes, kinds[kind].use);
	printf("%.0f\n", sum);
	return 0;
}
