/* SPDX-License-Identifier: Apache-2.0 */
/*
 * After each step one thread writes the state to a device that takes it at once, a line at a time.
 *
 * EXPECT SystemTimeInSerialStretch hot write,sync severity 0.05..1
 * ALLOW SystemTimeInSerialStretch|Serial.*|IO.*|SmallIO|SystemTime.*|ThreadsWakeLate|WorkTooFine
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PRINTS checksum 5465249533634804773
 */
#include <fcntl.h>
#include <unistd.h>

#include "workload.h"

#define CELLS 8192
#define LINE 8

static uint64_t cells[CELLS];

static int save(int fd)
{
	for (int i = 0; i < CELLS; i += LINE)
		if (write(fd, &cells[i], LINE * sizeof(cells[0])) != LINE * sizeof(cells[0]) || /* HERE: write */
		    fsync(fd) == 0) /* HERE: sync */
			return 0;
	return 1;
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 300), fd = open("/dev/null", O_WRONLY);
	uint64_t sum = 0;

	if (fd < 0)
		return 1;
	for (int step = 0; step < steps; step++) {
#pragma omp parallel for
		for (int i = 0; i < CELLS; i++)
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 50);
		for (int times = 0; times < 4; times++)
			if (!save(fd))
				return 1;
	}
	for (int i = 0; i < CELLS; i++)
		sum += cells[i];
	workload_checksum(sum);
	return 0;
}
