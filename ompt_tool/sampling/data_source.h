/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SAMPLING_DATA_SOURCE_H
#define MEMSEARCH_SAMPLING_DATA_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Where the data of a sampled access came from, for all PMUs; and how the kernel encodes it
 * (PERF_SAMPLE_DATA_SRC, union perf_mem_data_src of <linux/perf_event.h>; Arm's PMU does itself,
 * spe.h). There are two layouts: one bit a level with some for remote memories and caches, and
 * since Linux 4.14 the number of the level, "remote", and since 5.16 how far away. The newer one
 * counts where it is filled in.
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
	SERVED_DEVICE, /* memory that is not cached, I/O */
};

struct data_source {
	bool load, store; /* neither: not a data access, or unknown */
	enum served_by by;
	/* levels of cache that did not serve it, as far as is known: 0 … 3 */
	unsigned int missed;
	bool remote;   /* from another NUMA node */
	bool modified; /* another cache had it modified */
	bool walked;   /* no TLB knew the page */
};

/* Levels of cache that did not serve what this one did. */
unsigned int data_source_missed(enum served_by by);
/* Any thread, callbacks allowed. Bits of kernels to come are left alone. */
struct data_source data_source_of(uint64_t bits);

#endif
