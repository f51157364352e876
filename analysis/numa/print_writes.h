/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_NUMA_PRINT_WRITES_H
#define MEMSEARCH_NUMA_PRINT_WRITES_H

/* Written pages as text and JSON; `writes` NULL: they were not requested. */
struct json;
struct numa_options;
struct numa_writes;
struct text;

void numa_writes_text(struct text *out, const struct numa_writes *writes,
		      const struct numa_options *options);
/* Member page_writes. */
void numa_writes_json(struct json *json, const struct numa_writes *writes);

#endif
