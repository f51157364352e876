/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: lowers its limits of descriptors, of processes and of a core's size to what it has, after some steps. */
#define _GNU_SOURCE
#include <sys/resource.h>
#include "guest.h"

int main(void)
{
	struct rlimit few = { 5, 5 }, none = { 0, 0 }, now;
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step == GUEST_STEPS / 2)
			sum += setrlimit(RLIMIT_NOFILE, &few) + setrlimit(RLIMIT_NPROC, &none) + setrlimit(RLIMIT_CORE, &none);
	}
	for (int which = 0; which < RLIM_NLIMITS; which++)
		if (which != RLIMIT_STACK && !getrlimit(which, &now))
			sum = sum * 31 + now.rlim_cur % 1000003 + now.rlim_max % 1000003;
	return guest_end(sum);
}
