/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_RANK_H
#define MEMSEARCH_REPORT_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"

/* The order of findings, for all formats of the report. */
struct arena;

/* What a proven node is to the reader. */
enum report_standing {
	REPORT_FINDING,
	/* it is so, but what it costs lies between nothing and the upper bound of its severity */
	REPORT_CANDIDATE,
	/* a finding about another machine than the one that it ran on (--machine) */
	REPORT_MODELLED,
	REPORT_STEP, /* severity 0: only led the search to others */
};
enum report_standing report_standing(const struct run *run, const struct run_node *node);

/*
 * Nodes of that standing in print order: proven nodes by lower bound of severity (candidates by the
 * upper one), parents folded into the chain of the child that explains them unless `all`. Returns
 * indices into run->nodes, in the arena.
 */
size_t report_rank(struct arena *arena, const struct run *run, enum report_standing standing,
		   bool all, const uint32_t **out);
/*
 * The same by rate (finding_rate), the highest first, where `by_rate` (P24 of Gerndt & Kereku's rankings:
 * severity may be the miss rate); behind these, in the order above, nodes without one.
 */
size_t report_rank_by(struct arena *arena, const struct run *run, enum report_standing standing,
		      bool all, bool by_rate, const uint32_t **out);

#endif
