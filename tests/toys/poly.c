/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of three functions scales worst? Their costs grow like log n, n and n² with the load n. At small loads the
 * logarithm takes most and the square nearly nothing, as poly2 of the paper's table 2: a profile of one load does not
 * show it. `memsearch diff` of two does: from load 64 to 256 the accesses
 * of the functions grow 1.3, 4 and 16 times.
 *
 * LOADS 64 256
 * CULPRIT quadratic pairs
 * METRIC accesses
 * GROWS 13..17
 * OTHERS 4.1
 * BY ratio
 * SAMPLE gcc-12 O3
 */
#include "toy.h"

#define LARGEST 4096
#define SEARCHES 20000
#define SUMS 256

static uint32_t sorted[LARGEST], terms[LARGEST], pairs[LARGEST];

__attribute__((noinline)) static uint64_t logarithmic(int n)
{
	uint64_t sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < SEARCHES; i++) {
		uint32_t key = toy_word(i) % (uint32_t)(2 * n);
		int low = 0, high = n;

		while (high - low > 1) {
			int middle = (low + high) / 2;

			if (sorted[middle] <= key)
				low = middle;
			else
				high = middle;
		}
		sum += (uint64_t)low;
	}
	return sum;
}

__attribute__((noinline)) static uint64_t linear(int n)
{
	uint64_t sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < SUMS; i++)
		for (int j = 0; j < n; j++)
			sum += terms[j] >> (i & 7);
	return sum;
}

__attribute__((noinline)) static uint64_t quadratic(int n)
{
	uint64_t sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			sum += pairs[i] ^ pairs[j];  /* HERE: culprit */
	return sum;
}

int main(int argc, char **argv)
{
	int n = toy_argument(argc, argv, 1, 64, 2, LARGEST);
	int steps = toy_argument(argc, argv, 2, 400, 1, INT32_MAX);
	uint64_t sum = 0;

	for (int i = 0; i < n; i++) {
		sorted[i] = (uint32_t)(2 * i);
		terms[i] = toy_word(i);
		pairs[i] = toy_word(i + LARGEST);
	}
	for (int step = 0; step < steps; step++)
		sum += logarithmic(n) + linear(n) + quadratic(n);
	workload_checksum(sum);
	return 0;
}
