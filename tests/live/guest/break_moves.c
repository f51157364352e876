/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: moves its program break itself, some hundred MiB in small steps while it works: nothing may stand in its way. */
#define _GNU_SOURCE
#include <malloc.h>
#include <unistd.h>
#include "guest.h"

int main(void)
{
	long sum = 0;
	char *begin;

	mallopt(M_MMAP_THRESHOLD, 1);    /* malloc itself does not move it */
	begin = sbrk(0);
	for (int step = 0; step < GUEST_STEPS; step++) {
		char *piece;

		guest_step();
		piece = sbrk(1 << 20);
		if (piece == (char *)-1)
			return guest_end(-step);
		piece[5] = step;
		sum += piece - begin == (long)step << 20;
	}
	return guest_end(sum);
}
