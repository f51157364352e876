/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: unmaps and maps again, remaps and protects the memory that its regions use, between and in them. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include "guest.h"

int main(void)
{
	long sum = 0;
	size_t size = 1 << 20;
	long *values = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 20000; i++) {
			values[i] += i + step;
			sum += values[i] & 15;
		}
		if (step % 5 == 0)
			values = mremap(values, size, 2 * size, MREMAP_MAYMOVE);
		if (step % 5 == 1)
			values = mremap(values, 2 * size, size, MREMAP_MAYMOVE);
		if (step % 5 == 2) {
			mprotect(values, size, PROT_READ);
			mprotect(values, size, PROT_READ | PROT_WRITE);
		}
		if (step % 5 == 3) {
			munmap(values, size);
			values = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		}
		if (step % 5 == 4)
			madvise(values, size, MADV_DONTNEED);
	}
	return guest_end(sum);
}
