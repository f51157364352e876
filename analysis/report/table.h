/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_TABLE_H
#define MEMSEARCH_REPORT_TABLE_H

#include <stddef.h>

/*
 * A list with columns, printed as aligned text, as a JSON array of objects or as CSV. For
 * `memsearch list` and the like; the findings have writers of their own.
 */
struct arena;
struct text;

struct table_column {
	const char *name; /* JSON key and CSV heading */
	const char *unit; /* NULL: a string. Else a number, printed in text by units_value */
};

struct table_cell {
	const char *string; /* for a column of strings; NULL: none */
	double number;      /* for a column of numbers; NAN: none */
};

struct table_note {
	size_t row;
	const char *label, *string;
};

struct table {
	struct arena *arena;
	const char *name;   /* of the JSON document's array */
	const char *schema; /* of that document (report/schema/); to be set where JSON is printed */
	const struct table_column *columns;
	size_t nr_columns;
	struct table_cell *cells; /* row by row */
	size_t nr, room;
	struct table_note *notes; /* by row */
	size_t nr_notes, room_notes;
	const char *const *headings; /* of the columns in text; NULL: their names */
	const char *footer;          /* a sentence below the text; NULL: none */
	int indent;                  /* of each row of the text, columns */
};

void table_init(struct table *table, struct arena *arena, const char *name,
		const struct table_column *columns, size_t nr);
/* Cells of a row from left to right. What does not fit in memory is left out. */
void table_string(struct table *table, const char *string);
void table_number(struct table *table, double number);

/*
 * A line of its own below the last row, in text only: " label string". NULL or "": none. The
 * strings must live as long.
 */
void table_note(struct table *table, const char *label, const char *string);

/* `format`: "text", "json" or "csv"; text breaks the last column at 100 columns. */
void table_print(struct text *out, const struct table *table, const char *format);

#endif
