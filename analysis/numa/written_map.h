/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_NUMA_WRITTEN_MAP_H
#define MEMSEARCH_NUMA_WRITTEN_MAP_H

/*
 * Pages of an array that the phase wrote in the blocks of page_map.h, from its first watched page to
 * its last: `user` is the node and `thread` the thread of the first writes; NUMA_NOBODY: not written.
 */
struct numa_map;
struct numa_writes;
struct numa_written;

void numa_written_map(const struct numa_writes *writes, const struct numa_written *of,
		      struct numa_map *out);

#endif
