/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: code generated at run time is called from parallel loops, looks at its return address, and calls back into the program. */
/* Does: left the clone */
#define _GNU_SOURCE
#include "guest.h"

#include <sys/mman.h>

static long back(long x) { return x + 1; }

int main(void)
{
	/* push %rbx; mov 8(%rsp), %rbx (the return address); mov %rsi, %rax; call *%rax; add %rbx, %rax; pop %rbx; ret */
	static const unsigned char code[] = "\x53\x48\x8b\x5c\x24\x08\x48\x89\xf0\xff\xd0\x48\x01\xd8\x5b\xc3";
	unsigned char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long (*volatile generated)(long, long (*)(long)) = (long (*)(long, long (*)(long)))memory;
	long sum = 0;

	memcpy(memory, code, sizeof code);
	if (mprotect(memory, 4096, PROT_READ | PROT_EXEC))
		return 77;
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < GUEST_ELEMENTS; i += 100)
			sum += (generated(i, back) - (long)main) % 1000003;
	}
	return guest_end(sum);
}
