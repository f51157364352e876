/* SPDX-License-Identifier: Apache-2.0 */
/* SQL of the store, from the lists of fields. */
#include "analysis/store/schema.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/store/records.h"
#include "analysis/store/sql_views.h"
#include "analysis/store/store_causes.h"

static const char *const run_keys[] = { "id" }, *const row_keys[] = { "run", "row", "position" };

size_t schema_keys(const struct store_table *table, const char *const **keys_out)
{
	*keys_out = table->table ? row_keys : run_keys;
	return table->array ? 3 : table->table ? 2 : 1;
}

static uint32_t later(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Columns of a list of fields: structs inside become columns, arrays tables of their own. */
static void columns_add(struct store_table *table, const struct fields *fields, const char *prefix,
			size_t offset, uint32_t since)
{
	for (size_t i = 0; i < fields->nr; i++) {
		const struct field *field = &fields->list[i];
		struct store_column column = { .field = field,
					       .offset = offset + field->offset,
					       .since = later(since, field->since) };

		sqlite3_snprintf(sizeof(column.name), column.name, "%s%s%s", prefix,
				 prefix[0] ? "_" : "", field->name);
		if (field->type == FIELD_STRUCT)
			columns_add(table, field->of, column.name, column.offset, column.since);
		else if (field->type != FIELD_ARRAY && table->nr_columns < STORE_COLUMNS_MAX)
			table->columns[table->nr_columns++] = column;
	}
}

static void table_add(struct schema *schema, const struct run_table *of, const struct field *array,
		      const struct fields *fields, uint32_t since)
{
	struct store_table *table = &schema->tables[schema->nr_tables];

	if (schema->nr_tables == STORE_TABLES_MAX)
		return; /* a test counts tables and columns */
	schema->nr_tables++;
	*table = (struct store_table){
		.table = of, .array = array, .fields = fields, .since = since ? since : 1
	};
	sqlite3_snprintf(sizeof(table->name), table->name, "%s%s%s", of ? of->name : "runs",
			 array ? "_" : "", array ? array->name : "");
	columns_add(table, fields, "", 0, 1);
}

void schema_init(struct schema *schema)
{
	schema->nr_tables = 0;
	table_add(schema, NULL, NULL, &run_fields, 1);
	for (size_t i = 0; i < nr_run_tables; i++) {
		const struct run_table *table = &run_tables[i];

		table_add(schema, table, NULL, table->fields, table->since);
		for (size_t k = 0; k < table->fields->nr; k++) {
			const struct field *field = &table->fields->list[k];

			if (field->type == FIELD_ARRAY)
				table_add(schema, table, field, field->of,
					  later(table->since, field->since));
		}
	}
}

static const char *column_type(const struct field *field)
{
	switch (field->type) {
	case FIELD_STRING:
	case FIELD_ENUM: return "TEXT";
	case FIELD_DOUBLE: return "REAL";
	default: return "INTEGER";
	}
}

static int run_sql(sqlite3 *db, sqlite3_str *sql)
{
	char *text = sqlite3_str_finish(sql);
	int result = text ? sqlite3_exec(db, text, NULL, NULL, NULL) : SQLITE_NOMEM;

	sqlite3_free(text);
	return result;
}

static int table_create(sqlite3 *db, const struct store_table *table)
{
	sqlite3_str *sql = sqlite3_str_new(db);
	const char *const *keys;
	size_t nr_keys = schema_keys(table, &keys);

	sqlite3_str_appendf(sql, "CREATE TABLE \"%w\" (", table->name);
	for (size_t i = 0; i < nr_keys; i++)
		sqlite3_str_appendf(sql, "\"%w\" INTEGER %s, ", keys[i],
				    table->table ? "NOT NULL" : "PRIMARY KEY");
	for (size_t i = 0; i < table->nr_columns; i++)
		sqlite3_str_appendf(sql, "%s\"%w\" %s", i ? ", " : "", table->columns[i].name,
				    column_type(table->columns[i].field));
	if (!table->table) {
		sqlite3_str_appendall(sql, ")");
		return run_sql(db, sql);
	}
	for (size_t i = 0; i < nr_keys; i++)
		sqlite3_str_appendf(sql, "%s\"%w\"", i ? ", " : ", PRIMARY KEY (", keys[i]);
	sqlite3_str_appendall(sql, ")) WITHOUT ROWID");
	return run_sql(db, sql);
}

static int mark_file(sqlite3 *db)
{
	sqlite3_str *sql = sqlite3_str_new(db);

	sqlite3_str_appendf(sql, "PRAGMA application_id = %d; PRAGMA user_version = %d",
			    STORE_APPLICATION, STORE_VERSION);
	return run_sql(db, sql);
}

int schema_create(const struct schema *schema, sqlite3 *db)
{
	int result = SQLITE_OK;

	for (size_t i = 0; i < schema->nr_tables && result == SQLITE_OK; i++)
		result = table_create(db, &schema->tables[i]);
	if (result == SQLITE_OK)
		result = records_create(db);
	if (result == SQLITE_OK)
		result = store_causes_create(db);
	if (result == SQLITE_OK)
		result = sql_views_create(db);
	return result == SQLITE_OK ? mark_file(db) : result;
}

static int column_add(sqlite3 *db, const struct store_table *table,
		      const struct store_column *column)
{
	sqlite3_str *sql = sqlite3_str_new(db);
	const char *type = column_type(column->field);

	sqlite3_str_appendf(sql, "ALTER TABLE \"%w\" ADD COLUMN \"%w\" %s%s", table->name,
			    column->name, type,
			    type[0] == 'T' ? "" : " DEFAULT 0"); /* a NULL number is NAN */
	return run_sql(db, sql);
}

/* "None" in a column of whole numbers was its greatest value before SQL_VIEWS_SINCE. */
static int nulls_set(sqlite3 *db, const struct store_table *table)
{
	int result = SQLITE_OK;

	for (size_t i = 0; i < table->nr_columns && result == SQLITE_OK; i++) {
		const struct store_column *column = &table->columns[i];
		sqlite3_str *sql;

		if (column->field->type != FIELD_U32 && column->field->type != FIELD_U64)
			continue;
		sql = sqlite3_str_new(db);
		sqlite3_str_appendf(sql, "UPDATE \"%w\" SET \"%w\" = NULL WHERE \"%w\" = %lld",
				    table->name, column->name, column->name,
				    column->field->type == FIELD_U32 ? (long long)UINT32_MAX : -1);
		result = run_sql(db, sql);
	}
	return result;
}

int schema_migrate(const struct schema *schema, sqlite3 *db, uint32_t version)
{
	int result = SQLITE_OK;

	for (size_t i = 0; i < schema->nr_tables && result == SQLITE_OK; i++) {
		const struct store_table *table = &schema->tables[i];

		if (table->since > version) {
			result = table_create(db, table);
			continue;
		}
		for (size_t k = 0; k < table->nr_columns && result == SQLITE_OK; k++)
			if (table->columns[k].since > version)
				result = column_add(db, table, &table->columns[k]);
		if (version < SQL_VIEWS_SINCE && result == SQLITE_OK)
			result = nulls_set(db, table);
	}
	if (version < RECORDS_SINCE && result == SQLITE_OK)
		result = records_create(db);
	if (version < SQL_VIEWS_SINCE && result == SQLITE_OK)
		result = store_causes_create(db);
	if (version < SQL_VIEWS_SINCE && result == SQLITE_OK)
		result = sql_views_create(db);
	return result == SQLITE_OK ? mark_file(db) : result;
}

static void list_columns(sqlite3_str *sql, const struct store_table *table)
{
	const char *const *keys;
	size_t nr_keys = schema_keys(table, &keys);

	for (size_t i = 0; i < nr_keys; i++)
		sqlite3_str_appendf(sql, "%s\"%w\"", i ? ", " : "", keys[i]);
	for (size_t i = 0; i < table->nr_columns; i++)
		sqlite3_str_appendf(sql, ", \"%w\"", table->columns[i].name);
}

char *schema_select(const struct store_table *table)
{
	sqlite3_str *sql = sqlite3_str_new(NULL);
	const char *const *keys;
	size_t nr_keys = schema_keys(table, &keys);

	sqlite3_str_appendall(sql, "SELECT ");
	list_columns(sql, table);
	sqlite3_str_appendf(sql, " FROM \"%w\" WHERE \"%w\" = ?1 ORDER BY ", table->name, keys[0]);
	for (size_t i = 0; i < nr_keys; i++)
		sqlite3_str_appendf(sql, "%s\"%w\"", i ? ", " : "", keys[i]);
	return sqlite3_str_finish(sql);
}

char *schema_insert(const struct store_table *table)
{
	sqlite3_str *sql = sqlite3_str_new(NULL);
	const char *const *keys;
	size_t nr = schema_keys(table, &keys) + table->nr_columns;

	sqlite3_str_appendf(sql, "INSERT INTO \"%w\" (", table->name);
	list_columns(sql, table);
	sqlite3_str_appendall(sql, ") VALUES (");
	for (size_t i = 0; i < nr; i++)
		sqlite3_str_appendall(sql, i ? ", ?" : "?");
	sqlite3_str_appendall(sql, ")");
	return sqlite3_str_finish(sql);
}
