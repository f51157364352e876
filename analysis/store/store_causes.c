/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/store/store_causes.h"

int store_causes_create(sqlite3 *db)
{
	return sqlite3_exec(
		db,
		"CREATE TABLE causes(run INTEGER NOT NULL, number INTEGER NOT NULL, machine TEXT, kind TEXT, "
		"property TEXT, title TEXT, arrays TEXT, place TEXT, file TEXT, line INTEGER, low REAL, high REAL, "
		"why TEXT, remedy TEXT, action TEXT, PRIMARY KEY (run, number)) WITHOUT ROWID",
		NULL, NULL, NULL);
}

static int bind(sqlite3_stmt *statement, int64_t run, size_t number,
		const struct store_cause *cause)
{
	const char *const texts[] = { cause->machine, cause->kind,  cause->property, cause->title,
				      cause->arrays,  cause->place, cause->file,     cause->why,
				      cause->remedy,  cause->action };
	int at = 1, result = sqlite3_bind_int64(statement, at++, run);

	if (result == SQLITE_OK)
		result = sqlite3_bind_int64(statement, at++, (int64_t)number);
	if (result == SQLITE_OK && cause->line)
		result = sqlite3_bind_int64(statement, at, cause->line);
	at++;
	if (result == SQLITE_OK)
		result = sqlite3_bind_double(statement, at++, cause->low);
	if (result == SQLITE_OK)
		result = sqlite3_bind_double(statement, at++, cause->high);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && result == SQLITE_OK; i++)
		result = sqlite3_bind_text(statement, at++, texts[i], -1, SQLITE_STATIC);
	return result;
}

int store_causes_add(sqlite3 *db, int64_t run, const struct store_causes *causes)
{
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(
		db,
		"INSERT INTO causes(run, number, line, low, high, machine, kind, property, title, arrays, place, "
		"file, why, remedy, action) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		-1, &statement, NULL);

	for (size_t i = 0; causes && i < causes->nr && result == SQLITE_OK; i++) {
		result = bind(statement, run, i + 1, &causes->list[i]);
		if (result == SQLITE_OK && sqlite3_step(statement) != SQLITE_DONE)
			result = sqlite3_errcode(db);
		sqlite3_reset(statement);
		sqlite3_clear_bindings(statement);
	}
	sqlite3_finalize(statement);
	return result;
}
