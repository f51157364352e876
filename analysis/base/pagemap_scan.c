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

#define PROTECT 1     /* PM_SCAN_WP_MATCHING */
#define ALL_WATCHED 2 /* PM_SCAN_CHECK_WPASYNC: EPERM where a mapping is not */

static int scan(int pagemap, uintptr_t *low, uintptr_t high, struct arguments *arguments,
		struct pagemap_stretch *out, size_t room)
{
	int nr;

	arguments->size = sizeof(*arguments);
	arguments->low = *low;
	arguments->high = high;
	arguments->stretches = (uintptr_t)out;
	arguments->nr_stretches = room;
	nr = ioctl(pagemap, SCAN_IOCTL, arguments);
	if (nr < 0 || arguments->reached <= *low)
		return -1;
	*low = arguments->reached;
	return nr;
}

int pagemap_scan(int pagemap, uintptr_t *low, uintptr_t high, unsigned int any, bool no_files,
		 struct pagemap_stretch *out, size_t room)
{
	uint64_t file = no_files ? PAGEMAP_FILE : 0;
	struct arguments arguments = {
		.inverted = file,
		.all_of = file,
		.any_of = any,
		.told = file ? file : PAGEMAP_PRESENT,
	};

	return scan(pagemap, low, high, &arguments, out, room);
}

int pagemap_scan_pages(int pagemap, uintptr_t *low, uintptr_t high,
		       const struct pagemap_pages *pages, struct pagemap_stretch *out, size_t room)
{
	struct arguments arguments = {
		.flags = pages->protect ? PROTECT | ALL_WATCHED : 0,
		.inverted = pages->without,
		.all_of = pages->with | pages->without,
		.told = PAGEMAP_PRESENT,
	};

	return scan(pagemap, low, high, &arguments, out, room);
}
