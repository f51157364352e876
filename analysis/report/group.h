/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_GROUP_H
#define MEMSEARCH_REPORT_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"

/*
 * Findings that are one to the reader: the same property at the same place in the source, in
 * several regions, because one pragma is reached in several ways (call sites, recursion). For the
 * text report; the formats for machines keep them apart.
 */
struct arena;

struct finding_group {
	const struct run_node *worst;
	size_t nr;                  /* findings in it */
	double severity, low, high; /* of all together, at most 1 */
};

/* Regions of one place; two that nothing is known of are two. */
bool finding_same_place(const struct run_region *a, const struct run_region *b);

/* How many places the regions are at; sorts them. */
size_t finding_places(const struct run_region **regions, size_t nr);

/*
 * Of `ids`, which report_rank_by made, in the same order: by lower bound, or by the highest rate.
 * Returns how many; 0 also without memory.
 */
size_t finding_groups(struct arena *arena, const struct run *run, const uint32_t *ids, size_t nr,
		      bool by_rate, struct finding_group **out);

#endif
