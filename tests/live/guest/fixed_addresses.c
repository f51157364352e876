/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: maps memory at addresses of its own choice, as programs with pointers in files do, and in the lowest 2 GiB. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include "guest.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

int main(void)
{
	static const uintptr_t wanted[] = { 0x10000, 0x10000000, 0x40000000, 0x100000000, 0x7000000000, 0x200000000000, 0x300000000000, 0x400000000000 };
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		for (int i = 0; i < 8; i++) {
			char *at = mmap((void *)wanted[i], 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

			sum += at == (char *)wanted[i];
			if (at == (char *)wanted[i])
				munmap(at, 1 << 20);
		}
		char *low = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

		sum += (uintptr_t)low < 0x80000000u;
		munmap(low, 1 << 20);
	}
	return guest_end(sum);
}
