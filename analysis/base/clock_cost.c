/* SPDX-License-Identifier: Apache-2.0 */
/* What a reading of the clock takes. */
#include "analysis/base/clock_cost.h"

#include "analysis/base/thread_clock.h"

#define READINGS 1000

uint64_t clock_cost_ns(void)
{
	uint64_t last_ns = thread_clock_ns(), least_ns = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		uint64_t now_ns = thread_clock_ns();

		if (now_ns - last_ns < least_ns)
			least_ns = now_ns - last_ns;
		last_ns = now_ns;
	}
	return least_ns;
}
