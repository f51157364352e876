/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two sections sum a matrix each, column by column. The rows are 64 KiB apart, so that all of a column map to few sets of the
 * caches, though its lines would fit into the first.
 *
 * EXPECT ConflictMisses|L2Data.*MissRate in sum_columns severity 0.03..0.95
 * ALLOW .*Misses|.*MissRate.*|StridedAccess|PoorLineUtilisation|PageTableWalks|MemoryBound.*|StalledOn.*
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 5809972838400
 */
#include "workload.h"

#define ROWS 48
#define COLUMNS 8192
#define WIDTH 4096                       /* of a step */

static uint64_t left[ROWS][COLUMNS], right[ROWS][COLUMNS];

static uint64_t sum_columns(uint64_t matrix[ROWS][COLUMNS], int first)
{
	uint64_t sum = 0;

	for (int j = first; j < first + WIDTH; j++)
		for (int i = 0; i < ROWS; i++) {
			sum += matrix[i][j];
			__asm__("" : "+r"(sum)); /* so that no compiler exchanges the loops */
		}
	return sum;
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 450);
	uint64_t sum = 0, of_left = 0, of_right = 0;

	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++) {
			left[i][j] = (uint64_t)(i * 3 + j);
			right[i][j] = (uint64_t)(i + j * 5);
		}
	for (int step = 0; step < steps; step++) {
		int first = step % (COLUMNS / WIDTH) * WIDTH;

#pragma omp parallel sections
		{
#pragma omp section
			of_left = sum_columns(left, first);
#pragma omp section
			of_right = sum_columns(right, first);
		}
		sum += of_left + 3 * of_right;
	}
	workload_checksum(sum);
	return 0;
}
