/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: moves, grows and duplicates mappings by mremap before and after its first parallel region. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include "long_steps.h"

static long duplicate(size_t bytes, int how)
{
	char *first = mmap(NULL, bytes, PROT_READ | PROT_WRITE, how | MAP_ANONYMOUS, -1, 0), *second, *grown;

	if (first == MAP_FAILED)
		return 1;
	first[bytes - 1] = 5;
	second = how == MAP_SHARED ? mremap(first, 0, bytes, MREMAP_MAYMOVE) : first;
	if (second == MAP_FAILED)
		return 2;
	grown = mremap(second, bytes, bytes * 4, MREMAP_MAYMOVE);
	return grown == MAP_FAILED ? 3 : how == MAP_SHARED ? first[bytes - 1] + 10 : grown[bytes - 1] + grown[bytes * 4 - 1];
}

int main(void)
{
	long all = duplicate(1 << 16, MAP_SHARED) * 100 + duplicate(1 << 16, MAP_PRIVATE);

	for (int i = 0; i < 10; i++) {
		steps(300);
		all += duplicate(1 << 20, MAP_SHARED) * 100 + duplicate(1 << 20, MAP_PRIVATE);
	}
	printf("%ld %.12e\n", all, sum());
	return 4;
}
