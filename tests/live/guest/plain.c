/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: does nothing but its steps: what every other guest does, too. */
#include "guest.h"

int main(void)
{
	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	return guest_end(0);
}
