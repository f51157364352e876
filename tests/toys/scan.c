/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What makes the run slower with more elements, although each request uses as few of them as before? Every eighth step all
 * lists are scanned from end to end. `memsearch diff` has what scan accesses in one execution of the phase, which is eight
 * steps: it grows like the elements, serve's does not; and that the scan misses the caches.
 *
 * LOADS 2048 32768
 * CULPRIT scan elements
 * METRIC accesses
 * GROWS 15..17
 * OTHERS 1.1
 * BY ratio
 * SAMPLE clang-19 O2
 */
#include "toy.h"

#define LISTS 16
#define LARGEST (1 << 16)
#define REQUESTS 4096
#define RECENT 256                           /* elements that requests use */
#define PERIOD 8

static struct element {
	struct element *next;
	uint32_t age, changed;
	uint64_t contents[6];
} elements[LARGEST], *lists[LISTS];
static uint64_t replies[REQUESTS];

/* The elements in no order, as after many insertions and removals. */
static void make_lists(int n)
{
	static int order[LARGEST];

	for (int i = 0; i < n; i++) {
		int other = (int)(toy_word(i) % (uint32_t)(i + 1));

		order[i] = order[other];
		order[other] = i;
	}
	for (int i = 0; i < n; i++) {
		struct element *element = &elements[order[i]];

		element->next = lists[i % LISTS];
		element->changed = toy_word(i) & 1;
		lists[i % LISTS] = element;
	}
}

__attribute__((noinline)) static void serve(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < REQUESTS; i++)
		replies[i] += workload_churn(replies[i], 50) + elements[replies[i] % RECENT].contents[0];
}

__attribute__((noinline)) static void scan(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < LISTS; i++)
		for (struct element *element = lists[i]; element; element = element->next)
			element->age += element->changed;        /* HERE: culprit */
}

int main(int argc, char **argv)
{
	int n = toy_argument(argc, argv, 1, 2048, RECENT, LARGEST);
	int steps = toy_argument(argc, argv, 2, 1200, PERIOD, INT32_MAX);
	uint64_t sum = 0;

	make_lists(n);
	for (int step = 1; step <= steps; step++) {
		serve();
		if (step % PERIOD == 0)
			scan();
	}
	for (int i = 0; i < n; i++)
		sum += elements[i].age;
	for (int i = 0; i < REQUESTS; i++)
		sum += replies[i];
	workload_checksum(sum);
	return 0;
}
