/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROPERTIES_LOADER_H
#define MEMSEARCH_PROPERTIES_LOADER_H

#include <setjmp.h>
#include <stddef.h>

#include "analysis/properties/asl.h"
#include "analysis/properties/event_tables.h"

/*
 * One file of properties while it is loaded: what the scanner, the parser and semantics.c share.
 * Private to analysis/properties.
 */
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

/* Parses text into loader->properties and loader->formulas; errors become messages. */
void asl_parse_text(struct loader *loader, const char *text, size_t length);

/* Resolves names, checks types and units of all in the loader, collects metrics. */
void check_file(struct loader *loader);

#endif
