/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: takes SIGALRM every 200 us in whatever it does; the handler runs a function of the regions. */
#include <signal.h>
#include <sys/time.h>
#include "guest.h"

static volatile double seen;
static volatile long wrong, ticks;

static void tick(int number)
{
	double before = seen;

	(void)number;
	seen = guest_value(3);
	wrong += before != 0 && before != seen;
	ticks++;
}

int main(void)
{
	struct itimerval every = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };

	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	setitimer(ITIMER_REAL, &never, NULL);
	return guest_end(wrong * 2 + (ticks > 0));
}
