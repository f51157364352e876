/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: a handler of SIGSEGV looks the interrupted instruction up in a table of fix-ups, as safe reads and JITs do. */
/* Does: refused */
/* Says: uses the address of the interrupted instruction */
#include "fixup_table.h"

int main(void)
{
	struct sigaction action = { .sa_sigaction = repair, .sa_flags = SA_SIGINFO };
	const long *nothing = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long sum = 0;

	sigaction(SIGSEGV, &action, NULL);
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < GUEST_ELEMENTS; i++)
			sum += read_safely(i % 4000 == 7 ? nothing : (const long *)&guest_to[i]) & 15;
	}
	return guest_end(sum + faults);
}
