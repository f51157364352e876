/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PLACEMENT_WRITE_WATCH_H
#define MEMSEARCH_PLACEMENT_WRITE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ompt_tool/arrays/residence.h"

/*
 * Write protection of pages that the kernel ends by itself at the first write: userfaultfd(2) with
 * WP_ASYNC, set and read by PAGEMAP_SCAN (Linux 6.7). Nothing waits and there is no signal; writes
 * by system calls end the protection, too. The first write to a page is a minor page fault, which
 * the sensor faults samples with thread and address. Reads are not seen.
 *
 * Whole mappings are registered, so that none is split: mremap(2) refuses ranges of two mappings.
 * A child of fork(2) has pages without protection. Not for huge pages: the kernel splits them for
 * good. One thread at a time; not in callbacks.
 */
struct write_watch {
	int fd;
	dev_t device; /* of fd: the program may close it, and get its number */
	ino_t inode;
};

/* False: not possible here; *why_out says why (static). */
bool write_watch_open(struct write_watch *watch, const char **why_out);
/* False: the kernel refuses this mapping (another userfaultfd has it). */
bool write_watch_register(const struct write_watch *watch, const struct memory_range *mapping);
/*
 * Ends protection and registration of the mappings, and closes. Also after the program has changed
 * the mappings.
 */
void write_watch_close(struct write_watch *watch, const struct memory_ranges *mappings);

#endif
