/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: compiled with what guards stacks and branches: canaries, probes, marks of branch targets. */
/* Flags: -fstack-protector-all -fstack-clash-protection -fcf-protection=full */
#include "guest.h"

__attribute__((noinline)) static long fills(char *to, int value)
{
	char here[5000];

	memset(here, value, sizeof here);
	memcpy(to, here + 7, 100);
	return here[4999];
}

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 100; i++) {
			char to[100];

			sum += fills(to, i) + to[50];
		}
	}
	return guest_end(sum);
}
