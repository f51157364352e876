/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of what happens too often to read thread_clock_ns; in a file of its own, as that. */
#include <time.h>

#include "analysis/base/thread_clock.h"

uint64_t thread_coarse_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
