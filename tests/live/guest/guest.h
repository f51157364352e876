/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What guests share: steps that are worth recording, and a sum that tells whether anything changed. A guest includes it once.
 * Compute-bound, so that a step takes some 200 us with few accesses, and the same on any number of threads.
 */
#ifndef MEMSEARCH_TEST_GUEST_H
#define MEMSEARCH_TEST_GUEST_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GUEST_ELEMENTS 8000

/* 250, or as many times more as the tests' second and further tries ask for: a phase may be found late on a busy machine. */
static inline int guest_steps(void)
{
	const char *times = getenv("GUEST_TIMES");

	return 250 * (times ? atoi(times) : 1);
}
#define GUEST_STEPS guest_steps()

static double guest_from[GUEST_ELEMENTS], guest_to[GUEST_ELEMENTS];

__attribute__((noinline)) static double guest_value(double x)
{
	for (int i = 0; i < 20; i++)
		x = x * 0.5 + 1 / (x + 1);
	return x;
}

/* One step of a program: two parallel loops. */
static inline void guest_step(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < GUEST_ELEMENTS; i++)
		guest_to[i] = guest_value(guest_from[i] + i);
#pragma omp parallel for schedule(static)
	for (int i = 0; i < GUEST_ELEMENTS; i++)
		guest_from[i] = guest_to[i] * 0.25 + guest_from[i] * 0.125;
}

/* To the bit, by FNV-1a. */
static inline uint64_t guest_hash(const void *bytes, size_t nr, uint64_t hash)
{
	for (size_t i = 0; i < nr; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
	return hash;
}
static inline uint64_t guest_sum(void)
{
	return guest_hash(guest_from, sizeof guest_from, 0xcbf29ce484222325);
}

/* What the program came to: the steps' sum and one of its own. */
static inline int guest_end(long own)
{
	printf("%016llx %ld\n", (unsigned long long)guest_sum(), own);
	return 0;
}

#endif
