/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: allocates in constructors, before main, and in destructors, after it, and frees what others allocated. */
#include "guest.h"

static char *early;
static long sum;

__attribute__((constructor(101))) static void first(void)
{
	early = malloc(1000);
	strcpy(early, "early");
}
__attribute__((constructor)) static void second(void)
{
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 1000; i++) {
		char *block = malloc(i + 1);

		block[0] = i;
		sum += block[0];
		free(block);
	}
}
__attribute__((destructor(101))) static void last(void)
{
	early = realloc(early, 100000);
	printf("%s %ld\n", early, sum);
	fflush(stdout);
	free(early);
}

int main(void)
{
	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	return guest_end(sum);
}
