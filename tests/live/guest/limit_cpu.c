/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: has a limit of CPU time, whose signal it counts, and is killed by it in the end if it goes on. */
/* Its 0.2 s may become eleven times as much where everything is recorded (--overhead 1000%). */
/* Shell: ulimit -S -t 3 */
/* Does: cut off */
#include <signal.h>
#include "guest.h"

int main(void)
{
	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	guest_end(0);
	fflush(stdout);
	for (;;)
		guest_step();
}
