/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PLACEMENT_LARGE_PAGES_H
#define MEMSEARCH_PLACEMENT_LARGE_PAGES_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"

/*
 * What of an array lies in pages larger than the system's, and whether a file is behind it, by
 * /proc/self/smaps (proc(5)): KernelPageSize (hugetlbfs), AnonHugePages, Rss.
 */
struct arena;

/*
 * Fills in huge_bytes and file of placements whose stretches are known. If a mapping has
 * transparent huge pages in part, an array gets its share by the array's part of the mapping's
 * memory. The kernel walks all page tables for this, some 45 ns per resident page: above
 * LARGE_PAGES_RESIDENT bytes it is skipped, and huge_bytes stays RUN_HUGE_UNKNOWN. Once, at the
 * end.
 */
#define LARGE_PAGES_RESIDENT (2ull << 30) /* bytes: some 25 ms */
void large_pages_fill(struct arena *scratch, uint64_t page_bytes, struct run_placement *items,
		      size_t nr);
/* The same of a file in the form of smaps; for tests. */
void large_pages_read(struct arena *scratch, const char *path, uint64_t page_bytes,
		      struct run_placement *items, size_t nr);

#endif
