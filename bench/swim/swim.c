/* SPDX-License-Identifier: Apache-2.0 */
/*
 * swim in C: the shallow-water equations on a periodic square, finite differences after
 * R. Sadourny, "The dynamics of finite-difference models of the shallow-water equations",
 * J. Atmos. Sci. 32 (1975). The same model as swim.f, array for array and loop for loop.
 * Opposite sides are the same points: after each loop over n x n points the borders are copied, the columns first.
 *
 *     swim [size [steps]]          size up to 1335, default 512; steps default 100
 *
 * Prints a checksum that does not depend on the number of threads.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LARGEST 1335
#define POINTS (LARGEST + 1)

/* Velocities and pressure now, next and before; mass fluxes, potential vorticity, Bernoulli function, stream function. */
static double u[POINTS][POINTS], v[POINTS][POINTS], p[POINTS][POINTS];
static double unew[POINTS][POINTS], vnew[POINTS][POINTS], pnew[POINTS][POINTS];
static double uold[POINTS][POINTS], vold[POINTS][POINTS], pold[POINTS][POINTS];
static double cu[POINTS][POINTS], cv[POINTS][POINTS];
static double z[POINTS][POINTS], h[POINTS][POINTS], psi[POINTS][POINTS];

static int n = 512, steps = 100;
static double dt = 90, tdt;
static const double dx = 1e5, dy = 1e5, alpha = 0.001;

static void inital(void)
{
	const double pi = 4 * atan(1.0), a = 1e6, di = 2 * pi / n, dj = 2 * pi / n, el = n * dx;
	const double pcf = pi * pi * a * a / (el * el);

#pragma omp parallel for
	for (int j = 0; j <= n; j++)
		for (int i = 0; i <= n; i++) {
			psi[j][i] = a * sin((i + 0.5) * di) * sin((j + 0.5) * dj);
			p[j][i] = pcf * (cos(2 * i * di) + cos(2 * j * dj)) + 50000;
		}
#pragma omp parallel for
	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++) {
			u[j][i + 1] = -(psi[j + 1][i + 1] - psi[j][i + 1]) / dy;
			v[j + 1][i] = (psi[j + 1][i + 1] - psi[j + 1][i]) / dx;
		}
#pragma omp parallel for
	for (int j = 0; j < n; j++) {
		u[j][0] = u[j][n];
		v[j + 1][n] = v[j + 1][0];
	}
#pragma omp parallel for
	for (int i = 0; i <= n; i++) {
		u[n][i] = u[0][i];
		v[0][i] = v[n][i];
	}
#pragma omp parallel for
	for (int j = 0; j <= n; j++)
		for (int i = 0; i <= n; i++) {
			uold[j][i] = u[j][i];
			vold[j][i] = v[j][i];
			pold[j][i] = p[j][i];
		}
}

/* Mass fluxes, potential vorticity and Bernoulli function. */
static void calc1(void)
{
	const double fsdx = 4 / dx, fsdy = 4 / dy;

#pragma omp parallel
	{
#pragma omp for
		for (int j = 0; j < n; j++)
			for (int i = 0; i < n; i++) {
				cu[j][i + 1] = 0.5 * (p[j][i + 1] + p[j][i]) * u[j][i + 1];
				cv[j + 1][i] = 0.5 * (p[j + 1][i] + p[j][i]) * v[j + 1][i];
				z[j + 1][i + 1] = (fsdx * (v[j + 1][i + 1] - v[j + 1][i]) -
						   fsdy * (u[j + 1][i + 1] - u[j][i + 1])) /
						  (p[j][i] + p[j][i + 1] + p[j + 1][i + 1] + p[j + 1][i]);
				h[j][i] = p[j][i] + 0.25 * (u[j][i + 1] * u[j][i + 1] + u[j][i] * u[j][i] +
							    v[j + 1][i] * v[j + 1][i] + v[j][i] * v[j][i]);
			}
#pragma omp for
		for (int j = 0; j < n; j++) {
			cu[j][0] = cu[j][n];
			cv[j + 1][n] = cv[j + 1][0];
			z[j + 1][0] = z[j + 1][n];
			h[j][n] = h[j][0];
		}
#pragma omp for
		for (int i = 0; i <= n; i++) {
			cu[n][i] = cu[0][i];
			cv[0][i] = cv[n][i];
			z[0][i] = z[n][i];
			h[n][i] = h[0][i];
		}
	}
}

/* The next time level. */
static void calc2(void)
{
	const double tdts8 = tdt / 8, tdtsdx = tdt / dx, tdtsdy = tdt / dy;

#pragma omp parallel
	{
#pragma omp for
		for (int j = 0; j < n; j++)
			for (int i = 0; i < n; i++) {
				unew[j][i + 1] = uold[j][i + 1] + tdts8 * (z[j + 1][i + 1] + z[j][i + 1]) *
						 (cv[j + 1][i + 1] + cv[j + 1][i] + cv[j][i] + cv[j][i + 1]) -
						 tdtsdx * (h[j][i + 1] - h[j][i]);
				vnew[j + 1][i] = vold[j + 1][i] - tdts8 * (z[j + 1][i + 1] + z[j + 1][i]) *
						 (cu[j + 1][i + 1] + cu[j + 1][i] + cu[j][i] + cu[j][i + 1]) -
						 tdtsdy * (h[j + 1][i] - h[j][i]);
				pnew[j][i] = pold[j][i] - tdtsdx * (cu[j][i + 1] - cu[j][i]) -
					     tdtsdy * (cv[j + 1][i] - cv[j][i]);
			}
#pragma omp for
		for (int j = 0; j < n; j++) {
			unew[j][0] = unew[j][n];
			vnew[j + 1][n] = vnew[j + 1][0];
			pnew[j][n] = pnew[j][0];
		}
#pragma omp for
		for (int i = 0; i <= n; i++) {
			unew[n][i] = unew[0][i];
			vnew[0][i] = vnew[n][i];
			pnew[n][i] = pnew[0][i];
		}
	}
}

/* After the first step: no smoothing yet, and the time step doubles. */
static void calc3z(void)
{
	tdt += tdt;
#pragma omp parallel for
	for (int j = 0; j <= n; j++)
		for (int i = 0; i <= n; i++) {
			uold[j][i] = u[j][i];
			vold[j][i] = v[j][i];
			pold[j][i] = p[j][i];
			u[j][i] = unew[j][i];
			v[j][i] = vnew[j][i];
			p[j][i] = pnew[j][i];
		}
}

/* Smoothing in time, and one step forward. */
static void calc3(void)
{
#pragma omp parallel for
	for (int j = 0; j <= n; j++)
		for (int i = 0; i <= n; i++) {
			uold[j][i] = u[j][i] + alpha * (unew[j][i] - 2 * u[j][i] + uold[j][i]);
			vold[j][i] = v[j][i] + alpha * (vnew[j][i] - 2 * v[j][i] + vold[j][i]);
			pold[j][i] = p[j][i] + alpha * (pnew[j][i] - 2 * p[j][i] + pold[j][i]);
			u[j][i] = unew[j][i];
			v[j][i] = vnew[j][i];
			p[j][i] = pnew[j][i];
		}
}

/* Serial, so that the sums are added in one order. */
static void print_checksum(void)
{
	double pcheck = 0, ucheck = 0, vcheck = 0;

	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++) {
			pcheck += fabs(pnew[j][i]);
			ucheck += fabs(unew[j][i]);
			vcheck += fabs(vnew[j][i]);
		}
	printf("swim %d x %d, %d steps\n", n, n, steps);
	printf("checksum p %.10e u %.10e v %.10e\n", pcheck, ucheck, vcheck);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		n = (int)strtol(argv[1], NULL, 10);
	if (argc > 2)
		steps = (int)strtol(argv[2], NULL, 10);
	if (n < 4 || n > LARGEST || steps < 1) {
		fprintf(stderr, "usage: swim [size, 4 to %d [steps]]\n", LARGEST);
		return 2;
	}
	tdt = dt;
	inital();
	for (int step = 0; step < steps; step++) {
		calc1();
		calc2();
		if (step == 0)
			calc3z();
		else
			calc3();
	}
	print_checksum();
	return 0;
}
