/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: allocates in every way that there is, in regions, with sizes and alignments at the edges, and looks at errno. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include "guest.h"

static long tried(void *block, size_t align, size_t size)
{
	long good = block && (uintptr_t)block % align == 0 && malloc_usable_size(block) >= size;

	if (block && size)
		memset(block, 1, size);
	free(block);
	return good;
}
static long refused(void *block)
{
	long good = !block && errno == ENOMEM;

	errno = 0;
	return good;
}

static long all_ways(size_t size)
{
	long good = 0;
	void *block = NULL;
	volatile size_t most = SIZE_MAX;

	good += tried(malloc(size), 16, size) + tried(calloc(size, 3), 16, size * 3) + tried(realloc(malloc(1), size + 1), 16, size + 1);
	good += tried(reallocarray(NULL, size + 1, 7), 16, (size + 1) * 7) + tried(valloc(size), 4096, size) + tried(pvalloc(size), 4096, size);
	for (size_t align = 16; align <= 1 << 20; align *= 4) {
		good += tried(memalign(align, size), align, size) + tried(aligned_alloc(align, size), align, size);
		good += posix_memalign(&block, align, size) == 0 && tried(block, align, size);
	}
	good += posix_memalign(&block, 3, size) == EINVAL;
	good += refused(malloc(most)) + refused(calloc(most / 2, 3)) + refused(reallocarray(NULL, most, most)) + refused(memalign(64, most - 4096));
	errno = 77;
	free(malloc(size));
	free(NULL);
	good += errno == 77;
	good += realloc(malloc(5), 0) == NULL;
	return good;
}

int main(void)
{
	static const size_t sizes[] = { 0, 1, 24, 4095, 4096, 130000, 140000, 1 << 21 };
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 8; i++)
			sum += all_ways(sizes[(i + step) % 8]);
	}
	return guest_end(sum);
}
