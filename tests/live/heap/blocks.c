/* SPDX-License-Identifier: Apache-2.0 */
/* Known blocks in C: what points to them, where they were allocated, how they came and went. Prints a number. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define N 10000
double *a, *b, **rows, *grown, *never;
struct { double *field; int n; } mesh;

static double *alloc_vector(size_t n)
{
	double *vector = calloc(n, sizeof(*vector));     /* HERE: vector */

	return vector ? vector : NULL;
}

static double *alloc_late(size_t n)
{
	double *late = aligned_alloc(64, n * sizeof(*late));     /* HERE: late */

	memset(late, 0, n * sizeof(*late));
	return late;
}

__attribute__((noinline)) static double before(void)
{
	void *mapped = mmap(NULL, 64 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);        /* HERE: mapped */

	a = alloc_vector(N);
	b = alloc_vector(2 * N);
	mesh.field = malloc(N * sizeof(double));         /* HERE: field */
	grown = malloc(5000);                            /* HERE: grown */
	rows = malloc(600 * sizeof(*rows));
	for (int i = 0; i < 600; i++)
		rows[i] = malloc(600 * sizeof(**rows));  /* HERE: rows */
	memset(mesh.field, 0, N * sizeof(double));
	munmap((char *)mapped + 16 * 4096, 16 * 4096);
	return mapped != MAP_FAILED;
}

static double failures(void)
{
	volatile size_t absurd = (size_t)1 << 62;
	int right = 0;

	errno = 0;
	right += !realloc(grown, absurd) && errno == ENOMEM;
	errno = 0;
	right += !malloc(absurd) && errno == ENOMEM;
	right += !reallocarray(NULL, absurd, 16);
	right += munmap((void *)1, 4096) == -1 && errno == EINVAL;
	right += !calloc(absurd, 16);
	free(NULL);
	return right;
}

__attribute__((noinline)) static double after(void)
{
	double sum = 0;
	void *aligned;

	for (int i = 1; i <= 20; i++)
		grown = realloc(grown, 5000 * (size_t)i);
	never = alloc_late(N);
	for (int i = 0; i < 100; i++) {
		volatile char *passing = malloc(9000);   /* HERE: passing */

		passing[i] = 1;
		sum += passing[i];
		free((void *)passing);
	}
	sum += posix_memalign(&aligned, 4096, 8192) == 0 && ((size_t)aligned & 4095) == 0;       /* HERE: aligned */
	return sum + (aligned != NULL);
}

int main(void)
{
	double sum = before();

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 600; i++) {
		for (int j = 0; j < 600; j++)
			rows[i][j] = i + j;
		sum += rows[i][5] + a[i] + b[i] + mesh.field[i];
	}
	sum += failures() + after() + never[7];
	printf("%.0f\n", sum);
	return 0;
}
