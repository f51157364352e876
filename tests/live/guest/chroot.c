/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: locks itself up in an empty folder after some steps: no file can be found by its name any more. */
#include <sys/stat.h>
#include <unistd.h>
#include "guest.h"

int main(void)
{
	if (geteuid())
		return 77;
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step == GUEST_STEPS / 2 && (mkdir("jail", 0755) || chroot("jail") || chdir("/")))
			return 1;
	}
	return guest_end(access("/bin/sh", F_OK));
}
