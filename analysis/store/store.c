/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store: opening, creating and migrating the file; adding and reading runs, one transaction
 * each.
 */
#include "analysis/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/record/record.h"
#include "analysis/record/run_check.h"
#include "analysis/store/records.h"
#include "analysis/store/schema.h"

/* bytes of a value: what is imported into a small file may be longer than it */
#define LENGTH_LEAST (16 << 20)
/* another process may be importing: a transaction takes less */
#define BUSY_MS 2000
/* many imports at a time have one transaction after the other */
#define IMPORT_BUSY_MS 30000

struct store {
	sqlite3 *db;
	const char *path; /* in the arena */
	struct arena *arena;
	struct schema schema;
};

/* Logs the error of SQLite and returns its status. `action`: "read", "write to". */
static enum ms_status store_failed(const struct store *store, const char *action)
{
	int code = sqlite3_extended_errcode(store->db);

	switch (code & 0xff) {
	case SQLITE_NOMEM:
		log_warning("cannot %s the store '%s': out of memory", action, store->path);
		return MS_ERR_MEMORY;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		log_warning("cannot %s the store '%s': another process has locked it", action,
			    store->path);
		return MS_ERR_IO;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		log_warning("the store '%s' is damaged (%s): import its records anew", store->path,
			    sqlite3_errmsg(store->db));
		return MS_ERR_FORMAT;
	case SQLITE_READONLY:
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
		log_warning(
			"cannot %s the store '%s': %s; the file and its folder (for SQLite's journal) must be writable",
			action, store->path, sqlite3_errmsg(store->db));
		return MS_ERR_PERMISSION;
	case SQLITE_ERROR: /* a table or column that its version should have */
		log_warning("the store '%s' is damaged: %s", store->path,
			    sqlite3_errmsg(store->db));
		return MS_ERR_FORMAT;
	default:
		log_warning("cannot %s the store '%s': %s", action, store->path,
			    sqlite3_errmsg(store->db));
		return MS_ERR_IO;
	}
}

static int execute(const struct store *store, const char *sql)
{
	return sqlite3_exec(store->db, sql, NULL, NULL, NULL);
}

/* First column of the first row of a statement. */
static int query_number(const struct store *store, const char *sql, int64_t *value_out)
{
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);

	if (result == SQLITE_OK)
		result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		*value_out = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
}

struct identity {
	int64_t application, version, tables;
};

static int identify(const struct store *store, struct identity *identity)
{
	int result = query_number(store, "PRAGMA application_id", &identity->application);

	if (result == SQLITE_OK)
		result = query_number(store, "PRAGMA user_version", &identity->version);
	if (result == SQLITE_OK)
		result = query_number(store, "SELECT count(*) FROM sqlite_master",
				      &identity->tables);
	return result;
}

/* In a transaction, with a second look: another process may have been faster. */
static enum ms_status bring_up_to_date(struct store *store)
{
	struct identity identity = { 0 };
	int result = execute(store, "BEGIN IMMEDIATE");

	if (result == SQLITE_OK)
		result = identify(store, &identity);
	if (result == SQLITE_OK && !identity.tables)
		result = schema_create(&store->schema, store->db);
	else if (result == SQLITE_OK && identity.version < STORE_VERSION)
		result = schema_migrate(&store->schema, store->db, (uint32_t)identity.version);
	if (result == SQLITE_OK)
		result = execute(store, "COMMIT");
	if (result != SQLITE_OK) {
		enum ms_status status = store_failed(store, identity.tables ? "bring up to date"
									    : "create");

		execute(store, "ROLLBACK");
		return status;
	}
	return MS_OK;
}

/* All of it as it is at one moment: another process may be creating it. */
static int identify_at_once(const struct store *store, struct identity *identity)
{
	int result = execute(store, "BEGIN");

	if (result == SQLITE_OK)
		result = identify(store, identity);
	return result == SQLITE_OK ? execute(store, "COMMIT") : result;
}

static bool is_link(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

static enum ms_status refuse_link(const char *path)
{
	log_warning(
		"'%s' is a symbolic link, through which nothing is written: name the store itself",
		path);
	return MS_ERR_INVALID;
}

static enum ms_status check_identity(struct store *store, bool create)
{
	struct identity identity = { 0 };

	if (identify_at_once(store, &identity) != SQLITE_OK)
		return store_failed(store, "read");
	if (!identity.tables && !identity.application) {
		if (create)
			return bring_up_to_date(store);
		log_warning("'%s' is empty: not a store", store->path);
		return MS_ERR_FORMAT;
	}
	if (identity.application != STORE_APPLICATION) {
		log_warning("'%s' is an SQLite file of another program: not a store", store->path);
		return MS_ERR_FORMAT;
	}
	if (identity.version > STORE_VERSION) {
		log_warning(
			"the store '%s' is of version %lld, this memsearch knows versions up to %d: use a newer memsearch",
			store->path, (long long)identity.version, STORE_VERSION);
		return MS_ERR_VERSION;
	}
	if (identity.version == STORE_VERSION)
		return MS_OK;
	return is_link(store->path) ? refuse_link(store->path) : bring_up_to_date(store);
}

/* Reads the first bytes; -1: cannot be opened. */
static ssize_t first_bytes(const char *path, unsigned char *bytes, size_t nr)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t have;

	if (fd < 0)
		return -1;
	have = read(fd, bytes, nr);
	close(fd);
	return have;
}

static bool is_sqlite(const unsigned char *bytes, ssize_t nr)
{
	return nr >= 16 && !memcmp(bytes, "SQLite format 3", 16);
}

bool store_is(const char *path)
{
	/* the application id stands at 68, highest byte first */
	unsigned char bytes[72];
	ssize_t nr = first_bytes(path, bytes, sizeof(bytes));

	return nr == (ssize_t)sizeof(bytes) && is_sqlite(bytes, nr) &&
	       ((uint32_t)bytes[68] << 24 | (uint32_t)bytes[69] << 16 | (uint32_t)bytes[70] << 8 |
		bytes[71]) == STORE_APPLICATION;
}

static enum ms_status check_file(const char *path, bool create)
{
	unsigned char bytes[16];
	ssize_t nr = first_bytes(path, bytes, sizeof(bytes));

	if (nr < 0 && errno == ENOENT && create)
		return MS_OK;
	if (nr < 0) {
		log_warning_errno("cannot open '%s'", path);
		return errno == ENOENT   ? MS_ERR_NOT_FOUND
		       : errno == EACCES ? MS_ERR_PERMISSION
					 : MS_ERR_IO;
	}
	if (nr > 0 && !is_sqlite(bytes, nr)) {
		log_warning("'%s' is not a store", path);
		return MS_ERR_FORMAT;
	}
	return MS_OK;
}

/* SQLITE_OPEN_NOFOLLOW allows no link in the whole path: without those of the folders. */
static const char *without_links(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *folder = slash ? arena_strndup(arena, path,
						   slash > path ? (size_t)(slash - path) : 1)
				   : ".";
	char *real = folder ? realpath(folder, NULL) : NULL;
	const char *whole = real ? arena_printf(arena, "%s/%s", strcmp(real, "/") ? real : "", name)
				 : NULL;

	free(real);
	return whole ? whole : path;
}

static int open_database(struct store *store, bool create)
{
	const char *path = create ? without_links(store->arena, store->path) : store->path;
	int flags = SQLITE_OPEN_READWRITE |
		    (create ? SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW : 0);
	int result = sqlite3_open_v2(path, &store->db, flags, NULL);

	if (result == SQLITE_OK)
		sqlite3_busy_timeout(store->db, create ? IMPORT_BUSY_MS : BUSY_MS);
	return result;
}

static struct store *store_new(const char *path)
{
	struct arena *arena = arena_new();
	struct store *store = arena ? arena_alloc(arena, sizeof(*store)) : NULL;

	if (!store) {
		arena_free(arena);
		return NULL;
	}
	store->arena = arena;
	store->path = arena_strdup(arena, path);
	schema_init(&store->schema);
	return store;
}

/*
 * A store may come from anywhere: its schema runs no code of its own (views, triggers, functions),
 * what its cells say of themselves is checked, and no value is longer than the file.
 */
static void trust_nothing(sqlite3 *db, const char *path)
{
	static const int off[] = { SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_TRIGGER,
				   SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_DQS_DML,
				   SQLITE_DBCONFIG_DQS_DDL };
	struct stat status;

	for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++)
		sqlite3_db_config(db, off[i], 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_exec(db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
	if (stat(path, &status) == 0 && status.st_size < INT_MAX)
		sqlite3_limit(db, SQLITE_LIMIT_LENGTH,
			      status.st_size > LENGTH_LEAST ? (int)status.st_size : LENGTH_LEAST);
}

enum ms_status store_open(const char *path, bool create, struct store **store_out)
{
	enum ms_status status = check_file(path, create);
	struct store *store;

	*store_out = NULL;
	if (status != MS_OK)
		return status;
	if (create && is_link(path))
		return refuse_link(path);
	store = store_new(path);
	if (!store)
		return MS_ERR_MEMORY;
	if (open_database(store, create) != SQLITE_OK) {
		status = store_failed(store, create ? "create" : "open");
	} else {
		trust_nothing(store->db, path);
		status = check_identity(store, create);
	}
	if (status == MS_OK)
		*store_out = store;
	else
		store_close(store);
	return status;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	sqlite3_close(store->db);
	arena_free(store->arena);
}

static int bind_field(sqlite3_stmt *statement, int at, const struct field *field, const void *value)
{
	switch (field->type) {
	case FIELD_STRING:
		return sqlite3_bind_text(statement, at, *(const char *const *)value, -1,
					 SQLITE_STATIC);
	case FIELD_BOOL: return sqlite3_bind_int64(statement, at, *(const bool *)value);
	case FIELD_INT: return sqlite3_bind_int64(statement, at, *(const int *)value);
	case FIELD_U32:
		return *(const uint32_t *)value == UINT32_MAX
			       ? sqlite3_bind_null(statement, at)
			       : sqlite3_bind_int64(statement, at, *(const uint32_t *)value);
	case FIELD_U64:
		return *(const uint64_t *)value == UINT64_MAX
			       ? sqlite3_bind_null(statement, at)
			       : sqlite3_bind_int64(statement, at,
						    (sqlite3_int64) * (const uint64_t *)value);
	case FIELD_DOUBLE:
		/* NAN becomes NULL */
		return sqlite3_bind_double(statement, at, *(const double *)value);
	case FIELD_ENUM:
		if (*(const uint32_t *)value >= field->names->nr)
			return sqlite3_bind_null(statement, at);
		return sqlite3_bind_text(statement, at,
					 field->names->name(*(const uint32_t *)value), -1,
					 SQLITE_STATIC);
	default: return SQLITE_MISUSE;
	}
}

/* `keys`: run, row, position, as far as the table has them. */
static int insert_row(sqlite3_stmt *statement, const struct store_table *table, const int64_t *keys,
		      const char *row)
{
	const char *const *names;
	size_t nr_keys = schema_keys(table, &names);
	int result = SQLITE_OK;

	for (size_t i = 0; i < nr_keys && result == SQLITE_OK; i++)
		result = sqlite3_bind_int64(statement, (int)i + 1, keys[i]);
	for (size_t i = 0; i < table->nr_columns && result == SQLITE_OK; i++)
		result = bind_field(statement, (int)(nr_keys + i) + 1, table->columns[i].field,
				    row + table->columns[i].offset);
	if (result == SQLITE_OK)
		result = sqlite3_step(statement);
	sqlite3_reset(statement);
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* All rows of one table; of an array inside rows, those of every row. */
static int insert_rows(sqlite3_stmt *statement, const struct store_table *table,
		       const struct run *run, int64_t id)
{
	struct run_table_view view = run_table_of(table->table, run);
	const char *rows = *view.items;
	int result = SQLITE_OK;

	for (size_t i = 0; i < *view.nr && result == SQLITE_OK; i++) {
		const char *row = rows + i * table->table->fields->bytes;
		const char *items = table->array
					    ? *(const char *const *)(row + table->array->offset)
					    : row;
		size_t nr = table->array ? *(const size_t *)(row + table->array->count_offset) : 1;

		for (size_t k = 0; items && k < nr && result == SQLITE_OK; k++)
			result = insert_row(statement, table,
					    (int64_t[]){ id, (int64_t)i, (int64_t)k },
					    items + k * table->fields->bytes);
	}
	return result;
}

static int prepare(const struct store *store, char *sql, sqlite3_stmt **statement)
{
	int result = sql ? sqlite3_prepare_v2(store->db, sql, -1, statement, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return result;
}

static int insert_run(const struct store *store, const struct run *run,
		      const struct store_causes *causes, int64_t id)
{
	int result = SQLITE_OK;

	for (size_t i = 0; i < store->schema.nr_tables && result == SQLITE_OK; i++) {
		const struct store_table *table = &store->schema.tables[i];
		sqlite3_stmt *statement = NULL;

		result = prepare(store, schema_insert(table), &statement);
		if (result == SQLITE_OK && table->table)
			result = insert_rows(statement, table, run, id);
		else if (result == SQLITE_OK)
			result = insert_row(statement, table, &id, (const char *)run);
		sqlite3_finalize(statement);
	}
	if (result == SQLITE_OK)
		result = store_causes_add(store->db, id, causes);
	return result == SQLITE_OK ? records_add(store->db, id, run) : result;
}

static int remove_rows(const struct store *store, const char *table, const char *key, int64_t id)
{
	char *sql = sqlite3_mprintf("DELETE FROM \"%w\" WHERE \"%w\" = %lld", table, key,
				    (long long)id);
	int result = sql ? execute(store, sql) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return result;
}

static int remove_run(const struct store *store, int64_t id)
{
	int result = SQLITE_OK;

	for (size_t i = 0; i < store->schema.nr_tables && result == SQLITE_OK; i++) {
		const struct store_table *table = &store->schema.tables[i];
		const char *const *keys;

		schema_keys(table, &keys);
		result = remove_rows(store, table->name, keys[0], id);
	}
	if (result == SQLITE_OK)
		result = remove_rows(store, "causes", "run", id);
	return result == SQLITE_OK ? remove_rows(store, "records", "run", id) : result;
}

/* The number of the same run if it is there already, else the next free one. */
static int choose_id(const struct store *store, const struct run *run, int64_t *id_out)
{
	char *sql = sqlite3_mprintf(
		"SELECT coalesce((SELECT id FROM runs WHERE host_name IS %Q AND pid = %lld AND start_realtime_ns = %lld "
		"AND (SELECT value FROM settings WHERE run = id AND name = %Q) IS %Q "
		"AND (SELECT value FROM settings WHERE run = id AND name = %Q) IS %Q), "
		"(SELECT CASE max(id) WHEN 9223372036854775807 THEN 0 ELSE max(id) + 1 END FROM runs), 1)",
		run->machine.host_name, (long long)run->pid, (long long)run->start_realtime_ns,
		RUN_SETTING_MACHINE, run_setting(run, RUN_SETTING_MACHINE), SETTING_THREADS,
		run_setting(run, SETTING_THREADS));
	int result = sql ? query_number(store, sql, id_out) : SQLITE_NOMEM;

	sqlite3_free(sql);
	/* memsearch numbers from 1 */
	return result == SQLITE_OK && *id_out < 1 ? SQLITE_CORRUPT : result;
}

enum ms_status store_add(struct store *store, const struct run *run,
			 const struct store_causes *causes, int64_t *id_out)
{
	enum ms_status status;
	int64_t id = 0;
	int result = execute(store, "BEGIN IMMEDIATE");

	if (result == SQLITE_OK)
		result = choose_id(store, run, &id);
	if (result == SQLITE_OK)
		result = remove_run(store, id);
	if (result == SQLITE_OK)
		result = insert_run(store, run, causes, id);
	if (result == SQLITE_OK)
		result = execute(store, "COMMIT");
	if (result != SQLITE_OK) {
		status = store_failed(store, "write to");
		execute(store, "ROLLBACK");
		return status;
	}
	if (id_out)
		*id_out = id;
	return MS_OK;
}

enum ms_status store_runs(struct store *store, struct arena *arena, int64_t **ids_out,
			  size_t *nr_out)
{
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(store->db, "SELECT id FROM runs ORDER BY id", -1,
					&statement, NULL);
	size_t nr = 0, room = 0;
	int64_t *ids = NULL;

	while (result == SQLITE_OK || result == SQLITE_ROW) {
		result = sqlite3_step(statement);
		if (result != SQLITE_ROW)
			break;
		if (!ARENA_GROW(arena, ids, nr, room)) {
			sqlite3_finalize(statement);
			return MS_ERR_MEMORY;
		}
		ids[nr++] = sqlite3_column_int64(statement, 0);
	}
	sqlite3_finalize(statement);
	*ids_out = ids;
	*nr_out = nr;
	return result == SQLITE_DONE ? MS_OK : store_failed(store, "read");
}

/* NULL is `null`. */
static int read_number(sqlite3_stmt *statement, int at, int64_t least, int64_t most, int64_t null,
		       int64_t *out)
{
	int type = sqlite3_column_type(statement, at);

	*out = type == SQLITE_NULL ? null : sqlite3_column_int64(statement, at);
	return (type != SQLITE_INTEGER && type != SQLITE_NULL) || *out < least || *out > most
		       ? SQLITE_MISMATCH
		       : SQLITE_OK;
}

static int read_double(sqlite3_stmt *statement, int at, double *out)
{
	int type = sqlite3_column_type(statement, at);

	*out = type == SQLITE_NULL ? NAN : sqlite3_column_double(statement, at);
	return type == SQLITE_TEXT || type == SQLITE_BLOB ? SQLITE_MISMATCH : SQLITE_OK;
}

static int read_text(sqlite3_stmt *statement, int at, const char **out)
{
	int type = sqlite3_column_type(statement, at);

	*out = (const char *)sqlite3_column_text(statement, at);
	if (type != SQLITE_TEXT && type != SQLITE_NULL)
		return SQLITE_MISMATCH;
	return type == SQLITE_TEXT && !*out ? SQLITE_NOMEM : SQLITE_OK;
}

static int read_field(struct arena *arena, sqlite3_stmt *statement, int at,
		      const struct field *field, void *value)
{
	const char *text = NULL;
	int64_t number = 0;
	int result;

	switch (field->type) {
	case FIELD_STRING:
		result = read_text(statement, at, &text);
		*(const char **)value = arena_strdup(arena, text);
		return result == SQLITE_OK && text && !*(const char **)value ? SQLITE_NOMEM
									     : result;
	case FIELD_BOOL:
		result = read_number(statement, at, INT64_MIN, INT64_MAX, 0, &number);
		*(bool *)value = number != 0;
		return result;
	case FIELD_INT:
		result = read_number(statement, at, INT32_MIN, INT32_MAX, 0, &number);
		*(int *)value = (int)number;
		return result;
	case FIELD_U32:
		result = read_number(statement, at, 0, UINT32_MAX, UINT32_MAX, &number);
		*(uint32_t *)value = (uint32_t)number;
		return result;
	case FIELD_U64:
		result = read_number(statement, at, INT64_MIN, INT64_MAX, -1, &number);
		*(uint64_t *)value = (uint64_t)number;
		return result;
	case FIELD_DOUBLE: return read_double(statement, at, value);
	case FIELD_ENUM:
		result = read_text(statement, at, &text);
		*(uint32_t *)value = field_names_value(field->names, text);
		return result;
	default: return SQLITE_OK;
	}
}

static const char *type_words(enum field_type type)
{
	return type == FIELD_STRING || type == FIELD_ENUM ? "a text"
	       : type == FIELD_DOUBLE                     ? "a number"
							  : "a whole number in range";
}

/* SQLITE_MISMATCH: a value is not what its column holds, which has been said. */
static int read_row(const struct store *store, sqlite3_stmt *statement,
		    const struct store_table *table, struct arena *arena, char *row)
{
	const char *const *keys;
	int first = (int)schema_keys(table, &keys), result = SQLITE_OK;

	for (size_t i = 0; i < table->nr_columns && result == SQLITE_OK; i++) {
		const struct store_column *column = &table->columns[i];

		result = read_field(arena, statement, first + (int)i, column->field,
				    row + column->offset);
		if (result == SQLITE_MISMATCH)
			log_warning(
				"the store '%s' is damaged: '%s' of row %lld of table '%s' is not %s: import its records anew",
				store->path, column->name,
				table->table ? sqlite3_column_int64(statement, 1)
					     : sqlite3_column_int64(statement, 0),
				table->name, type_words(column->field->type));
	}
	return result;
}

/* One row of a table; SQLITE_CORRUPT when rows are missing before it. */
static int place_row(const struct store *store, struct arena *arena, sqlite3_stmt *statement,
		     const struct store_table *table, struct run *run)
{
	struct run_table_view view = run_table_of(table->table, run);
	char *row;

	if (sqlite3_column_int64(statement, 1) != (int64_t)*view.nr)
		return SQLITE_CORRUPT;
	if (!arena_grow(arena, view.items, table->fields->bytes, *view.nr, view.room))
		return SQLITE_NOMEM;
	row = (char *)*view.items + *view.nr * table->fields->bytes;
	memset(row, 0, table->fields->bytes);
	*view.nr += 1;
	return read_row(store, statement, table, arena, row);
}

/* Items of an array inside a row, while its rows come. */
struct items {
	int64_t number; /* of the row; -1: none yet */
	void *items;
	size_t nr, room;
};

/* The row's items are all there. Arrays that share a count must agree. */
static int items_done(const struct store_table *table, struct run *run, struct items *items)
{
	struct run_table_view view;
	size_t *count;
	char *row;

	if (items->number < 0)
		return SQLITE_OK;
	view = run_table_of(table->table, run);
	if ((uint64_t)items->number >= *view.nr)
		return SQLITE_CORRUPT;
	row = (char *)*view.items + (size_t)items->number * table->table->fields->bytes;
	count = (size_t *)(row + table->array->count_offset);
	if (*count && *count != items->nr)
		return SQLITE_CORRUPT;
	*count = items->nr;
	*(void **)(row + table->array->offset) = items->items;
	return SQLITE_OK;
}

static int place_item(const struct store *store, struct arena *arena, sqlite3_stmt *statement,
		      const struct store_table *table, struct run *run, struct items *items)
{
	int64_t number = sqlite3_column_int64(statement, 1);
	int result;

	if (number != items->number) {
		result = items_done(table, run, items);
		if (result != SQLITE_OK || number < 0)
			return SQLITE_CORRUPT;
		*items = (struct items){ .number = number };
	}
	if (sqlite3_column_int64(statement, 2) != (int64_t)items->nr)
		return SQLITE_CORRUPT;
	if (!arena_grow(arena, &items->items, table->fields->bytes, items->nr, &items->room))
		return SQLITE_NOMEM;
	items->nr++;
	return read_row(store, statement, table, arena,
			(char *)items->items + (items->nr - 1) * table->fields->bytes);
}

static int read_table(const struct store *store, struct arena *arena,
		      const struct store_table *table, int64_t id, struct run *run)
{
	struct items items = { .number = -1 };
	sqlite3_stmt *statement = NULL;
	int result = prepare(store, schema_select(table), &statement);

	if (result == SQLITE_OK)
		result = sqlite3_bind_int64(statement, 1, id);
	while (result == SQLITE_OK && (result = sqlite3_step(statement)) == SQLITE_ROW) {
		result = SQLITE_OK;
		if (table->array)
			result = place_item(store, arena, statement, table, run, &items);
		else if (table->table)
			result = place_row(store, arena, statement, table, run);
		else
			result = read_row(store, statement, table, arena, (char *)run);
	}
	sqlite3_finalize(statement);
	return result != SQLITE_DONE ? result : items_done(table, run, &items);
}

static enum ms_status read_failed(const struct store *store, int result)
{
	if (result == SQLITE_MISMATCH) /* it has been said which value is wrong */
		return MS_ERR_FORMAT;
	if (result == SQLITE_CORRUPT && sqlite3_errcode(store->db) != SQLITE_CORRUPT) {
		log_warning("the store '%s' is damaged (rows are missing): import its records anew",
			    store->path);
		return MS_ERR_FORMAT;
	}
	if (result == SQLITE_NOMEM) {
		log_warning("no memory to read the store '%s'", store->path);
		return MS_ERR_MEMORY;
	}
	return store_failed(store, "read");
}

static enum ms_status check_run(const struct store *store, int64_t id, struct run *run)
{
	struct run_fault fault;
	size_t removed;

	if (run_check(run, &removed, &fault))
		return MS_OK;
	log_warning(
		"run %lld of the store '%s' is invalid: %s %s; memsearch does not write such runs: import its record anew",
		(long long)id, store->path, fault.where, fault.why);
	return MS_ERR_FORMAT;
}

static enum ms_status read_rows(struct store *store, struct arena *arena, int64_t id,
				struct run *run)
{
	int result = SQLITE_OK;

	for (size_t i = 0; i < store->schema.nr_tables && result == SQLITE_OK; i++)
		result = read_table(store, arena, &store->schema.tables[i], id, run);
	return result == SQLITE_OK ? check_run(store, id, run) : read_failed(store, result);
}

/* A record of a run that was cut is whole, too. */
static enum ms_status read_record(struct store *store, struct arena *arena, const uint8_t *bytes,
				  size_t nr, bool complete, struct run *run)
{
	uint64_t ignored = 0;
	enum ms_status status = record_parse(arena, store->path, bytes, nr, run, &ignored);

	if (status == MS_OK && ignored)
		status = MS_ERR_FORMAT;
	if (status == MS_ERR_FORMAT)
		log_warning("the store '%s' is damaged: import its records anew", store->path);
	if (status != MS_OK)
		return status;
	run->complete = complete;
	return MS_OK;
}

/* *complete_out -1: there is no such run. */
static int find_run(const struct store *store, int64_t id, int64_t *complete_out)
{
	char *sql = sqlite3_mprintf(
		"SELECT coalesce((SELECT complete FROM runs WHERE id = %lld), -1)", (long long)id);
	int result = sql ? query_number(store, sql, complete_out) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return result;
}

/* `scratch` holds the bytes of the record. */
static enum ms_status read_run(struct store *store, struct arena *arena, struct arena *scratch,
			       int64_t id, struct run *run)
{
	const uint8_t *bytes = NULL;
	int64_t complete = 0;
	int result = find_run(store, id, &complete);
	size_t nr = 0;

	if (result == SQLITE_OK && complete < 0) {
		log_warning("the store '%s' has no run %lld", store->path, (long long)id);
		return MS_ERR_NOT_FOUND;
	}
	if (result == SQLITE_OK)
		result = records_get(store->db, scratch, id, &bytes, &nr);
	if (result != SQLITE_OK)
		return read_failed(store, result);
	return bytes ? read_record(store, arena, bytes, nr, complete, run)
		     : read_rows(store, arena, id, run);
}

enum ms_status store_read(struct store *store, struct arena *arena, int64_t id, struct run *run_out)
{
	struct arena *scratch = arena_new();
	enum ms_status status = MS_ERR_MEMORY;

	memset(run_out, 0, sizeof(*run_out));
	if (scratch)
		status = execute(store, "BEGIN") == SQLITE_OK
				 ? read_run(store, arena, scratch, id, run_out)
				 : store_failed(store, "read");
	execute(store, "ROLLBACK");
	arena_free(scratch);
	return status;
}
