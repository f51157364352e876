/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SAMPLING_DATA_SOURCE_H
#define MEMSEARCH_SAMPLING_DATA_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The cache level or memory that served a sampled access, for all PMUs; and its encoding by the
 * kernel (PERF_SAMPLE_DATA_SRC, union perf_mem_data_src of <linux/perf_event.h>; Arm's PMU encodes
 * it itself, spe.h). There are two layouts: one bit per level, with some bits for remote memories
 * and caches; and since Linux 4.14 the number of the level, "remote", and since 5.16 the distance.
 * The newer one is used if it is filled in.
 */
enum served_by {
	SERVED_UNKNOWN,
	SERVED_L1,
	/* a line in flight (fill buffer): missed the first level, the other levels are unknown */
	SERVED_BUFFER,
	SERVED_L2,
	SERVED_L3,
	SERVED_CACHE, /* of another core or socket */
	SERVED_MEMORY,
	SERVED_DEVICE, /* uncached memory, I/O */
};

struct data_source {
	bool load, store; /* neither: not a data access, or unknown */
	enum served_by by;
	/* levels of cache that did not serve it, as far as is known: 0 … 3 */
	unsigned int missed;
	bool remote;   /* from another NUMA node */
	bool modified; /* modified in another core's cache */
	bool walked;   /* missed all TLBs */
};

/* Number of cache levels that an access served by `by` has missed. */
unsigned int data_source_missed(enum served_by by);
/* Any thread, callbacks allowed. Ignores bits that future kernels may add. */
struct data_source data_source_of(uint64_t bits);

#endif
