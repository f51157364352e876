/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_NUMA_PRINT_WRITES_H
#define MEMSEARCH_NUMA_PRINT_WRITES_H

/* Written pages as text and JSON; `writes` NULL: they were not requested. */
struct arena;
struct json;
struct numa_options;
struct numa_writes;
struct numa_written;
struct text;

void numa_writes_text(struct text *out, const struct numa_writes *writes,
		      const struct numa_options *options);
/* Member page_writes. */
void numa_writes_json(struct json *json, const struct numa_writes *writes);
/* "0=128 1=120": written pages by thread, most first; NULL: not measured. */
const char *numa_written_by_thread(struct arena *arena, const struct numa_written *of);

#endif
