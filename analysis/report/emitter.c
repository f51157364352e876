/* SPDX-License-Identifier: Apache-2.0 */
/* Writes rows that are described once as JSON and into tables. */
#include "analysis/report/emitter.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/report/json.h"
#include "analysis/report/table.h"

static const char *string_of(const struct emit_value *value)
{
	return value->string && *value->string ? value->string : NULL;
}

void emit_members(struct json *json, const struct emit_list *list, const void *row)
{
	struct emit_value values[EMIT_FIELDS_MAX];

	list->values(row, EMIT_JSON, values);
	for (size_t i = 0; i < list->nr; i++) {
		const struct emit_field *field = &list->fields[i];
		const char *key = field->names[EMIT_JSON];

		if (!key)
			continue;
		if (field->type == EMIT_STRING)
			json_string(json, key, string_of(&values[i]));
		else if (field->type == EMIT_NUMBER)
			json_number(json, key, values[i].number);
		else
			json_bool(json, key, values[i].number != 0);
	}
}

/* Numbers need a unit to be numbers of a table. */
static const char *unit_of(const struct emit_field *field)
{
	if (field->type != EMIT_NUMBER)
		return NULL;
	return field->unit ? field->unit : "1";
}

void emit_columns(struct table *table, struct arena *arena, enum emit_as as,
		  const struct emit_list *const *lists)
{
	struct table_column *columns = NULL;
	size_t nr = 0, room = 0;

	for (; *lists; lists++)
		for (size_t i = 0; i < (*lists)->nr; i++) {
			const struct emit_field *field = &(*lists)->fields[i];

			if (field->names[as] && ARENA_GROW(arena, columns, nr, room))
				columns[nr++] = (struct table_column){ field->names[as],
								       unit_of(field) };
		}
	table_init(table, arena, "rows", columns, nr);
}

void emit_cells(struct table *table, enum emit_as as, const struct emit_list *list, const void *row)
{
	struct emit_value values[EMIT_FIELDS_MAX];

	list->values(row, as, values);
	for (size_t i = 0; i < list->nr; i++) {
		const struct emit_field *field = &list->fields[i];

		if (!field->names[as])
			continue;
		if (field->type == EMIT_NUMBER)
			table_number(table, values[i].number);
		else if (field->type == EMIT_STRING)
			table_string(table, values[i].string);
		else
			table_string(table, values[i].number != 0 ? "yes" : "no");
	}
}

void emit_row(struct table *table, enum emit_as as, const struct emit_list *const *lists,
	      const void *row)
{
	for (; *lists; lists++)
		emit_cells(table, as, *lists, row);
}
