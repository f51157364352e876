/* SPDX-License-Identifier: Apache-2.0 */
/* Heapsort in place, because qsort may call malloc. */
#include "analysis/base/sort.h"

#include <string.h>

#define ELEMENT_BYTES_MAX 256

struct heap {
	char *items;
	size_t bytes;
	int (*order)(const void *a, const void *b);
};

static char *at(const struct heap *heap, size_t i)
{
	return heap->items + i * heap->bytes;
}

static void swap(const struct heap *heap, size_t i, size_t j)
{
	char spare[ELEMENT_BYTES_MAX];

	memcpy(spare, at(heap, i), heap->bytes);
	memcpy(at(heap, i), at(heap, j), heap->bytes);
	memcpy(at(heap, j), spare, heap->bytes);
}

static void sink(const struct heap *heap, size_t root, size_t nr)
{
	size_t child;

	while ((child = 2 * root + 1) < nr) {
		if (child + 1 < nr && heap->order(at(heap, child), at(heap, child + 1)) < 0)
			child++;
		if (heap->order(at(heap, root), at(heap, child)) >= 0)
			return;
		swap(heap, root, child);
		root = child;
	}
}

void sort(void *items, size_t nr, size_t bytes, int (*order)(const void *a, const void *b))
{
	struct heap heap = { items, bytes, order };

	if (bytes > ELEMENT_BYTES_MAX)
		return;
	for (size_t i = nr / 2; i-- > 0;)
		sink(&heap, i, nr);
	for (size_t left = nr; left > 1; left--) {
		swap(&heap, 0, left - 1);
		sink(&heap, 0, left - 1);
	}
}

int sort_by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int sort_by_address(const void *a, const void *b)
{
	uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

	return (x > y) - (x < y);
}
