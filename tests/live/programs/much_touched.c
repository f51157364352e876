/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of 96 MiB, each touched in one go: by one thread, by each its part, in no order. Of one of those 63 % are left to a loop behind. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define BYTES (96l << 20)
#define PAGE 4096
#define PAGES (BYTES / PAGE)

static char serial[BYTES] __attribute__((aligned(PAGE)));
static char parts[BYTES] __attribute__((aligned(PAGE)));
static char random_order[BYTES] __attribute__((aligned(PAGE)));

static void touch_some(void)
{
	uint64_t state = 1;

	for (long i = 0; i < PAGES; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		random_order[(state >> 33) % PAGES * PAGE] = 1;
	}
}

int main(void)
{
	volatile int sum = 0;

	madvise(serial, BYTES, MADV_NOHUGEPAGE);
	madvise(parts, BYTES, MADV_NOHUGEPAGE);
	madvise(random_order, BYTES, MADV_NOHUGEPAGE);
#pragma omp parallel num_threads(2)
	sum = 0;
	memset(serial, 1, BYTES);
#pragma omp parallel for schedule(static) num_threads(2)
	for (long i = 0; i < PAGES; i++)
		parts[i * PAGE] = 1;
	touch_some();
#pragma omp parallel for schedule(static) num_threads(2)
	for (long i = 0; i < PAGES; i++)
		random_order[i * PAGE]++;
	for (long i = 0; i < PAGES; i++)
		sum += serial[i * PAGE] + parts[i * PAGE] + (random_order[i * PAGE] > 0);
	printf("%d\n", sum);
	return 0;
}
