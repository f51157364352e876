/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_NUMA_MEASURED_MAP_H
#define MEMSEARCH_NUMA_MEASURED_MAP_H

/*
 * The pages of an array as the kernel had them, in the blocks of page_map.h; `user` is NUMA_NOBODY.
 */
struct numa_map;
struct numa_measured;
struct numa_measured_array;

void numa_measured_map(const struct numa_measured *measured, const struct numa_measured_array *of,
		       struct numa_map *out);

#endif
