/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callers of BLAS and LAPACK whose answers are known: a shared library for differ, its functions as
 * those of generate.c. Whoever gets a wrong answer ends by an illegal instruction. -DORDER=N:
 * matrices of that order, else 12.
 */
#include <complex.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifndef ORDER
#define ORDER 12
#endif

extern const int differential_generated;
const int differential_generated = 1;

static const int n = ORDER, more = ORDER + 6, one = 1, few = 3;
#define DEMAND(condition) \
	do { \
		if (!(condition)) \
			__builtin_trap(); \
	} while (0)

/*
 * Eigenvalue `k` (1 the smallest) of the matrix min(i, j): the inverse of one of second
 * differences.
 */
static double eigenvalue(int k)
{
	return 0.5 / (1 - cos((2 * (ORDER - k) + 1) * acos(-1) / (2 * ORDER + 1)));
}

/* Numbers that are exact in all types. */
static double part(uint64_t seed, int i, int j)
{
	return (double)((seed * 7 + (uint64_t)(i * i) * 5 + (uint64_t)j * 3 + (uint64_t)(i * j)) %
			9) -
	       4;
}

#define TYPE(name) s##name
#define SCALAR float
#define REAL float
#define EPSILON 1.2e-7
#include "tests/differential/solve_type.h"
#define TYPE(name) d##name
#define SCALAR double
#define REAL double
#define EPSILON 2.3e-16
#include "tests/differential/solve_type.h"
#define IMAGINARY
#define TYPE(name) c##name
#define SCALAR float complex
#define REAL float
#define EPSILON 1.2e-7
#include "tests/differential/solve_type.h"
#define TYPE(name) z##name
#define SCALAR double complex
#define REAL double
#define EPSILON 2.3e-16
#include "tests/differential/solve_type.h"
