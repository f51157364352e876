/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: dies of SIGPIPE, as writers into closed pipes do. */
/* Does: cut off */
#include <unistd.h>
#include "guest.h"

int main(void)
{
	int ends[2];

	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	guest_end(0);
	fflush(stdout);
	return pipe(ends) || close(ends[0]) || write(ends[1], "x", 1) != 1;
}
