/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_NUMA_WRITTEN_PAGES_H
#define MEMSEARCH_NUMA_WRITTEN_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"

/*
 * Pages that the phase wrote on the machine that the program ran on (run->writes), by array and by
 * first writer, and where that is another node than the page's. Reads are not in it.
 */
struct arena;

struct numa_writer {
	uint32_t thread, node; /* RUN_THREAD_UNKNOWN, RUN_PLACE_UNKNOWN: not measured */
	uint64_t pages;
};

struct numa_written {
	uint32_t array;                /* number in the run */
	const struct run_write *first; /* its rows */
	size_t nr_rows;
	/* pages by state; one that was watched stands for `every` */
	uint64_t written, unwritten, gone, huge, other, every;
	uint64_t unknown; /* of the written ones: their writers are not measured */
	size_t nr_writers;
	struct numa_writer *writers; /* most pages first; without the unknown ones */
	/* "one_writer", "private_blocks", "mixed"; NULL: writers are not measured */
	const char *pattern;
	/* written pages whose node and whose writer's node are known; of them on another node */
	uint64_t compared, remote;
};

struct numa_writes {
	const struct run *run;
	size_t nr;
	struct numa_written *arrays; /* most written pages first */
};

/* NULL: no memory, or page writes were not requested. In the arena; points to the run. */
const struct numa_writes *numa_writes(struct arena *arena, const struct run *run);
bool numa_is_written(const struct run_write *row);

#endif
