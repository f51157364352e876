/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: maps another version over a page of its code in the midst of each step, as live patching does. */
/* Does: refused */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>
#include "guest.h"

__asm__(".pushsection .text.mapped_over, \"ax\", @progbits\n.balign 4096\n.type patched, @function\n.globl patched\n"
	"patched: .cfi_startproc\n	mov	(%rdi), %rax\n	.byte	0x48, 0x81, 0xc0\n	.long	1\n	ret\n.cfi_endproc\n"
	".size patched, . - patched\n.balign 4096\n.popsection\n");
extern long patched(const long *);

__attribute__((noinline)) static long ask(const long *p, int i) { return patched(p + (i & 7)) * 3 + p[(i + 1) & 7]; }

static int version(int added)
{
	int file = memfd_create("code", 0);
	char page[4096];

	memcpy(page, (const void *)patched, sizeof page);
	memcpy(page + 6, &added, sizeof added);
	return write(file, page, sizeof page) == (ssize_t)sizeof page ? file : -1;
}

int main(void)
{
	long sum = 0, p[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	int files[] = { version(1), version(1001) };

	if (files[0] < 0 || files[1] < 0)
		return 77;
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		for (int half = 0; half < 2; half++) {
			mmap((void *)patched, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, files[half], 0);
#pragma omp parallel for schedule(static) reduction(+ : sum)
			for (int i = 0; i < GUEST_ELEMENTS; i += 10)
				sum += ask(p, i);
			sum += ask(p, step);
		}
	}
	return guest_end(sum);
}
