/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: counts on getting the lowest free numbers for its descriptors, before and after its first region, and on every other number being free. */
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include "guest.h"

int main(void)
{
	long sum = open("/dev/null", O_RDONLY);

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step % 20 == 0)
			sum = sum * 3 + open("/dev/null", O_RDONLY);
	}
	return guest_end(sum);
}
