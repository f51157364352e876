/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: takes checksums of its own code, main and the function it passes to qsort included. */
#include "guest.h"

static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

int main(void)
{
	static double sorted[256];
	uint64_t sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		for (int i = 0; i < 256; i++)
			sorted[i] = guest_from[i * 31 % 256];
		qsort(sorted, 256, sizeof sorted[0], by_value);
		sum += guest_hash((const void *)by_value, 32, step) + guest_hash((const void *)main, 512, step) +
		       guest_hash((const void *)guest_value, 32, step) + (sorted[0] <= sorted[255]);
	}
	printf("%s\n", sum == 0 ? "0" : "summed");
	for (int step = 0; step < GUEST_STEPS; step++)
		sum -= guest_hash((const void *)by_value, 32, step) + guest_hash((const void *)main, 512, step) +
		       guest_hash((const void *)guest_value, 32, step) + 1;
	return guest_end((long)sum);
}
