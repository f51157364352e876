/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: closes every descriptor but the first three after some steps, as daemons do, and again. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>
#include "guest.h"

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step % 100 == 50) {
			for (int descriptor = 3; descriptor < 1024; descriptor++)
				close(descriptor);
			close_range(3, ~0u, 0);
			sum = sum * 10 + open("/dev/null", O_RDWR);
		}
	}
	return guest_end(sum);
}
