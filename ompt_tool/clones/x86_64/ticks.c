/* SPDX-License-Identifier: Apache-2.0 */
/* The time-stamp counter (Intel SDM 3B, 18.17). */
#include "ompt_tool/clones/ticks.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <sys/prctl.h>
#include <x86intrin.h>

enum { POWER_LEAF = 0x80000007, INVARIANT = 1 << 8 };

uint64_t clone_ticks(void)
{
	return __rdtsc();
}

const char *clone_ticks_unsupported(void)
{
	unsigned int eax, ebx, ecx, edx;
	int mode = 0;

	if (!__get_cpuid(POWER_LEAF, &eax, &ebx, &ecx, &edx) || !(edx & INVARIANT))
		return "the CPU's time-stamp counter does not run at a constant rate";
	if (!prctl(PR_GET_TSC, &mode) && mode != PR_TSC_ENABLE)
		return "the program may not read the CPU's time-stamp counter (PR_SET_TSC)";
	return NULL;
}

#else
uint64_t clone_ticks(void)
{
	return 0;
}

const char *clone_ticks_unsupported(void)
{
	return "functions of this architecture cannot be copied";
}
#endif
