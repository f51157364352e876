/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each step begins with a blocking read of what another thread of the program delivers late.
 *
 * EXPECT IO.*|SmallIO anywhere severity 0.03..1
 * ALLOW IO.*|SmallIO|Serial.*|ThreadsWakeLate|WorkTooFine|SystemTime.*
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PRINTS checksum 18420524043259259592
 */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "workload.h"

#define CELLS 8192

static uint64_t cells[CELLS];
static int pipe_fds[2], steps;

static void *deliver(void *unused)
{
	struct timespec pause = { 0, 6000000 };

	for (int i = 0; i < steps; i++) {
		nanosleep(&pause, NULL);
		if (write(pipe_fds[1], "x", 1) != 1)
			break;
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t source;
	uint64_t sum = 0;
	char byte;

	steps = workload_steps(argc, argv, 150);
	if (pipe(pipe_fds) != 0 || pthread_create(&source, NULL, deliver, NULL) != 0)
		return 1;
	for (int step = 0; step < steps; step++) {
		if (read(pipe_fds[0], &byte, 1) != 1)
			return 1;
#pragma omp parallel for
		for (int i = 0; i < CELLS; i++)
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 300);
	}
	pthread_join(source, NULL);
	for (int i = 0; i < CELLS; i++)
		sum += cells[i];
	workload_checksum(sum);
	return 0;
}
