/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records and stores with right checksums and wrong contents, through everything that reads them.
 * See tests/unit/fuzz.h.
 */
#include "tests/fuzz/commands.h"
#include "tests/fuzz/differences.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "analysis/record/record.h"
#include "analysis/store/schema.h"
#include "tests/host/mutate_run.h"
#include "tests/host/random_run.h"
#include "tests/host/scratch.h"
#include "tests/unit/fuzz.h"

#define BASES 12
/* one input in that many goes through the commands themselves, which load properties each time */
#define COMMANDS_EACH 64

static struct arena *bases_arena;
static struct run bases[BASES];

/* Real runs, of which one lost its end, and two that are random. */
static void prepare(void)
{
	static const char *const paths[] = {
		"tests/experiments/sample.ms",        "tests/experiments/modelled.ms",
		"tests/experiments/clean.ms",         "tests/experiments/killed.ms",
		"tests/experiments/before.ms",        "tests/experiments/searched.ms",
		"tests/experiments/swept_2_close.ms", "tests/experiments/swept_2_spread.ms",
		"tests/experiments/swept_4_close.ms", "tests/experiments/swept_4_spread.ms",
	};
	size_t nr = sizeof(paths) / sizeof(paths[0]);
	uint8_t *machine;

	fuzz_quiet();
	commands_prepare();
	bases_arena = arena_new();
	for (size_t i = 0; i < nr; i++)
		CHECK_INT(record_read(bases_arena, paths[i], &bases[i], NULL), MS_OK);
	for (size_t i = nr; i < BASES; i++)
		random_run(bases_arena, i, 30, &bases[i]);
	machine = file_read("tests/live/programs/small.machine", &nr);
	CHECK(machine);
	scratch_enter();
	CHECK_THAT(mkfifo("fifo", 0600), ==, 0);
	commands_enter(machine, nr);
	free(machine);
}

static uint64_t next(uint64_t below)
{
	return pick(below);
}

static void write_mutated(struct arena *arena, const char *path, bool sound)
{
	struct run run = bases[pick(BASES)];
	struct record *record;

	mutate_run(arena, &run, next, sound);
	unlink(path);
	record = record_create(arena, path, NULL);
	CHECK(record);
	if (pick(8))
		record_close(record, &run);
	else
		record_update(record, &run), record_abandon(record);
}

/* With a sound run, which has the same functions and data structures, perhaps. */
static void compare_with_sound(const char *path)
{
	struct arena *arena = arena_new();
	struct run *runs;
	size_t nr;

	if (store_load(arena, path, &runs, &nr) == MS_OK)
		for (size_t i = 0; i < nr; i++)
			write_differences(arena, &runs[i], &bases[pick(BASES)], pick(1000));
	arena_free(arena);
}

TEST(commands_fuzz__mutated_records)
{
	unsigned long loaded = 0;

	prepare();
	FUZZ_EACH(250)
	{
		struct arena *arena = arena_new();

		write_mutated(arena, "m.ms", pick(4));
		loaded += write_all("m.ms", pick(2));
		compare_with_sound("m.ms");
		if (fuzz_number % COMMANDS_EACH == 1)
			run_commands("m.ms");
		arena_free(arena);
	}
	CHECK(getenv("FUZZ_ONLY") || loaded > fuzz_inputs / 3);
	fuzz_tell("mutated records");
}

/* -- stores */

static void copy_file(const char *from, const char *to)
{
	size_t nr;
	uint8_t *bytes = file_read(from, &nr);
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	CHECK(bytes && fd >= 0 && write(fd, bytes, nr) == (ssize_t)nr);
	close(fd);
	free(bytes);
}

static void store_bases(void)
{
	char path[16];

	for (int i = 0; i < BASES; i++) {
		struct store *store;

		snprintf(path, sizeof(path), "base%d.db", i);
		CHECK_INT(store_open(path, true, &store), MS_OK);
		for (int k = i; k < i + 4; k++) /* base6.db is a sweep */
			CHECK_INT(store_add(store, &bases[k % BASES], NULL, NULL), MS_OK);
		store_close(store);
	}
}

static const char *any_value(void)
{
	static const char *const values[] = {
		"NULL",
		"0",
		"-1",
		"1",
		"2",
		"4294967295",
		"4294967296",
		"9223372036854775807",
		"-9223372036854775808",
		"1.5",
		"-0.5",
		"9e999",
		"-9e999",
		"1e300",
		"''",
		"'x'",
		"x'00ff'",
		"'a' || char(27) || '[2J' || char(10)",
		"zeroblob(5000)",
		"'/dev/zero'",
		"'fifo'",
		"'true'",
		"'LoadImbalance'",
		"printf('%.*c', 9000, 'y')",
		"row",
		"row - 1",
		"row + 1",
		"run",
	};

	return values[pick(sizeof(values) / sizeof(values[0]))];
}

/* Values, rows, columns and tables become others, as anybody with sqlite3 could make them. */
static void change_sql(const struct schema *schema, sqlite3 *db)
{
	const struct store_table *table = &schema->tables[pick(schema->nr_tables)];
	const char *column = table->columns[pick(table->nr_columns)].name,
		   *value = table->table ? any_value() : "0";
	char sql[600];

	switch (pick(table->table ? 12 : 4)) {
	case 0:
		snprintf(sql, sizeof(sql), "UPDATE OR REPLACE %s SET %s = %s", table->name, column,
			 value);
		break;
	case 1:
		snprintf(sql, sizeof(sql), "DELETE FROM %s WHERE row = abs(random()) %% 20",
			 table->name);
		break;
	case 2:
		snprintf(sql, sizeof(sql),
			 pick(2) ? "ALTER TABLE %s RENAME COLUMN %s TO other"
				 : "ALTER TABLE %s DROP COLUMN %s",
			 table->name, column);
		break;
	case 3:
		snprintf(sql, sizeof(sql), "UPDATE OR REPLACE %s SET row = row + %d", table->name,
			 (int)pick(5) - 2);
		break;
	case 4:
		snprintf(
			sql, sizeof(sql),
			"DROP TABLE %s; CREATE VIEW %s AS WITH RECURSIVE r(run, row, position) AS "
			"(SELECT 1, 0, 0 UNION ALL SELECT 1, row + 1, 0 FROM r) SELECT *, %s FROM r",
			table->name, table->name, value);
		break;
	case 5:
		snprintf(sql, sizeof(sql),
			 "CREATE TRIGGER t BEFORE INSERT ON %s BEGIN DELETE FROM runs; END",
			 table->name);
		break;
	default:
		snprintf(sql, sizeof(sql), "UPDATE OR REPLACE %s SET %s = %s WHERE row = %d",
			 table->name, column, value, (int)pick(6));
	}
	sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static void change_bytes(const char *path)
{
	struct stat status;
	int fd = open(path, O_RDWR);

	CHECK(fd >= 0 && fstat(fd, &status) == 0);
	for (uint64_t changes = 1 + pick(20); changes; changes--) {
		uint8_t byte = (uint8_t)(pick(3) ? pick(256) : pick(2) ? 0 : 0xff);

		CHECK_THAT(
			pwrite(fd, &byte, 1, (off_t)(100 + pick((uint64_t)status.st_size - 100))),
			==, 1);
	}
	if (pick(10) == 0)
		CHECK_THAT(ftruncate(fd, (off_t)pick((uint64_t)status.st_size)), ==, 0);
	close(fd);
}

TEST(commands_fuzz__mutated_stores)
{
	static struct schema schema;

	prepare();
	store_bases();
	schema_init(&schema);
	FUZZ_EACH_OF(40, "FUZZ_STORES")
	{
		char path[16];
		sqlite3 *db;

		snprintf(path, sizeof(path), "base%d.db", (int)pick(BASES));
		copy_file(path, "m.db");
		if (pick(3)) {
			CHECK_INT(sqlite3_open("m.db", &db), SQLITE_OK);
			sqlite3_exec(db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY",
				     NULL, NULL, NULL);
			for (uint64_t changes = 1 + pick(3); changes; changes--)
				change_sql(&schema, db);
			sqlite3_close(db);
		} else {
			change_bytes("m.db");
		}
		write_all("m.db", pick(2));
		compare_with_sound("m.db");
		if (fuzz_number % COMMANDS_EACH == 1)
			run_commands("m.db");
	}
	fuzz_tell("mutated stores");
}
