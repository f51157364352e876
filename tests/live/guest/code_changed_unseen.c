/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: changes a constant in its code in the midst of each step, between its two regions, by system calls of its own, in serial code. */
/* Does: refused */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "guest.h"

__asm__(".text\n.type patched, @function\n.globl patched, patched_constant\n"
	"patched: .cfi_startproc\n	mov	(%rdi), %rax\n	.byte	0x48, 0x81, 0xc0\npatched_constant:	.long	1\n	ret\n.cfi_endproc\n"
	".size patched, . - patched\n");
extern long patched(const long *);
extern char patched_constant[];

__attribute__((noinline)) static long ask(const long *p, int i) { return patched(p + (i & 7)) * 3 + p[(i + 1) & 7]; }

static void protect(int how)
{
	long result = SYS_mprotect;

	__asm__ volatile("syscall" : "+a"(result) : "D"((uintptr_t)patched_constant & -4096ul), "S"(8192ul), "d"((long)how) : "rcx", "r11", "memory");
}

__attribute__((noinline)) static void change(int constant)
{
	protect(PROT_READ | PROT_WRITE | PROT_EXEC);
	memcpy(patched_constant, &constant, sizeof constant);
	protect(PROT_READ | PROT_EXEC);
}

int main(void)
{
	long sum = 0, p[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < GUEST_ELEMENTS; i += 10)
			sum += ask(p, i);
		change(step);
		sum += 11 * ask(p, step);
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < GUEST_ELEMENTS; i += 10)
			sum += 7 * ask(p, i);
		sum += ask(p, step);
	}
	return guest_end(sum);
}
