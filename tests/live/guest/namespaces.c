/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: goes into a user and mount namespace of its own before its first region, which only a process of one thread can. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>
#include "guest.h"

int main(void)
{
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWNET)) {
		perror("unshare");
		return access("/proc/self/ns/user", F_OK) ? 77 : 5;
	}
	printf("mount %d\n", mount("none", "/mnt", "tmpfs", 0, NULL));
	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	return guest_end(0);
}
