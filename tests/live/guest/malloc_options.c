/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: sets glibc's allocator by mallopt, trims and looks into it, and has blocks from before in regions. */
#include <malloc.h>
#include "guest.h"

int main(void)
{
	long sum = 0;
	char *kept[64];

	sum += mallopt(M_MMAP_THRESHOLD, 100000) + mallopt(M_ARENA_MAX, 1) + mallopt(M_PERTURB, 0xa5) + mallopt(M_TRIM_THRESHOLD, 0);
	for (int i = 0; i < 64; i++)
		kept[i] = malloc(100 << i % 12);
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 64; i++) {
			free(kept[i]);
			kept[i] = malloc(100 << (i + step) % 12);
			kept[i][90] = i;
			sum += kept[i][90] + (malloc_usable_size(kept[i]) >= 100);
		}
		if (step % 32 == 0)
			malloc_trim(0);
	}
	return guest_end(sum);
}
