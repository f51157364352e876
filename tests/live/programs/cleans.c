/* SPDX-License-Identifier: Apache-2.0 */
/* A C function with a cleanup, compiled with -fexceptions: gcc's personality routine for C. */
#include "throws.h"

long cleaned;

static void clean(int *x)
{
	__atomic_add_fetch(&cleaned, *x, __ATOMIC_RELAXED);
}

int c_cleans(callee *next, int x)
{
	int kept __attribute__((cleanup(clean))) = x + 1;

	return next(x) + kept;
}
