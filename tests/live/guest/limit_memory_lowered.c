/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: limits its addresses and its data memory while it runs, reads the limits back, and allocates up to them. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "guest.h"

#define MB ((rlim_t)1 << 20)

/* Blocks of 16 MB, at most `most`. */
static long blocks(int most)
{
	char *volatile block;
	long nr = 0;

	while (nr < most && (block = malloc(16 << 20))) {
		block[nr] = 1;
		nr++;
	}
	return nr;
}

static long known(int resource)
{
	struct rlimit now;

	if (getrlimit(resource, &now))
		return -1;
	return (long)(now.rlim_cur / MB * 31 + now.rlim_max / MB);
}

int main(void)
{
	const struct rlimit addresses = { 4000 * MB, 4200 * MB }, data = { 3000 * MB, 3100 * MB },
			    less = { 3900 * MB, 4200 * MB };
	const struct rlimit *volatile nowhere = (const struct rlimit *)8;
	struct rlimit before;
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step == GUEST_STEPS / 4)
			sum += setrlimit(RLIMIT_AS, &addresses) + known(RLIMIT_AS) + blocks(10);
		if (step == GUEST_STEPS / 2)
			sum += prlimit(0, RLIMIT_DATA, &data, NULL) + known(RLIMIT_DATA) + blocks(10);
	}
	sum = sum * 31 + setrlimit(RLIMIT_AS, nowhere) + (errno == EFAULT);
	sum += syscall(SYS_prlimit64, 0, RLIMIT_AS, &less, &before);
	sum = sum * 31 + (long)(before.rlim_cur / MB) + known(RLIMIT_AS);
	/* 300 MB more are there, 5 GB are not */
	sum = sum * 31 + blocks(18);
	sum = sum * 31 + (blocks(320) < 320);
	return guest_end(sum);
}
