/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_NUMA_PRINT_MEASURED_H
#define MEMSEARCH_NUMA_PRINT_MEASURED_H

/*
 * What the kernel had of pages on the machine that the program ran on, apart from what is about
 * modelled machines. `measured` NULL: nothing is printed.
 */
struct json;
struct numa_measured;
struct numa_measured_array;
struct numa_options;
struct text;
struct arena;

void numa_measured_text(struct text *out, const struct numa_measured *measured,
			const struct numa_options *options);
/* Member "measured" of the open object. */
void numa_measured_json(struct json *json, const struct numa_measured *measured);
/* "0=512 1=256": pages by node, of nodes that have some. */
const char *numa_measured_by_node(struct arena *arena, const struct numa_measured *measured,
				  const struct numa_measured_array *of);

#endif
