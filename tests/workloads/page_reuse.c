/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The temporaries of page_churn.c, allocated once. Of each line one word is written, so that all accesses miss, which costs half a percent at least.
 *
 * NONE
 * ALLOW DataMisses|CapacityMisses|StridedAccess
 * PHASE sequence
 * PRINTS checksum 17545585673202684757
 */
#include "workload.h"

#define ARRAYS 40
#define WORDS (240 * 1024 / 8)

static uint64_t *temporaries[ARRAYS];

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 200);
	uint64_t sum = 0;

	for (int k = 0; k < ARRAYS; k++) {
		temporaries[k] = (uint64_t *)malloc(WORDS * sizeof(uint64_t));
		if (!temporaries[k])
			return 1;
	}
	for (int step = 0; step < steps; step++) {
#pragma omp parallel for reduction(+ : sum)
		for (int k = 0; k < ARRAYS; k++) {
			for (int i = 0; i < WORDS; i += 16)
				temporaries[k][i] = (uint64_t)(step + i);
			sum += workload_churn(temporaries[k][16 * (k % 7)], 100000);
		}
	}
	workload_checksum(sum);
	return 0;
}
