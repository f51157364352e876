/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_EMITTER_H
#define MEMSEARCH_REPORT_EMITTER_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Rows that are described once, and written as members of a JSON object, as CSV or as a table of
 * text. A list of fields is a macro, one line a field:
 *
 *             type    JSON       CSV      text    unit     value, from `row`
 *     #define LOCK_FIELDS(X) \
 *           X(STRING, "name",    "lock",  "lock", NULL,    row->name) \
 *           X(NUMBER, "hold_ns", "hold",  NULL,   "ns",    row->hold_ns)
 *     EMIT_LIST(lock_fields, struct lock_row, LOCK_FIELDS)
 *
 * A field is left out of the formats in which it has no name (NULL), where its value is not
 * computed either. A table may have the fields of several lists. Missing values: NULL or "", NAN.
 */
struct arena;
struct json;
struct table;

enum emit_as { EMIT_JSON, EMIT_CSV, EMIT_TEXT };

enum emit_type { EMIT_STRING, EMIT_NUMBER, EMIT_BOOL };

struct emit_field {
	enum emit_type type;
	const char *names[EMIT_TEXT + 1]; /* by enum emit_as */
	const char *unit;                 /* of a number, in text (units.h) */
};

struct emit_value {
	const char *string;
	double number; /* of a BOOL: not 0 */
};

#define EMIT_FIELDS_MAX 40

struct emit_list {
	const struct emit_field *fields;
	size_t nr;
	void (*values)(const void *row, enum emit_as as, struct emit_value *out);
};

#define EMIT_OF_STRING(value) { .string = (value) }
#define EMIT_OF_NUMBER(value) { .number = (double)(value) }
#define EMIT_OF_BOOL(value) { .number = (value) ? 1 : 0 }
#define EMIT_FIELD(type, json, csv, text, unit, value) { EMIT_##type, { json, csv, text }, unit },
#define EMIT_VALUE(type, json, csv, text, unit, value) \
	if ((const char *const[]){ json, csv, text }[as]) \
		*out = (struct emit_value)EMIT_OF_##type(value); \
	out++;

#define EMIT_DESCRIPTION(name, row_type, FIELDS) \
	static const struct emit_field name##_list[] = { FIELDS(EMIT_FIELD) }; \
	static_assert(sizeof(name##_list) / sizeof(*name##_list) <= EMIT_FIELDS_MAX, \
		      "too many fields"); \
	static void name##_values(const void *about, enum emit_as as, struct emit_value *out) \
	{ \
		const row_type *row = about; \
		FIELDS(EMIT_VALUE) \
	}
#define EMIT_PARTS(name) { name##_list, sizeof(name##_list) / sizeof(*name##_list), name##_values }

/* `name` becomes a struct emit_list: of one file, or of all (declare it in a header). */
#define EMIT_LIST(name, row_type, FIELDS) \
	EMIT_DESCRIPTION(name, row_type, FIELDS) \
	static const struct emit_list name = EMIT_PARTS(name);
#define EMIT_SHARED_LIST(name, row_type, FIELDS) \
	EMIT_DESCRIPTION(name, row_type, FIELDS) const struct emit_list name = EMIT_PARTS(name);

/* Into the open JSON object. */
void emit_members(struct json *json, const struct emit_list *list, const void *row);

/*
 * A table with the columns of these lists (table.h: print it as "csv" or "text"). The last list is
 * followed by NULL.
 */
void emit_columns(struct table *table, struct arena *arena, enum emit_as as,
		  const struct emit_list *const *lists);
/* The cells of one list in a row, from left to right. */
void emit_cells(struct table *table, enum emit_as as, const struct emit_list *list,
		const void *row);
/* Of all lists, where they are of the same row. */
void emit_row(struct table *table, enum emit_as as, const struct emit_list *const *lists,
	      const void *row);

#endif
