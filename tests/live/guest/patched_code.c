/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: changes its own code while it runs: an instruction's constant in a function that its regions call. */
/* Does: refused */
#include <sys/mman.h>
#include <unistd.h>
#include "guest.h"

extern unsigned char patched_constant[];
__attribute__((noinline, noclone)) static long patched(long x)
{
	long result;

	__asm__ volatile("lea 1000(%1), %0\n.globl patched_constant\npatched_constant:\n" : "=r"(result) : "r"(x));
	return result;
}

int main(void)
{
	uintptr_t page = (uintptr_t)patched_constant & -4096ul;
	long sum = 0;

	if (mprotect((void *)(page - 4096), 3 * 4096, PROT_READ | PROT_WRITE | PROT_EXEC))
		return 77;
	for (int step = 0; step < GUEST_STEPS; step++) {
		int constant = 1000 + step;

		guest_step();
		memcpy(patched_constant - 4, &constant, 4);
		__builtin___clear_cache((char *)patched_constant - 4, (char *)patched_constant);
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 300; i++)
			sum += patched(i);
	}
	return guest_end(sum);
}
