/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: may open a few descriptors only, and takes all it may: none is missing for it. */
/* Shell: ulimit -n 24 */
#include <fcntl.h>
#include <unistd.h>
#include "guest.h"

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step % 50 == 49) {
			int last = 0, nr = 0, taken[64];

			while ((last = open("/dev/null", O_RDONLY)) >= 0)
				taken[nr++] = last;
			sum = sum * 3 + nr;
			while (nr)
				close(taken[--nr]);
		}
	}
	return guest_end(sum);
}
