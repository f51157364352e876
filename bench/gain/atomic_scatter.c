/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem  elements add to the nodes at their ends by atomic updates, although nearly every node is updated by one thread only
 * remedy   each thread adds what belongs to its own nodes
 * arrays   force
 * kinds    atomic_updates
 */
#include <stdio.h>
#include <stdlib.h>

#define NODES 60000
#define STEPS 4000

static double force[NODES + 1], length[NODES];

static void add_forces(void)
{
#ifdef MENDED
#pragma omp parallel for
	for (int i = 1; i < NODES; i++)
		force[i] += length[i - 1] * 0.5 - length[i] * 0.25;
	force[0] -= length[0] * 0.25;
	force[NODES] += length[NODES - 1] * 0.5;
#else
#pragma omp parallel for
	for (int i = 0; i < NODES; i++) {
		double pull = length[i];

#pragma omp atomic
		force[i] -= pull * 0.25; /* hot */
#pragma omp atomic
		force[i + 1] += pull * 0.5; /* hot */
	}
#endif
}

int main(void)
{
	double sum = 0;

	for (int i = 0; i < NODES; i++)
		length[i] = i % 8;
	for (int step = 0; step < STEPS; step++)
		add_forces();
	for (int i = 0; i <= NODES; i++)
		sum += force[i];
	printf("%.1f\n", sum);
	return 0;
}
