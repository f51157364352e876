/* Guest: compares where calls returned with where they should, as code with speculative load hardening does. */
/* Flags: -mspeculative-load-hardening */
/* Compilers: clang */
/* Does: refused */
#include "guest.h"

int main(void)
{
	double sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for schedule(dynamic, 500) reduction(+ : sum)
		for (int i = 0; i < GUEST_ELEMENTS; i++)
			sum += guest_value(guest_to[i]) > 0.5;
	}
	printf("%.10g %.10g\n", sum, guest_to[77]);
	return 0;
}
