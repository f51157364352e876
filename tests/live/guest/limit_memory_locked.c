/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: without privilege, locks memory up to its limit and beyond: single blocks, all there is, and all there will be. */
/* Threads: 2 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "guest.h"

#define MB ((size_t)1 << 20)

/* What came of it, as one number. */
static long of(int status)
{
	return status ? errno : 0;
}

static long locked_block(size_t bytes)
{
	void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long came;

	if (block == MAP_FAILED)
		return -1;
	came = of(mlock(block, bytes));
	munmap(block, bytes);
	return came;
}

/* Blocks of 16 MB that are locked because everything is; at most `most`. */
static long blocks_in_lock(int most)
{
	void *block[64];
	int nr = 0;

	while (nr < most && (block[nr] = mmap(NULL, 16 * MB, PROT_READ | PROT_WRITE,
					      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED)
		nr++;
	for (int i = 0; i < nr; i++)
		munmap(block[i], 16 * MB);
	return nr;
}

static long limited(size_t bytes)
{
	const struct rlimit limit = { bytes, bytes };

	return of(setrlimit(RLIMIT_MEMLOCK, &limit));
}

int main(void)
{
	/* all that it has mapped is some 300 MB */
	long sum = limited(1000 * MB);

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step == GUEST_STEPS / 3 && geteuid() == 0)
			sum += setresgid(65534, 65534, 65534) + setresuid(65534, 65534, 65534);
		if (step == GUEST_STEPS / 2)
			sum = sum * 31 + of(mlockall(MCL_CURRENT)) + of(munlockall());
		if (step == GUEST_STEPS / 2 + 10)
			sum = sum * 31 + of(mlockall(MCL_CURRENT | MCL_FUTURE)) + blocks_in_lock(10);
	}
	sum = sum * 31 + of(munlockall()) + limited(100 * MB);
	sum = sum * 31 + locked_block(64 * MB) * 7 + locked_block(128 * MB);
	sum = sum * 31 + of(mlockall(MCL_CURRENT));
	return guest_end(sum);
}
