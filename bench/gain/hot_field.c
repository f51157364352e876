/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem  one field of an array of structs is used: an eighth of each cache line
 * remedy   an array for the field (struct of arrays)
 * arrays   particles
 * kinds    layout
 */
#include <stdio.h>
#include <stdlib.h>

struct particle {
	double x, y, z, vx, vy, vz, mass, charge;
};

#ifdef MENDED
#define MASS(i) mass[i]
#else
#define MASS(i) particles[i].mass
#endif

int main(void)
{
	long nr = 1500000;
	struct particle *particles = malloc(nr * sizeof(*particles));
	double *mass = malloc(nr * sizeof(*mass)), sum = 0;

#pragma omp parallel for
	for (long i = 0; i < nr; i++) {
		particles[i] = (struct particle){ .x = i };
		MASS(i) = i % 7;
	}
	for (int step = 0; step < 500; step++) {
#pragma omp parallel for reduction(+ : sum)
		for (long i = 0; i < nr; i++)  /* hot */
			sum += MASS(i);        /* hot */
	}
	printf("%.6g %g\n", sum, particles[nr / 2].x);
	free(particles);
	free(mass);
	return 0;
}
