/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: the handler with a table of fix-ups is installed in the midst of a parallel region, after many steps. */
/* Does: refused */
#include "fixup_table.h"

static const long *nothing;

static void install(void)
{
	struct sigaction action = { .sa_sigaction = repair, .sa_flags = SA_SIGINFO };

	nothing = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &action, NULL);
}

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel reduction(+ : sum)
		{
			if (step == GUEST_STEPS / 2) {
#pragma omp single
				install();
			}
#pragma omp for schedule(static)
			for (int i = 0; i < GUEST_ELEMENTS; i++)
				sum += read_safely(nothing && i % 4000 == 7 ? nothing : (const long *)&guest_to[i]) & 15;
		}
	}
	return guest_end(sum + faults);
}
