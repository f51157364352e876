/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of all event times; alone in its file so that the fake host can replace it. */
#include <time.h>

#include "analysis/base/thread_clock.h"

uint64_t thread_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
