/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROPERTIES_ASL_H
#define MEMSEARCH_PROPERTIES_ASL_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/properties/event_tables.h"
#include "analysis/properties/property.h"
#include "analysis/properties/expression.h"

/*
 * The parsed form of property files: trees that the parser (asl.l, asl.y) builds, semantics.c resolves
 * and types in place, and evaluate.c walks. Private to analysis/properties.
 *
 * To add a function to the language: 1. its row in ASL_FUNCTIONS; 2. its type in semantics.c; 3. its
 * value in evaluate.c. A constant: its row in ASL_CONSTANTS. A unit: its row in unit.c. A word for
 * templates: its row in ASL_WORDS.
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
	struct asl_names alias_names, kind_names, link_names[LINKS];
	const char **aliases;
	size_t nr_aliases;
	uint32_t kinds; /* 1 << enum ms_region_kind */
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

struct event_word {
	struct event_term term;
	int line, column; /* of the event's name */
};

struct event_terms {
	struct event_term *items;
	size_t nr, room;
};

/* A table being parsed, with what its arrays have room for; its public part points into them. */
struct event_draft {
	struct event_table table;
	struct asl_names *names;
	struct event_metric *metrics;
	size_t room;
};

/*
 * One file being loaded. Running out of memory, or a fatal error of the scanner, jumps to
 * `trouble`.
 */
struct loader {
	struct property_set *set;
	struct arena *arena;
	const char *file;
	const char *text;
	size_t length;
	size_t nr_errors;
	struct property *property;    /* being parsed */
	struct property **properties; /* of this file */
	size_t nr, room;
	struct formula **formulas; /* of this file */
	size_t nr_formulas, room_formulas;
	struct event_draft **tables; /* of this file; the last is being parsed */
	size_t nr_tables, room_tables;
	int line, column; /* of the scanner */
	const char *word; /* last identifier it met */
	jmp_buf trouble;
};

/* Errors beyond this many a file are not reported: they follow from the first ones. */
#define ASL_ERRORS_MAX 20
/* Depth of an expression's tree: bounds the recursion of check and evaluate. */
#define ASL_DEPTH_MAX 200
/*
 * … including the formulas of the metrics that are named in it, and in these: bounded by
 * memsearch's stack in a program (own_stack.h).
 */
#define ASL_DEPTH_ALL 400
/* Bytes of a file; the shipped ones have some 10 KB. */
#define ASL_FILE_MAX ((size_t)1 << 20)

void *loader_alloc(struct loader *loader, size_t bytes);
void loader_error(struct loader *loader, int line, int column, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* "; did you mean 'x'?" or "". */
const char *loader_suggestion(struct loader *loader, const char *wanted, const char *const *names,
			      size_t nr);

/* Constructors for the actions of the grammar. */
struct expr *expr_new(struct loader *loader, enum expr_op op, int line, int column, size_t nr_args);
struct expr *expr_operator(struct loader *loader, enum expr_op op, int line, int column,
			   struct expr *a, struct expr *b);
struct expr *expr_number(struct loader *loader, int line, int column, double number,
			 const char *unit);
void property_begin(struct loader *loader, struct asl_name name);
void property_bind(struct loader *loader, struct asl_name name, struct expr *value);
void formula_add(struct loader *loader, struct asl_name name, const char *unit, struct expr *body,
		 const char *meaning);
/* Constructors for EVENTS (event_tables.c). table_begin starts the table that is parsed. */
void table_begin(struct loader *loader, struct asl_names *names, const char *title);
struct event_terms *terms_add(struct loader *loader, struct event_terms *terms,
			      struct event_word word, int sign);
void table_add(struct loader *loader, struct asl_name metric, const struct event_terms *terms,
	       const char *note);
void table_end(struct loader *loader, int line, int column);

/*
 * An empty set; and the text of one file into it, without linking. The text must live as long as
 * the set.
 */
struct property_set *property_set_new(struct arena *arena);
void property_set_parse(struct property_set *set, const char *file, const char *text,
			size_t length);

/* Parses text into loader->properties and loader->formulas; errors become messages. */
void asl_parse_text(struct loader *loader, const char *text, size_t length);

/* Resolves names, checks types and units of all in the loader, collects metrics. */
void check_file(struct loader *loader);
/* Links the why-axis of the whole set; leaves out what cannot be linked. */
void link_set(struct property_set *set);

#endif
