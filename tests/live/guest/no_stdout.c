/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: closes stdin, stdout and stderr and has files of its own in their place: nothing but its own words may come there. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "guest.h"

int main(void)
{
	struct stat status;
	int kept = dup(1), data;
	char text[65] = "";

	close(0);
	close(1);
	close(2);
	for (int i = 0; i < 3; i++)
		open("data", O_CREAT | O_RDWR | O_APPEND, 0600);
	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	data = fileno(stdout);
	printf("%016llx\n", (unsigned long long)guest_sum());
	fflush(stdout);
	fstat(data, &status);
	pread(0, text, 64, 0);
	dprintf(kept, "%ld bytes: %s", (long)status.st_size, text);
	return 0;
}
