/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parallel regions of a microsecond of work each: starting and ending them takes longer.
 *
 * EXPECT RegionTooSmall|LoopTooSmall at region severity 0.1..1
 * ALLOW WorkTooFine|.*TooSmall|ThreadsWakeLate|ToolOverhead.*|SystemTime.*|Serial.*
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PRINTS checksum 3087563745436784640
 */
#include "workload.h"

#define CELLS 64

static _Alignas(64) uint64_t cells[CELLS]; /* no line is of both threads */

int main(int argc, char **argv)
{
	long steps = 2000L * workload_steps(argc, argv, 100);
	uint64_t sum = 0;

	for (long step = 0; step < steps; step++) {
#pragma omp parallel for                         /* HERE: region */
		for (int i = 0; i < CELLS; i++)
			cells[i] = cells[i] * 3 + (uint64_t)(i + step);
	}
	for (int i = 0; i < CELLS; i++)
		sum += cells[i];
	workload_checksum(sum);
	return 0;
}
