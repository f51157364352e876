/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With how many threads is the lock busy all the time? A fifth of the work on each item is done in a critical construct;
 * the rest is parallel. So the lock's share of the run grows with the threads, and is 1 with five. `memsearch report -v`
 * has a table of locks: with one thread `ledger` is held 20 % of the time, and saturates at five. `memsearch diff` has
 * the waits for balances, which move from core to core with the lock. The work is the same with any number of threads.
 *
 * THREADS 2 8
 * CULPRIT post balances
 * METRIC cycles
 * GROWS 1.5..6
 * BY difference
 * LOCK post
 * SAMPLE gcc-12 O2
 */
#include "toy.h"

#define ITEMS 1024
#define BALANCES 64
#define INSIDE 4                             /* rounds for each balance: one after the other, as outside */
#define OUTSIDE (4 * INSIDE * BALANCES)

static uint64_t items[ITEMS], balances[BALANCES];

__attribute__((noinline)) static void post(uint64_t item)
{
#pragma omp critical(ledger)                 /* HERE: lock */
	for (int i = 0; i < BALANCES; i++) {
		item = workload_churn(item, INSIDE);
		balances[i] += item;         /* HERE: culprit */
	}
}

__attribute__((noinline)) static void step_items(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < ITEMS; i++) {
		items[i] = workload_churn(items[i] + (uint64_t)i, OUTSIDE);
		post(items[i]);
	}
}

int main(int argc, char **argv)
{
	int steps = toy_argument(argc, argv, 1, 150, 1, INT32_MAX);
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++)
		step_items();
	for (int i = 0; i < BALANCES; i++)
		sum += balances[i];
	workload_checksum(sum);
	return 0;
}
