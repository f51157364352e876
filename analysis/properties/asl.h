/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROPERTIES_ASL_H
#define MEMSEARCH_PROPERTIES_ASL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/properties/property.h"
#include "analysis/properties/expression.h"

/*
 * The parsed form of property files: trees that the parser (asl.l, asl.y) builds, semantics.c resolves
 * and types in place, and evaluate.c walks. Private to analysis/properties.
 *
 * To add a function to the language: 1. its row in ASL_FUNCTIONS; 2. its type in semantics.c; 3. its
 * value in evaluate.c. A constant: its row in ASL_CONSTANTS. A unit: its row in unit.c. A word for
 * templates: its name in `words` (semantics.c).
 */
struct arena;

struct asl_name {
	const char *text;
	int line, column;
};

struct asl_names {
	struct asl_name *items;
	size_t nr, room;
};

struct binding {
	struct asl_name name;
	struct expr *value;
	const char *unit; /* in text, for the evidence */
};

struct indices {
	uint32_t *items;
	size_t nr, room;
};

/* A derived metric: METRIC name [unit] = formula "meaning"; */
struct formula {
	struct asl_name name;
	const char *meaning;
	struct unit unit;
	const char *unit_name;
	struct expr *body;
	/* of its body and the deepest one named there; known when it is checked */
	int depth;
	const char *file;
	/* metrics that it needs, of either() the first; known when it is checked */
	struct indices always;
};

/* A piece of a file; `last_column` is behind its last letter. */
struct asl_span {
	int first_line, first_column, last_line, last_column;
};

#define FORMULA_CLAUSES 6 /* LET, CONDITION, CONFIDENCE, SEVERITY, BY THREAD, BY NODE */

enum property_link { LINK_REFINES, LINK_REQUIRES, LINK_EXCLUDES, LINKS };

struct property {
	struct asl_name name, region, phase; /* the two parameters */
	const char *file;
	const char *source; /* the text of the whole file */
	size_t source_length;
	struct asl_span clauses[FORMULA_CLAUSES]; /* of formulas, in the order of the file */
	size_t nr_clauses;
	const char *title, *hint, *explanation, *advice;
	struct asl_name hint_at, explanation_at, advice_at;
	struct asl_names alias_names, kind_names, view_names, link_names[LINKS];
	const char **aliases;
	size_t nr_aliases;
	uint32_t kinds; /* 1 << enum ms_region_kind */
	uint32_t views; /* 1 << enum property_view */
	size_t nr_bindings;
	struct binding bindings[MS_EVIDENCE_MAX];
	struct expr *condition, *confidence, *severity, *by_thread;
	/* an EXPR_BY_NODE, so that its condition is one of each node */
	struct expr *by_node;
	struct expr *severity_high; /* SEVERITY: low TO high; NULL: one number */
	struct indices links[LINKS], children;
	struct indices metrics, phase_metrics, parent_metrics, construct_metrics;
	/* of subregions in which it is needed; KINDS_ALL: any */
	uint32_t metric_kinds[MS_METRICS];
	/* needed only where one of these is missing; of none: always */
	struct indices *instead_of[MS_METRICS];
	bool needs_subregions;
	/* 1 << index in ASL_CONSTANTS; without those that only stand in for a metric */
	uint32_t constants;
	uint32_t index;
	int mark; /* of the cycle search */
};

/* Depth of an expression's tree: bounds the recursion of check and evaluate. */
#define ASL_DEPTH_MAX 200
/*
 * … including the formulas of the metrics that are named in it, and in these: bounded by
 * memsearch's stack in a program (own_stack.h).
 */
#define ASL_DEPTH_ALL 400

/*
 * An empty set; and the text of one file into it, without linking. The text must live as long as
 * the set.
 */
struct property_set *property_set_new(struct arena *arena);
void property_set_parse(struct property_set *set, const char *file, const char *text,
			size_t length);

/* Links the why-axis of the whole set; leaves out what cannot be linked. */
void link_set(struct property_set *set);

#endif
