/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROPERTIES_ASL_H
#define MEMSEARCH_PROPERTIES_ASL_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/properties/event_tables.h"
#include "analysis/properties/property.h"

/*
 * The parsed form of property files: trees that the parser (asl.l, asl.y) builds, semantics.c resolves
 * and types in place, and evaluate.c walks. Private to analysis/properties.
 *
 * To add a function to the language: 1. its row in ASL_FUNCTIONS; 2. its type in semantics.c; 3. its
 * value in evaluate.c. A constant: its row in ASL_CONSTANTS. A unit: its row in unit.c. A word for
 * templates: its row in ASL_WORDS.
 */
struct arena;

/* Powers of the base units: ns and bytes. Ratios and counts have neither. */
struct unit {
	signed char time, bytes;
};

bool unit_equal(struct unit a, struct unit b);
struct unit unit_product(struct unit a, struct unit b, int sign); /* sign -1: quotient */
/* "us" → its powers and its size in base units; false for an unknown name. */
bool unit_find(const char *name, struct unit *unit_out, double *scale_out);
const char *unit_nearest(const char *name); /* or NULL */
/* "ns", "1", "bytes", "1/ns", "ns^2 bytes" …; constant or in the arena. */
const char *unit_text(struct arena *arena, struct unit unit);

/*  X(ID, name, least arguments, most arguments) */
/* clang-format off */
#define ASL_FUNCTIONS(X) \
	X(SUM, "sum", 1, 1) \
	X(MAX, "max", 1, 8) \
	X(MIN, "min", 1, 8) \
	X(MEAN, "mean", 1, 1) \
	X(COUNT, "count", 1, 1) \
	X(IMBALANCE, "imbalance", 1, 1) \
	X(EITHER, "either", 2, 8) \
	X(OPTIONAL, "optional", 1, 2) \
	X(ABS, "abs", 1, 1) \
	X(SQRT, "sqrt", 1, 1) \
	X(EXECUTIONS, "executions", 1, 1) \
	X(THREADS, "threads", 1, 1) \
	X(REGIONS, "regions", 1, 1)
/* clang-format on */

/* Constants of the machine and the run: X(name, unit, why it is missing if it is not set). */
/* clang-format off */
#define ASL_CONSTANTS(X) \
	X("cpus", "1", MS_MISSING_NOT_SUPPORTED) \
	X("nodes", "1", MS_MISSING_NOT_SUPPORTED) \
	X("modelled_nodes", "1", MS_MISSING_NOT_SUPPORTED) \
	X("phase_threads", "1", MS_MISSING_NOT_SUPPORTED) \
	X("phase_executions", "1", MS_MISSING_NOT_SUPPORTED) \
	X("sampling_hz", "Hz", MS_MISSING_NOT_SUPPORTED) \
	X("chunk_cost", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("fault_cost", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("line_size", "bytes", MS_MISSING_NOT_SUPPORTED) \
	X("page_size", "bytes", MS_MISSING_NOT_SUPPORTED) \
	X("attainable_bandwidth", "bytes/s", MS_MISSING_NOT_CALIBRATED) \
	X("single_bandwidth", "bytes/s", MS_MISSING_NOT_CALIBRATED) \
	X("cache_bytes", "bytes", MS_MISSING_NOT_CALIBRATED) \
	X("modelled_cache_bytes", "bytes", MS_MISSING_NOT_MODELLED) \
	X("cycle_time", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("walk_time", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("second_cache_time", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("third_cache_time", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("memory_time", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("remote_memory_time", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("transfer_time", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("remote_transfer_time", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("second_tlb_time", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("node_free", "1", MS_MISSING_NOT_SUPPORTED)
/* clang-format on */

/* Words that the caller of a template supplies, if it has them. */
/* clang-format off */
#define ASL_WORDS(X) \
	X("region") X("function") X("line") X("threads") X("nodes") \
	X("hot_function") X("hot_line") X("hot_share") \
	X("parent_hot_function") X("parent_hot_line") \
	X("execution") X("phase") X("array") X("array_line") X("first_touch_line") \
	X("construct") X("construct_line") X("loops")
/* clang-format on */

enum expr_op {
	EXPR_NUMBER,
	/* as parsed; semantics.c turns them into what follows */
	EXPR_NAME,      /* name */
	EXPR_REFERENCE, /* path[0].path[1] or path[0].path[1].path[2] */
	EXPR_CALL,      /* name(args) */
	/* leaves */
	EXPR_BINDING,  /* index of the LET binding */
	EXPR_CONSTANT, /* index in ASL_CONSTANTS */
	EXPR_METRIC,   /* index = enum ms_metric, of `scope`, of subregions of `kinds` */
	EXPR_FORMULA,  /* the same for a derived metric */
	/* a bare region, as argument of executions(), threads(), regions() */
	EXPR_REGION,
	/* operators */
	EXPR_NEGATE,
	EXPR_ADD,
	EXPR_SUBTRACT,
	EXPR_MULTIPLY,
	EXPR_DIVIDE,
	EXPR_LESS,
	EXPR_LESS_EQUAL,
	EXPR_GREATER,
	EXPR_GREATER_EQUAL,
	EXPR_EQUAL,
	EXPR_UNEQUAL,
	EXPR_AND,
	EXPR_OR,
	EXPR_NOT,
	/*
	 * the argument for each NUMA node the region's threads run on, and these of subregions of
	 * `kinds`
	 */
	EXPR_BY_NODE,
/* functions; SUM, MEAN, COUNT, IMBALANCE and one-argument MAX, MIN reduce */
#define X(id, name, least, most) EXPR_##id,
	ASL_FUNCTIONS(X)
#undef X
};

enum expr_scope { SCOPE_NONE, SCOPE_REGION, SCOPE_PHASE, SCOPE_PARENT, SCOPE_CONSTRUCT };

/*
 * Does a value differ from thread to thread, from subregion to subregion, from node to node, or not
 * at all?
 */
enum expr_spread { SPREAD_NONE, SPREAD_THREADS, SPREAD_REGIONS, SPREAD_NODES };

#define KINDS_NONE 0u
#define KINDS_ALL UINT32_MAX /* r.SUBREGIONS.x */

struct expr_type {
	bool truth; /* a truth value, else a number */
	enum expr_spread spread;
	enum expr_scope scope; /* whose threads or subregions */
	/* 1 << kind of the subregions that play a part; KINDS_NONE: none */
	uint32_t kinds;
	struct unit unit;
};

struct formula;

struct expr {
	enum expr_op op;
	int line, column, depth;
	double number;
	const char *name; /* as written, for messages */
	const char *path[3];
	uint32_t index;
	enum expr_scope scope;
	uint32_t kinds;
	const struct formula *formula;
	struct expr_type type;
	size_t nr_args;
	struct expr *args[];
};

/* The wall time is taken on one thread, for all. */
static inline bool expr_is_wall_time(const struct expr *expr)
{
	return expr->op == EXPR_METRIC && expr->index == MS_METRIC_WALL_TIME;
}

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
