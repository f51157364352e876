/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory the program may still map. */
#include "analysis/base/address_space.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "analysis/base/system_text.h"

size_t address_space_left(void)
{
	struct rlimit limit;
	char text[256];
	size_t taken;

	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY || !system_text_read("/proc/self/statm", text, sizeof(text)))
		return SIZE_MAX;
	taken = strtoul(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);         /* its first number, see proc(5) */
	return limit.rlim_cur > taken ? limit.rlim_cur - taken : 0;
}
