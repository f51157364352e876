/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: takes all rights from new files, and makes one. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "guest.h"

int main(void)
{
	struct stat status;
	int descriptor;

	umask(0777);
	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	descriptor = open("mine", O_CREAT | O_RDWR, 0666);
	fstat(descriptor, &status);
	return guest_end(status.st_mode + umask(022));
}
