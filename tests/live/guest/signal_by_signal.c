/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: in each step installs, by signal(), a handler that changes the address of the interrupted instruction. */
/* Does: refused */
#define _GNU_SOURCE
#include <signal.h>
#include <ucontext.h>
#include "guest.h"

extern char __executable_start[];
static long seen;

static void handler(int number, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;

	(void)number, (void)info;
	__atomic_fetch_add(&seen, (char *)interrupted->uc_mcontext.gregs[REG_RIP] - __executable_start, __ATOMIC_RELAXED);
	interrupted->uc_mcontext.gregs[REG_RIP] += 2;
}

__asm__(".text\n.type illegal, @function\n.globl illegal\n"
	"illegal: .cfi_startproc\n	mov	(%rdi), %rax\n	ud2\n	add	8(%rdi), %rax\n	ret\n.cfi_endproc\n.size illegal, . - illegal\n");
extern long illegal(const long *);

__attribute__((noinline)) static long ask(const long *p, int i) { return illegal(p + (i & 3)) * 3 + p[(i + 1) & 7]; }

int main(void)
{
	long sum = 0, p[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		signal(SIGILL, (void (*)(int))(void *)handler);
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < GUEST_ELEMENTS; i += 200)
			sum += ask(p, i);
		sum += ask(p, step);
		signal(SIGILL, SIG_DFL);
	}
	return guest_end(sum + seen);
}
