/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "shared": all threads count into one global variable; "local": into one of main's; "private":
 * each into its own, and they add up at the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N (1 << 19)

static long hits;
static unsigned values[N];

static void count_shared(void)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		if (values[i] & 64) {
#pragma omp atomic
			hits++; /* HERE: shared */
		}
}

static void count_local(long *to)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		if (values[i] & 64) {
#pragma omp atomic
			(*to)++; /* HERE: local */
		}
}

static void count_private(void)
{
	long sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < N; i++)
		if (values[i] & 64)
			sum++;
	hits += sum;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "shared";
	long local = 0;

	for (int i = 0; i < N; i++)
		values[i] = (unsigned)i * 2654435761u;
	for (int step = 0; step < 60; step++) {
		if (!strcmp(way, "shared"))
			count_shared();
		else if (!strcmp(way, "local"))
			count_local(&local);
		else
			count_private();
	}
	printf("%ld\n", hits + local);
	return 0;
}
