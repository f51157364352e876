/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: per-CPU counters by restartable sequences in a parallel loop, as in per-CPU allocators. */
/* Threads: 8 */
/* Shell: export OMP_WAIT_POLICY=passive */
/* Does: refused */
/* Says: it has restartable sequences */
#include "guest.h"

#include <stddef.h>
#include <sys/rseq.h>

#define CPUS 64
#define LINE 16                          /* words */

static long counts[CPUS * LINE] __attribute__((aligned(128)));

static struct rseq *area(void) { return (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset); }

/* The loop in its middle makes preemption there likely. linux/rseq.h has the descriptor's layout. */
static inline void count(void)
{
	for (;;) {
		struct rseq *self = area();
		unsigned int cpu = self->cpu_id_start;
		long *place = counts + cpu % CPUS * LINE;

		__asm__ goto volatile(
			".pushsection __rseq_cs, \"aw\"\n.balign 32\n3: .long 0, 0\n.quad 1f, 2f - 1f, 4f\n.popsection\n"
			"lea 3b(%%rip), %%rax\n mov %%rax, 8(%0)\n"
			"1: cmp %1, 4(%0)\n jnz 4f\n mov (%2), %%rax\n mov $1000, %%ecx\n5: dec %%ecx\n jnz 5b\n add $1, %%rax\n mov %%rax, (%2)\n2:\n"
			".pushsection __rseq_failure, \"ax\"\n.byte 0x0f, 0xb9, 0x3d\n.long 0x53053053\n4: jmp %l[again]\n.popsection\n"
			: : "r"(self), "r"(cpu), "r"(place) : "rax", "rcx", "memory", "cc" : again);
		return;
again:;
	}
}

int main(void)
{
	long sum = 0;

	if (!__rseq_size || (int)area()->cpu_id < 0)
		return 77;
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for schedule(static)
		for (int i = 0; i < 2000; i++) {
			guest_to[i] += 1;
			count();
		}
	}
	for (int i = 0; i < CPUS * LINE; i++)
		sum += counts[i];
	return guest_end(sum);
}
