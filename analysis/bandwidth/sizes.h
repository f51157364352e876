/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BANDWIDTH_SIZES_H
#define MEMSEARCH_BANDWIDTH_SIZES_H

#include <stdint.h>

#include "memsearch/status.h"

/*
 * Bounds of the size of arrays that measure memory and not caches. Private to analysis/bandwidth.
 */
struct bandwidth_sizes {
	int *cpus; /* this process may use; freed by release */
	uint32_t nr_cpus;
	uint64_t cache; /* bytes of the last-level cache of the first of them, */
	/* … and of all, each counted once; 32 MiB if /sys has no sizes */
	uint64_t caches;
	/* bytes of all their data caches, each counted once; 0: /sys has no sizes */
	uint64_t all_levels;
	/* bytes that may be taken: a quarter of what is available, here and in the cgroup */
	uint64_t memory;
};

enum ms_status bandwidth_sizes_find(struct bandwidth_sizes *sizes_out);
void bandwidth_sizes_release(struct bandwidth_sizes *sizes);

struct bandwidth;
/* Sets the latency, on the calling thread: some 0.1 s. Unchanged where it cannot be measured. */
void bandwidth_latency(const struct bandwidth_sizes *sizes, struct bandwidth *out);

#endif
