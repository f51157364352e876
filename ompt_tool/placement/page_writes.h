/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PLACEMENT_PAGE_WRITES_H
#define MEMSEARCH_PLACEMENT_PAGE_WRITES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Which pages of arrays are written in some executions of the phase, and by which thread first
 * (write_watch.h). Watched are pages that lie in one array entirely, are in memory, of the system's
 * size, private and of no file. At most PAGE_WRITES_MOST of them: of larger arrays one page in each
 * group of `every` pages, at a varying position.
 *
 * The kernel says which pages were written. Their writers are the threads of page faults at these
 * addresses meanwhile, where the sensor faults samples them; automatic NUMA balancing causes
 * other faults, so that with it writers are not measured. Later writers of a page are not seen.
 *
 * At phase boundaries, one thread at a time.
 */
struct arena;
struct page_writes;
struct run;

/* The fault samples of a thread fit into its ring (sensors/faults.c). */
#define PAGE_WRITES_MOST 8192u
#define PAGE_WRITES_BYTES (16ull << 30) /* of address space that is examined: some 40 ms */

/* NULL: no memory. */
struct page_writes *page_writes_new(struct arena *arena, struct run *run);
/* Watches pages from now on. False: none; run->writing.why has the reason. */
bool page_writes_begin(struct page_writes *writes);
/* Pages are watched. */
bool page_writes_are_watched(const struct page_writes *writes);
/* `executions` of the phase have ended: reads which pages were written, and ends watching. */
void page_writes_end(struct page_writes *writes, uint64_t executions);
/* Ends watching without a result, for this reason. No effect where no page is watched. */
void page_writes_stop(struct page_writes *writes, const char *why);
/*
 * A page fault at a time of CLOCK_MONOTONIC; also after the end. True: it is a write to a watched
 * page, and no first touch. `writes` may be NULL.
 */
bool page_writes_fault(struct page_writes *writes, uint64_t address, uint64_t when_ns,
		       uint32_t thread, uint32_t node);
/* Writes the rows of the run, replacing those of an earlier call. False: no memory. */
bool page_writes_harvest(const struct page_writes *writes);

#endif
