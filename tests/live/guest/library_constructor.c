/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: is linked to a library that runs regions in its constructor and its destructor. */
/* Library: */
/* Flags: OWN_LIBRARY */
#ifdef LIBRARY
#include <stdio.h>
long from_library(void);
static long sum;
static void add(void)
{
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 10000; i++)
		sum += i % 7;
}
__attribute__((constructor)) static void begin(void)
{
	for (int i = 0; i < 20; i++)
		add();
}
__attribute__((destructor)) static void end(void)
{
	add();
	printf("at the end %ld\n", sum);
	fflush(stdout);
}
long from_library(void)
{
	return sum;
}
#else
#include "guest.h"
long from_library(void);
int main(void)
{
	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	return guest_end(from_library());
}
#endif
