/* SPDX-License-Identifier: Apache-2.0 */
/* Heapsort against qsort on pseudo-random input of every small size. */
#include "analysis/base/bisect.h"
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

TEST(bisect__first_that_is_not_before)
{
	static const int items[] = { 1, 3, 3, 7, 9 };

	for (size_t nr = 0; nr <= 5; nr++)
		for (int wanted = 0; wanted <= 10; wanted++) {
			size_t first = 0;

			while (first < nr && items[first] < wanted)
				first++;
			CHECK_INT(BISECT(i, nr, items[i] < wanted), first);
		}
}
