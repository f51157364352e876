/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/store/records.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/record/format.h"
#include "analysis/record/record.h"

#define PIECE_BYTES ((size_t)1 << 20)

int records_create(sqlite3 *db)
{
	return sqlite3_exec(
		db,
		"CREATE TABLE records(run INTEGER NOT NULL, version INTEGER NOT NULL, piece INTEGER NOT NULL, bytes BLOB NOT NULL, UNIQUE (run, piece))",
		NULL, NULL, NULL);
}

static int add_piece(sqlite3_stmt *statement, int64_t id, size_t number, const uint8_t *bytes,
		     size_t nr)
{
	int result = sqlite3_bind_int64(statement, 1, id);

	if (result == SQLITE_OK)
		result = sqlite3_bind_int64(statement, 2, RECORD_VERSION);
	if (result == SQLITE_OK)
		result = sqlite3_bind_int64(statement, 3, (int64_t)number);
	if (result == SQLITE_OK)
		result = sqlite3_bind_blob(statement, 4, bytes, (int)nr, SQLITE_STATIC);
	if (result == SQLITE_OK)
		result = sqlite3_step(statement);
	sqlite3_reset(statement);
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

static int add_pieces(sqlite3 *db, int64_t id, const uint8_t *bytes, size_t nr)
{
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(
		db, "INSERT INTO records(run, version, piece, bytes) VALUES (?, ?, ?, ?)", -1,
		&statement, NULL);

	for (size_t at = 0; at < nr && result == SQLITE_OK; at += PIECE_BYTES)
		result = add_piece(statement, id, at / PIECE_BYTES, bytes + at,
				   nr - at < PIECE_BYTES ? nr - at : PIECE_BYTES);
	sqlite3_finalize(statement);
	return result;
}

int records_add(sqlite3 *db, int64_t id, const struct run *run)
{
	struct arena *arena = arena_new();
	const uint8_t *bytes;
	int result = SQLITE_NOMEM;
	size_t nr;

	if (arena && record_format(arena, run, &bytes, &nr) == MS_OK)
		result = add_pieces(db, id, bytes, nr);
	arena_free(arena);
	return result;
}

/* A statement about the pieces of a run that this version reads; ?1 and ?2 are bound. */
static int prepare(sqlite3 *db, const char *sql, int64_t id, sqlite3_stmt **statement_out)
{
	int result = sqlite3_prepare_v2(db, sql, -1, statement_out, NULL);

	if (result == SQLITE_OK)
		result = sqlite3_bind_int64(*statement_out, 1, id);
	if (result == SQLITE_OK)
		result = sqlite3_bind_int64(*statement_out, 2, RECORD_VERSION);
	return result;
}

/* Bytes of all pieces; 0: there are none. */
static int get_length(sqlite3 *db, int64_t id, size_t *nr_out)
{
	sqlite3_stmt *statement = NULL;
	int result = prepare(
		db, "SELECT sum(length(bytes)) FROM records WHERE run = ?1 AND version = ?2", id,
		&statement);

	if (result == SQLITE_OK)
		result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		*nr_out = (size_t)sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return result == SQLITE_ROW ? SQLITE_OK : result;
}

static int get_pieces(sqlite3_stmt *statement, uint8_t *bytes, size_t nr)
{
	size_t at = 0;
	int result;

	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		const void *piece = sqlite3_column_blob(statement, 0);
		size_t length = (size_t)sqlite3_column_bytes(statement, 0);

		if (length > nr - at)
			return SQLITE_CORRUPT;
		if (length && !piece)
			return SQLITE_NOMEM;
		if (length)
			memcpy(bytes + at, piece, length);
		at += length;
	}
	return result != SQLITE_DONE ? result : at == nr ? SQLITE_OK : SQLITE_CORRUPT;
}

int records_get(sqlite3 *db, struct arena *arena, int64_t id, const uint8_t **bytes_out,
		size_t *nr_out)
{
	sqlite3_stmt *statement = NULL;
	uint8_t *bytes;
	int result;

	*bytes_out = NULL;
	*nr_out = 0;
	result = get_length(db, id, nr_out);
	if (result != SQLITE_OK || !*nr_out)
		return result;
	bytes = arena_alloc(arena, *nr_out);
	if (!bytes)
		return SQLITE_NOMEM;
	result = prepare(db,
			 "SELECT bytes FROM records WHERE run = ?1 AND version = ?2 ORDER BY piece",
			 id, &statement);
	if (result == SQLITE_OK)
		result = get_pieces(statement, bytes, *nr_out);
	sqlite3_finalize(statement);
	*bytes_out = bytes;
	return result;
}
