/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: the stack has no limit, by which the kernel lays out memory the old way. */
/* Shell: ulimit -s unlimited */
#include "guest.h"

int main(void)
{
	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	return guest_end(0);
}
