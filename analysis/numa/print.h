/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_NUMA_PRINT_H
#define MEMSEARCH_NUMA_PRINT_H

#include <stdbool.h>
#include <stddef.h>

/* The ranking of `memsearch numa`. */
struct numa_ranking;
struct text;

struct numa_options {
	size_t most;        /* arrays; 0: all; text only */
	bool colour, brief; /* brief: without the program's path */
	bool ranges;        /* JSON: page ranges */
	int width;
};

void numa_text(struct text *out, const struct numa_ranking *ranking,
	       const struct numa_options *options);
/* Schema "memsearch-numa-1". */
void numa_json(struct text *out, const struct numa_ranking *ranking,
	       const struct numa_options *options);
/* A row for each array. */
void numa_csv(struct text *out, const struct numa_ranking *ranking,
	      const struct numa_options *options);
/* Why there is no ranking: what the machine or the record lacks. NULL: there is one. */
const char *numa_why_none(struct text *out, const struct numa_ranking *ranking);

#endif
