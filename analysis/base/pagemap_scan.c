/* SPDX-License-Identifier: Apache-2.0 */
/* The ioctl on /proc/self/pagemap. */
#include "analysis/base/pagemap_scan.h"

#include <sys/ioctl.h>

struct arguments {
	uint64_t size, flags, low, high, reached;
	uint64_t stretches, nr_stretches, most_pages;
	uint64_t inverted, all_of, any_of, told; /* categories */
};
#define SCAN_IOCTL _IOWR('f', 16, struct arguments)

int pagemap_scan(int pagemap, uintptr_t *low, uintptr_t high, unsigned int any, bool no_files,
		 struct pagemap_stretch *out, size_t room)
{
	uint64_t file = no_files ? PAGEMAP_FILE : 0;
	struct arguments arguments = {
		.size = sizeof(arguments),
		.low = *low,
		.high = high,
		.stretches = (uintptr_t)out,
		.nr_stretches = room,
		.inverted = file,
		.all_of = file,
		.any_of = any,
		.told = file ? file : PAGEMAP_PRESENT,
	};
	int nr = ioctl(pagemap, SCAN_IOCTL, &arguments);

	if (nr < 0 || arguments.reached <= *low)
		return -1;
	*low = arguments.reached;
	return nr;
}
