/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_PAGEMAP_SCAN_H
#define MEMSEARCH_BASE_PAGEMAP_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Pages of the process by what they are: ioctl PAGEMAP_SCAN of Linux 6.7
 * (Documentation/admin-guide/mm/pagemap.rst), absent from older headers. It skips ranges without
 * page tables, as in most of a sparsely used reservation, where pread(2) and mincore(2) take each
 * page.
 */
enum pagemap_category {
	PAGEMAP_WATCHED = 1 << 0, /* in memory of a userfaultfd with WP_ASYNC */
	PAGEMAP_WRITTEN = 1 << 1, /* not write-protected (pagemap_pages), or no longer */
	PAGEMAP_FILE = 1 << 2,    /* of a file, or shared */
	PAGEMAP_PRESENT = 1 << 3,
	PAGEMAP_SWAPPED = 1 << 4,
	PAGEMAP_ZEROS = 1 << 5, /* the kernel's page of zeros: read, never written */
	PAGEMAP_HUGE = 1 << 6,
};

/* Pages with all of the categories `with`, and none of `without`. */
struct pagemap_pages {
	unsigned int with, without;
	/*
	 * also write-protects them; all must be PAGEMAP_WATCHED. The kernel ends that at the first
	 * write to each page, without a message.
	 */
	bool protect;
};

struct pagemap_stretch {
	uint64_t low, high, categories; /* as the kernel writes it; the last as requested */
};

/*
 * Puts at most `room` stretches of [*low, high), whole pages, with any of the categories `any`, and
 * not PAGEMAP_FILE if `no_files`, to `out`, returns their number, and advances *low behind what was
 * scanned. -1: the kernel does not do that; *low stays. `pagemap` is an open /proc/self/pagemap.
 */
int pagemap_scan(int pagemap, uintptr_t *low, uintptr_t high, unsigned int any, bool no_files,
		 struct pagemap_stretch *out, size_t room);

/* The same for other pages; the stretches have no categories. */
int pagemap_scan_pages(int pagemap, uintptr_t *low, uintptr_t high,
		       const struct pagemap_pages *pages, struct pagemap_stretch *out, size_t room);

#endif
