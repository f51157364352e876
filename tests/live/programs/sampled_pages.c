/* SPDX-License-Identifier: Apache-2.0 */
/* A known answer for samples of data addresses by page faults: of each six fresh pages four are heap_pages', two static_pages', by all threads alike. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, PAGES = 512 };

static char static_pages[PAGES / 2 * PAGE] __attribute__((aligned(PAGE)));

__attribute__((noinline)) static void touch(volatile char *memory, int pages)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < pages; i++)
		memory[i * PAGE + 8] = (char)(memory[i * PAGE + 16] + 1);
}

static void forget(char *memory, size_t bytes)
{
	madvise(memory, bytes, MADV_DONTNEED);
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 300, sum = 0;
	char *heap_pages = aligned_alloc(PAGE, PAGES * PAGE);

	if (!heap_pages)
		return 1;
	madvise(heap_pages, PAGES * PAGE, MADV_NOHUGEPAGE);
	for (int step = 0; step < steps; step++) {
		touch(heap_pages, PAGES);
		touch(static_pages, PAGES / 2);
		sum += heap_pages[8] + static_pages[8];
		forget(heap_pages, PAGES * PAGE);
		forget(static_pages, sizeof(static_pages));
	}
	printf("%d\n", sum);
	free(heap_pages);
	return 0;
}
