/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_CALL_TREE_H
#define MEMSEARCH_DIFFERENTIAL_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/index_table.h"
#include "analysis/differential/match.h"

/*
 * The places of matched runs as one tree: the whole phase, functions that lead to regions, regions
 * within regions, and the data structures that they access. For pictures and exports; not here:
 * values.
 */
struct arena;

enum call_kind { CALL_PHASE, CALL_FUNCTION, CALL_REGION, CALL_DATA };
#define CALL_NONE UINT32_MAX

struct call_node {
	enum call_kind kind;
	uint32_t parent; /* an earlier node; CALL_NONE: it is the phase, node 0 */
	/* numbers of the match, or PROFILE_NONE; a function has neither */
	uint32_t place, array;
	const char *name; /* "calc2", "loop in calc2 (swim.c:117)", "unew" */
	uint32_t depth;   /* of the phase 0 */
	/* first child, next sibling, or CALL_NONE; siblings in the order in which they came */
	uint32_t first, next;
	uint32_t last; /* last child */
};

struct call_tree {
	struct arena *arena;
	const struct match *match;
	struct call_node *nodes;
	size_t nr, room;
	uint32_t *of_place;       /* node of each of the match's places */
	struct index_table index; /* of functions and data structures */
	bool failed;              /* there was no memory for a node */
};

/*
 * The phase, functions and regions of the match, which has to live as long. In the arena. False: no
 * memory.
 */
bool call_tree_build(struct arena *arena, const struct match *match, struct call_tree *out);
/*
 * The node of a place (array PROFILE_NONE) or of a data structure in it, which is added where it is
 * not there. CALL_NONE: no memory.
 */
uint32_t call_tree_node(struct call_tree *tree, uint32_t place, uint32_t array);
/*
 * From values as measured to values of each node alone and with all below it, in `own` and `total`
 * [nr]; `values` [nr] is NAN where nothing was measured. `exclusive`: a region's value leaves out
 * regions inside of it (metrics.h). Where inner regions have more than the outer one, which times
 * in other executions can, the outer one has 0 alone and as much as they have in all. NAN: nothing
 * was measured in the node; in all: neither below it.
 */
void call_tree_sum(const struct call_tree *tree, const double *values, bool exclusive, double *own,
		   double *total);

#endif
