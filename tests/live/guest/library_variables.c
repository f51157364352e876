/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: is linked to a library of its own that exports variables with the names of libc's functions, as C and Fortran libraries without these headers do. */
/* Library: -fno-builtin -fvisibility=default */
/* Flags: OWN_LIBRARY */
#ifdef LIBRARY
double time, floor = 2, dladdr1 = 3;
long read = 4, access = 5, mkdir = 6, mprotect = 7, clock_gettime = 8, unlink = 9, isatty = 10;
int counts[10];

void advance(double by)
{
	time += by;
	counts[(int)time % 10] += read + access + mkdir + mprotect + clock_gettime + unlink + isatty;
}

double now(void)
{
	return time + floor + dladdr1 + counts[0];
}
#else
#include "guest.h"

void advance(double by);
double now(void);

int main(void)
{
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		advance(0.01);
	}
	printf("%.3f\n", now());
	return guest_end(0);
}
#endif
