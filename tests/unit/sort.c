/* SPDX-License-Identifier: Apache-2.0 */
/* Heapsort against qsort on pseudo-random input of every small size. */
#include "analysis/base/sort.h"
#include "tests/unit/test.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

TEST(sort__same_as_qsort)
{
	int have[300], want[300];

	srand(1);
	for (size_t nr = 0; nr < 300; nr++) {
		for (size_t i = 0; i < nr; i++)
			have[i] = want[i] = rand() % 100;
		sort(have, nr, sizeof(*have), by_value);
		qsort(want, nr, sizeof(*want), by_value);
		CHECK(!nr || !memcmp(have, want, nr * sizeof(*have)));
	}
}
