/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PHASES_ANCHOR_H
#define MEMSEARCH_PHASES_ANCHOR_H

#include <stdbool.h>
#include <stdint.h>

/*
 * For programs whose sequence of regions never repeats exactly (inner solvers that
 * iterate until they converge): the intervals between two begins of each region, and
 * the region whose intervals cover most of the time with the least variation.
 *
 * Allocates nothing; one thread only.
 */
#define ANCHOR_REGIONS 4096u /* regions with a higher number cannot be anchors */
#define ANCHOR_LEVELS 2

/* between the begins of one region */
struct intervals {
	uint64_t first_ns, last_ns;
	double squares; /* sum of squared intervals */
	uint32_t begins;
	uint32_t epoch; /* of its level when it was last cleared */
	uint32_t level;
	uint32_t symbol;
};

struct anchors {
	uint32_t nr; /* 1 + highest region number met */
	uint32_t epoch[ANCHOR_LEVELS];
	uint64_t begin_ns[ANCHOR_LEVELS]; /* when the intervals of a level were last forgotten */
	struct intervals regions[ANCHOR_REGIONS];
};

/* Region `symbol` (see period.h) begins. */
void anchors_add(struct anchors *anchors, uint32_t level, uint32_t symbol, uint64_t now_ns);
void anchors_forget(struct anchors *anchors, uint32_t level, uint64_t now_ns);

/*
 * How often a region began since its level was last forgotten; 0 for one that cannot be an anchor.
 */
uint32_t anchors_begins(const struct anchors *anchors, uint32_t level, uint32_t symbol);

/* When it began first since then; `now_ns`: it did not. */
uint64_t anchors_first_ns(const struct anchors *anchors, uint32_t level, uint32_t symbol,
			  uint64_t now_ns);

/* Mean interval and coefficient of variation of a region; false: fewer than three intervals. */
bool anchors_variation(const struct anchors *anchors, uint32_t level, uint32_t symbol,
		       double *mean_ns_out, double *variation_out);

/*
 * The best anchor of a level: executed at least four times over `enough_ns`, still
 * active, variation below `variation`, mean interval above `mean_ns`. Among equally
 * regular ones the first that began: an outer loop begins before its inner loops.
 */
bool anchors_best(const struct anchors *anchors, uint32_t level, uint64_t now_ns, double enough_ns,
		  double mean_ns, double variation, uint32_t *symbol_out);

#endif
