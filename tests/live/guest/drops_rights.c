/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: becomes the user nobody after some steps, as servers do, and cannot be looked into (dumpable 0). */
#define _GNU_SOURCE
#include <sys/prctl.h>
#include <unistd.h>
#include "guest.h"

int main(void)
{
	long sum = 0;

	if (geteuid())
		return 77;
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step == GUEST_STEPS / 2)
			sum += setresgid(65534, 65534, 65534) + setresuid(65534, 65534, 65534);
		sum += getuid();
	}
	return guest_end(sum + prctl(PR_GET_DUMPABLE));
}
