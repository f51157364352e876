/* SPDX-License-Identifier: Apache-2.0 */
/*
 * After each step the state is written to a file and forced to the disk.
 *
 * EXPECT IO.*|SmallIO anywhere severity 0.03..1
 * ALLOW IO.*|SmallIO|Serial.*|ThreadsWakeLate|WorkTooFine|SystemTime.*
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PRINTS checksum 13230958850123417444
 */
#include <unistd.h>

#include "workload.h"

#define CELLS 8192

static uint64_t cells[CELLS];

/* In eight pieces, each of which waits for the disk: some are fast. */
static int save(int fd)
{
	const size_t piece = sizeof(cells) / 8;

	for (size_t at = 0; at < sizeof(cells); at += piece)
		if (pwrite(fd, (char *)cells + at, piece, (off_t)at) != (ssize_t)piece || fdatasync(fd) != 0)
			return 0;
	return 1;
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 150);
	char name[] = "io_sync-XXXXXX";
	int fd = mkstemp(name);           /* in the current folder: /tmp may be memory */
	uint64_t sum = 0;

	if (fd < 0 || unlink(name) != 0)
		return 1;
	for (int step = 0; step < steps; step++) {
#pragma omp parallel for
		for (int i = 0; i < CELLS; i++)
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 150);
		if (!save(fd))
			return 1;
	}
	for (int i = 0; i < CELLS; i++)
		sum += cells[i];
	workload_checksum(sum);
	return 0;
}
