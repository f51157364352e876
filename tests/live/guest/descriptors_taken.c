/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: puts files of its own on all numbers from 10 to the last one, whatever was there, and reads them to the end. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include "guest.h"

int main(void)
{
	struct rlimit limit = { 512, 512 };
	int zero = open("/dev/zero", O_RDONLY);
	long sum = 0;

	setrlimit(RLIMIT_NOFILE, &limit);
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step == GUEST_STEPS / 3)
			for (int descriptor = 10; descriptor < 512; descriptor++)
				sum += dup2(zero, descriptor);
		if (step > GUEST_STEPS / 3)
			for (int descriptor = 10; descriptor < 512; descriptor++) {
				char byte = 1;

				sum += read(descriptor, &byte, 1) + byte;
			}
	}
	return guest_end(sum);
}
