/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a list with columns as text, JSON or CSV. */
#include "analysis/report/table.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/report/csv.h"
#include "analysis/report/json.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

#define WIDTH 100
/* a last column of strings that begins later than this gets lines of its own, unless it fits */
#define OWN_LINE 60
#define OWN_LINE_INDENT 4
#define NOTHING "-" /* an empty cell */

void table_init(struct table *table, struct arena *arena, const char *name,
		const struct table_column *columns, size_t nr)
{
	*table = (struct table){
		.arena = arena, .name = name, .columns = columns, .nr_columns = nr
	};
}

static void add_cell(struct table *table, struct table_cell cell)
{
	if (ARENA_GROW(table->arena, table->cells, table->nr, table->room))
		table->cells[table->nr++] = cell;
}

void table_string(struct table *table, const char *string)
{
	add_cell(table, (struct table_cell){ .string = string, .number = NAN });
}

void table_number(struct table *table, double number)
{
	add_cell(table, (struct table_cell){ .number = number });
}

void table_note(struct table *table, const char *label, const char *string)
{
	size_t rows = table->nr / table->nr_columns;

	if (string && *string && rows &&
	    ARENA_GROW(table->arena, table->notes, table->nr_notes, table->room_notes))
		table->notes[table->nr_notes++] = (struct table_note){ rows - 1, label, string };
}

static const struct table_column *column_of(const struct table *table, size_t cell)
{
	return &table->columns[cell % table->nr_columns];
}

/* -- text */

static const char *heading_of(const struct table *table, size_t column)
{
	return table->headings ? table->headings[column] : table->columns[column].name;
}

/* A cell as it is printed; never NULL. */
static const char *cell_text(const struct table *table, size_t i)
{
	const struct table_cell *cell = &table->cells[i];
	const char *unit = column_of(table, i)->unit;
	struct text text;

	if (!unit)
		return cell->string && *cell->string ? cell->string : NOTHING;
	if (isnan(cell->number))
		return NOTHING;
	text_init(&text, table->arena);
	units_value(&text, cell->number, unit);
	return text.bytes ? text.bytes : NOTHING;
}

static int width_of(const struct table *table, size_t column)
{
	size_t width = strlen(heading_of(table, column));

	for (size_t i = column; i < table->nr; i += table->nr_columns) {
		size_t length = strlen(cell_text(table, i));

		width = length > width ? length : width;
	}
	return (int)width;
}

/* One cell, padded to its column; the last one of a row is wrapped instead. */
static void text_cell(struct text *out, const char *cell, bool number, bool last, int start,
		      int width)
{
	int padding = width - (int)strlen(cell);

	if (number && padding > 0)
		text_printf(out, "%*s", padding, "");
	if (last && !number && start > OWN_LINE && start + width > WIDTH) {
		while (out->length && out->bytes[out->length - 1] == ' ')
			out->length--;
		if (!strcmp(cell, NOTHING)) {
			text_add(out, "\n");
			return;
		}
		text_printf(out, "\n%*s", OWN_LINE_INDENT, "");
		start = OWN_LINE_INDENT;
	}
	if (last && !number)
		text_wrap(out, cell, start, WIDTH);
	else
		text_add_plain(out, cell);
	if (last) {
		text_add(out, "\n");
		return;
	}
	text_printf(out, "%*s", (number || padding < 0 ? 0 : padding) + 2, "");
}

static int label_width(const struct table *table)
{
	size_t width = 0;

	for (size_t i = 0; i < table->nr_notes; i++)
		width = strlen(table->notes[i].label) > width ? strlen(table->notes[i].label)
							      : width;
	return (int)width;
}

/* Returns the first note of a later row. */
static size_t text_notes(struct text *out, const struct table *table, size_t at, size_t row,
			 int width)
{
	for (; at < table->nr_notes && table->notes[at].row == row; at++) {
		text_printf(out, "%*s%-*s  ", OWN_LINE_INDENT, "", width, table->notes[at].label);
		text_wrap(out, table->notes[at].string, OWN_LINE_INDENT + width + 2, WIDTH);
		text_add(out, "\n");
	}
	return at;
}

static void table_text(struct text *out, const struct table *table)
{
	int *widths = arena_alloc(table->arena, table->nr_columns * sizeof(*widths));
	size_t nr = table->nr_columns, note = 0;
	int width = label_width(table);

	if (!widths)
		return;
	for (size_t i = 0; i < nr; i++)
		widths[i] = width_of(table, i);
	text_printf(out, "%*s", table->indent, "");
	for (size_t i = 0, start = (size_t)table->indent; i < nr;
	     start += (size_t)widths[i] + 2, i++)
		text_cell(out, heading_of(table, i), table->columns[i].unit != NULL, i == nr - 1,
			  (int)start, widths[i]);
	for (size_t row = 0; row + nr <= table->nr; row += nr) {
		text_printf(out, "%*s", table->indent, "");
		for (size_t i = 0, start = (size_t)table->indent; i < nr;
		     start += (size_t)widths[i] + 2, i++)
			text_cell(out, cell_text(table, row + i), table->columns[i].unit != NULL,
				  i == nr - 1, (int)start, widths[i]);
		note = text_notes(out, table, note, row / nr, width);
	}
	if (table->footer) {
		text_add(out, "\n");
		text_wrap(out, table->footer, 0, WIDTH);
		text_add(out, "\n");
	}
}

/* -- formats for machines */

static void table_json(struct text *out, const struct table *table)
{
	struct json json;

	json_init(&json, out);
	json_open(&json, NULL, '{');
	json_string(&json, "schema", table->schema);
	json_open(&json, table->name, '[');
	for (size_t i = 0; i < table->nr; i++) {
		const struct table_column *column = column_of(table, i);

		if (i % table->nr_columns == 0)
			json_open(&json, NULL, '{');
		if (column->unit)
			json_number(&json, column->name, table->cells[i].number);
		else
			json_string(&json, column->name, table->cells[i].string);
		if (i % table->nr_columns == table->nr_columns - 1)
			json_close(&json);
	}
	json_close(&json);
	json_close(&json);
}

static void table_csv(struct text *out, const struct table *table)
{
	size_t nr = table->nr_columns;

	for (size_t i = 0; i < nr; i++)
		csv_string(out, i == 0, table->columns[i].name);
	text_add(out, "\n");
	for (size_t i = 0; i < table->nr; i++) {
		if (column_of(table, i)->unit)
			csv_number(out, i % nr == 0, table->cells[i].number);
		else
			csv_string(out, i % nr == 0, table->cells[i].string);
		if (i % nr == nr - 1)
			text_add(out, "\n");
	}
}

void table_print(struct text *out, const struct table *table, const char *format)
{
	if (format && !strcmp(format, "json"))
		table_json(out, table);
	else if (format && !strcmp(format, "csv"))
		table_csv(out, table);
	else
		table_text(out, table);
}
