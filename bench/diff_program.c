/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 200 arrays, field_100 to field_299, each gone through in a parallel region of its own, in each of
 * STEPS steps (60). Array field_MORE is 5 % longer than the others.
 * Settings are in the environment, so that command lines are the same:        MORE=177 STEPS=60
 *                                                                             diff_program
 * For bench/diff.sh.
 */
#include <stdlib.h>

#define LENGTH 4000
#define LONGER (LENGTH + LENGTH / 20)

static int length[300];

#define ONE(n) \
	static double field_##n[LONGER]; \
	__attribute__((noinline)) static void work_##n(void) \
	{ \
		_Pragma("omp parallel for schedule(static)") for (int i = 0; i < length[n]; i++) \
			field_##n[i] = field_##n[i] * 0.5 + 1; \
	}
#define CALL(n) work_##n();

#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define HUNDRED(X, n) \
	TEN(X, n##0) \
	TEN(X, n##1) \
	TEN(X, n##2) \
	TEN(X, n##3) TEN(X, n##4) TEN(X, n##5) TEN(X, n##6) TEN(X, n##7) TEN(X, n##8) TEN(X, n##9)

HUNDRED(ONE, 1)
HUNDRED(ONE, 2)

int main(void)
{
	const char *more = getenv("MORE"), *steps = getenv("STEPS");

	for (int i = 0; i < 300; i++)
		length[i] = more && atoi(more) == i ? LONGER : LENGTH;
	for (int step = steps ? atoi(steps) : 60; step > 0; step--) {
		HUNDRED(CALL, 1)
		HUNDRED(CALL, 2)
	}
	return 0;
}
