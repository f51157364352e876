/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store: runs come back as they were, older files are migrated, killed imports leave nothing,
 * bad files are named.
 */
#define _GNU_SOURCE /* setresuid */
#include "analysis/store/store.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/record/record.h"
#include "analysis/store/schema.h"
#include "tests/host/random_run.h"
#include "tests/host/scratch.h"
#include "tests/unit/test.h"

/* stderr goes to the file "log"; its text is checked with said(). */
static void listen(void)
{
	CHECK(freopen("log", "w", stderr));
}

static int said(const char *words)
{
	size_t nr;
	uint8_t *bytes;
	int found;

	fflush(stderr);
	bytes = file_read("log", &nr);
	bytes = realloc(bytes, nr + 1);
	bytes[nr] = 0;
	found = strstr((char *)bytes, words) != NULL;
	free(bytes);
	return found;
}

static void check_same(int line, const struct run *have, const struct run *want)
{
	const char *difference = run_difference(have, want);

	if (difference)
		test_fail(__FILE__, line, "differs in %s", difference);
}

static void store_one(const char *path, const struct run *run)
{
	struct store *store;

	CHECK_INT(store_open(path, true, &store), MS_OK);
	CHECK_INT(store_add(store, run, NULL, NULL), MS_OK);
	store_close(store);
}

static void sql(const char *path, const char *text)
{
	sqlite3 *db;

	CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK)
		test_fail(__FILE__, __LINE__, "%s", sqlite3_errmsg(db));
	sqlite3_close(db);
}

/* As in stores of older versions: runs are read from their rows. */
static void drop_records(const char *path)
{
	sql(path, "DELETE FROM records");
}

TEST(store__schema_has_room)
{
	struct schema *schema = calloc(1, sizeof(*schema));

	schema_init(schema);
	CHECK_INT(schema->nr_tables, 1 + 23 + 12);
	CHECK_THAT(schema->nr_tables, <, STORE_TABLES_MAX);
	for (size_t i = 0; i < schema->nr_tables; i++)
		CHECK(schema->tables[i].nr_columns > 0 &&
		      schema->tables[i].nr_columns < STORE_COLUMNS_MAX);
	CHECK_STR(schema->tables[4].name, "regions_path");
	free(schema);
}

TEST(store__what_is_added_is_read)
{
	struct arena *arena = arena_new();
	struct run runs[30], again;
	struct store *store;
	int64_t ids[30], *list;
	size_t nr;

	scratch_enter();
	CHECK_INT(store_open("x.db", true, &store), MS_OK);
	for (size_t i = 0; i < 30; i++) {
		random_run(arena, i + 100, i, &runs[i]);
		CHECK_INT(store_add(store, &runs[i], NULL, &ids[i]), MS_OK);
		CHECK_INT(ids[i], i + 1);
	}
	store_close(store);
	CHECK(store_is("x.db") && !record_is("x.db"));
	CHECK_INT(store_open("x.db", false, &store), MS_OK);
	CHECK_INT(store_runs(store, arena, &list, &nr), MS_OK);
	CHECK_INT(nr, 30);
	for (size_t i = 0; i < 30; i++) {
		CHECK_INT(store_read(store, arena, list[i], &again), MS_OK);
		check_same(__LINE__, &again, &runs[i]);
	}
	listen();
	CHECK_INT(store_read(store, arena, 77, &again), MS_ERR_NOT_FOUND);
	CHECK(said("'x.db' has no run 77"));
	store_close(store);
}

/* Of each run both are there, and say the same; also of runs that were cut. */
TEST(store__rows_and_records_are_the_same)
{
	static const char *const changes[] = { "SELECT 1", "UPDATE records SET version = 77",
					       "DELETE FROM records" };

	scratch_enter();
	for (size_t i = 0; i < 12; i++) {
		struct arena *arena = arena_new();
		struct run run, *runs;
		size_t nr;

		random_run(arena, i + 200, i, &run);
		run.complete = i % 2;
		unlink("x.db");
		store_one("x.db", &run);
		sql("x.db", changes[i % 3]);
		CHECK_INT(store_load(arena, "x.db", &runs, &nr), MS_OK);
		check_same(__LINE__, runs, &run);
		CHECK_INT(runs->complete, i % 2);
		arena_free(arena);
	}
}

TEST(store__damaged_records_are_refused)
{
	static const char *const damages[] = {
		"UPDATE records SET bytes = zeroblob(length(bytes))",
		"UPDATE records SET bytes = substr(bytes, 1, length(bytes) - 40)",
		"UPDATE records SET bytes = x'00'",
		"DROP TABLE records",
	};
	struct arena *arena = arena_new();
	struct run run, *runs;
	size_t nr;

	scratch_enter();
	random_run(arena, 5, 40, &run);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		unlink("x.db");
		store_one("x.db", &run);
		sql("x.db", damages[i]);
		if (store_load(arena, "x.db", &runs, &nr) != MS_ERR_FORMAT)
			test_fail(__FILE__, __LINE__, "not seen: %s", damages[i]);
	}
	arena_free(arena);
}

TEST(store__the_same_run_again_replaces_it)
{
	struct arena *arena = arena_new();
	struct run run, other, *runs;
	size_t nr;

	scratch_enter();
	random_run(arena, 5, 20, &run);
	random_run(arena, 6, 20, &other);
	store_one("x.db", &run);
	store_one("x.db", &other);
	run.nr_nodes = run.nr_nodes ? run.nr_nodes - 1 : 0;
	run.strategy = "deep_start";
	store_one("x.db", &run);
	CHECK_INT(store_load(arena, "x.db", &runs, &nr), MS_OK);
	CHECK_INT(nr, 2);
	check_same(__LINE__, &runs[0], &run);
	check_same(__LINE__, &runs[1], &other);
}

static void set_machine(struct run *run, struct run_setting *setting, const char *machine)
{
	*setting = (struct run_setting){ RUN_SETTING_MACHINE, machine };
	run->settings = setting;
	run->nr_settings = 1;
}

/* A sweep simulates one record on several machines: a run of the store for each. */
TEST(store__a_run_on_another_machine_is_another_run)
{
	struct arena *arena = arena_new();
	struct run here, there, plain, *runs;
	struct run_setting on[2];
	size_t nr;

	scratch_enter();
	random_run(arena, 5, 20, &plain);
	plain.nr_settings = 0;
	here = there = plain;
	set_machine(&here, &on[0], "host");
	set_machine(&there, &on[1], "altix-bx2");
	store_one("x.db", &here);
	store_one("x.db", &there);
	store_one("x.db", &plain);
	there.strategy = "deep_start";
	store_one("x.db", &there);
	store_one("x.db", &plain);
	CHECK_INT(store_load(arena, "x.db", &runs, &nr), MS_OK);
	CHECK_INT(nr, 3);
	check_same(__LINE__, &runs[0], &here);
	check_same(__LINE__, &runs[1], &there);
	check_same(__LINE__, &runs[2], &plain);
	CHECK_STR(run_setting(&runs[1], RUN_SETTING_MACHINE), "altix-bx2");
	CHECK(!run_setting(&runs[1], "threads") && !run_setting(&runs[2], RUN_SETTING_MACHINE));
}

/* One run of `memsearch sweep --online` has several numbers of threads. */
TEST(store__a_run_with_other_threads_is_another_run)
{
	struct run_setting of_one[] = { { RUN_SETTING_MACHINE, "none" }, { SETTING_THREADS, "1" } },
			   of_two[] = { { RUN_SETTING_MACHINE, "none" }, { SETTING_THREADS, "2" } };
	struct arena *arena = arena_new();
	struct run one, two, *runs;
	size_t nr;

	scratch_enter();
	random_run(arena, 5, 20, &one);
	two = one;
	one.settings = of_one;
	two.settings = of_two;
	one.nr_settings = two.nr_settings = 2;
	store_one("x.db", &one);
	store_one("x.db", &two);
	two.strategy = "deep_start";
	store_one("x.db", &two);
	CHECK_INT(store_load(arena, "x.db", &runs, &nr), MS_OK);
	CHECK_INT(nr, 2);
	check_same(__LINE__, &runs[0], &one);
	check_same(__LINE__, &runs[1], &two);
}

TEST(store__load_takes_records_too)
{
	struct arena *arena = arena_new();
	struct record *record;
	struct run run, *runs;
	uint8_t *bytes;
	size_t nr;

	scratch_enter();
	listen();
	random_run(arena, 8, 20, &run);
	record = record_create(arena, "x.ms", NULL);
	CHECK_INT(record_close(record, &run), MS_OK);
	CHECK_INT(store_load(arena, "x.ms", &runs, &nr), MS_OK);
	CHECK_INT(nr, 1);
	check_same(__LINE__, runs, &run);
	bytes = file_read("x.ms", &nr);
	file_write("torn.ms", bytes, nr - 1);
	CHECK_INT(store_load(arena, "torn.ms", &runs, &nr), MS_OK);
	CHECK(!runs->complete && said("is torn or damaged: its last 11 bytes are left out"));
	free(bytes);
}

TEST(store__bad_files_are_named)
{
	struct arena *arena = arena_new();
	struct run run, *runs;
	struct store *store;
	uint8_t *bytes;
	size_t nr;

	scratch_enter();
	listen();
	CHECK_INT(store_load(arena, "none.db", &runs, &nr), MS_ERR_NOT_FOUND);
	CHECK(said("cannot open 'none.db': No such file"));
	CHECK_INT(store_open("none.db", false, &store), MS_ERR_NOT_FOUND);
	file_write("text.db", "just text, more than sixteen bytes", 34);
	CHECK_INT(store_load(arena, "text.db", &runs, &nr), MS_ERR_FORMAT);
	CHECK(said("'text.db' is neither a record (.ms) nor a store (.db)"));
	CHECK_INT(store_open("text.db", true, &store), MS_ERR_FORMAT);
	CHECK(said("'text.db' is not a store"));
	sql("other.db", "CREATE TABLE t(x)");
	CHECK_INT(store_open("other.db", true, &store), MS_ERR_FORMAT);
	CHECK(said("'other.db' is an SQLite file of another program"));
	CHECK_INT(store_open(".", false, &store), MS_ERR_IO);
	random_run(arena, 1, 200, &run);
	store_one("x.db", &run);
	sql("x.db", "PRAGMA user_version = 48");
	CHECK_INT(store_load(arena, "x.db", &runs, &nr), MS_ERR_VERSION);
	CHECK(said("'x.db' is of version 48, this memsearch knows versions up to 47"));
	sql("x.db", "PRAGMA user_version = 47");
	bytes = file_read("x.db", &nr);
	memset(bytes + 4096, 0xa5, nr - 4096);
	file_write("damaged.db", bytes, nr);
	CHECK_INT(store_load(arena, "damaged.db", &runs, &nr), MS_ERR_FORMAT);
	CHECK(said("'damaged.db' is damaged"));
	free(bytes);
}

TEST(store__missing_rows_are_damage)
{
	static const char *const damages[] = {
		"DELETE FROM regions WHERE row = 0",
		"DELETE FROM regions_path WHERE position = 0 AND row = (SELECT max(row) FROM regions_path WHERE position = 1)",
		"INSERT INTO nodes_threads VALUES (1, 100000, 0, 0)",
		"DROP TABLE hotspots",
		"INSERT INTO regions_path(run, row, position) SELECT run, row, max(position) + 1 FROM regions_path GROUP BY run, row",
	};
	struct arena *arena = arena_new();
	struct run run, *runs;
	size_t nr;

	scratch_enter();
	listen();
	random_run(arena, 5, 40, &run);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		unlink("x.db");
		store_one("x.db", &run);
		drop_records("x.db");
		sql("x.db", damages[i]);
		if (store_load(arena, "x.db", &runs, &nr) != MS_ERR_FORMAT)
			test_fail(__FILE__, __LINE__, "not seen: %s", damages[i]);
		CHECK(said("'x.db' is damaged"));
	}
}

TEST(store__unknown_names_do_no_harm)
{
	struct arena *arena = arena_new();
	struct run run, *runs;
	size_t nr;

	scratch_enter();
	random_run(arena, 12, 40, &run);
	CHECK(run.nr_measurements > 1 && run.nr_nodes > 1);
	store_one("x.db", &run);
	drop_records("x.db");
	sql("x.db",
	    "UPDATE measurements SET metric = 'unheard_of' WHERE row = 0; UPDATE nodes SET state = 'tired' WHERE row = 0");
	CHECK_INT(store_load(arena, "x.db", &runs, &nr), MS_OK);
	CHECK_INT(runs->nr_measurements, run.nr_measurements - 1);
	CHECK_INT(runs->nodes[0].state, 4); /* unknown */
}

/*
 * The recording is older than the rules of what numbers are possible: as possible_double() of
 * tests/host/random_run.c.
 */
static void make_possible(void)
{
	static struct schema schema;
	char text[400];

	schema_init(&schema);
	for (size_t i = 0; i < schema.nr_tables; i++)
		for (size_t k = 0; k < schema.tables[i].nr_columns; k++) {
			const struct store_table *table = &schema.tables[i];
			const struct store_column *column = &table->columns[k];
			bool number = column->field->type == FIELD_DOUBLE &&
				      column->field->rule != RULE_UNKNOWN;

			if (table->since > 1 || column->since > 1 ||
			    (!number && column->field->type != FIELD_INT))
				continue;
			snprintf(
				text, sizeof(text),
				number ? "UPDATE %s SET %s = CASE WHEN abs(%s) < 9e999 THEN %s(%s) ELSE 0 END"
				       : "UPDATE %s SET %s = %s & 2147483647",
				table->name, column->name, column->name,
				column->field->rule == RULE_SIZE ? "abs" : "", column->name);
			sql("x.db", text);
		}
}

/* Makes x.db from the SQL of a file in tests/data. */
static void restore(const char *path)
{
	size_t nr;
	uint8_t *text = file_read(path, &nr);

	if (!text)
		test_fail(__FILE__, __LINE__,
			  "cannot read %s: run the tests from the source folder", path);
	text = realloc(text, nr + 1);
	text[nr] = 0;
	scratch_enter();
	sql("x.db", (char *)text);
	free(text);
	make_possible();
}

TEST(store__version_1_is_migrated)
{
	struct arena *arena = arena_new();
	struct run want, *runs;
	struct store *store;
	int64_t id;
	size_t nr;

	restore("tests/data/store-version-1.sql");
	CHECK_INT(store_load(arena, "x.db", &runs, &nr), MS_OK);
	CHECK_INT(nr, 1);
	/* what was written then; what version 1 had no place for is gone */
	random_run(arena, 1, 6, &want);
	want.restarts_would_help = false;
	want.restarts = 0;
	want.nr_sensors = 0;
	want.phase.executions_read = 0;
	want.counting = (struct run_counting){ 0 };
	want.nr_counters = 0;
	want.nr_arrays = want.nr_touches = want.nr_accesses = want.nr_sharings = want.nr_settings =
		0;
	want.nr_placements = want.nr_node_memory = want.nr_trials = want.nr_phases = 0;
	want.nr_writes = 0;
	want.nr_intervals = want.nr_variables = want.nr_steps = 0;
	want.trying = (struct run_trying){ 0 };
	want.writing = (struct run_writing){ 0 };
	want.phase.kept_until = 0;
	want.phase.before_ns = 0;
	want.sweep = (struct run_sweep){ 0 };
	want.touching = (struct run_touching){ 0 };
	for (size_t i = 0; i < want.nr_dropped; i++)
		want.dropped[i] = (struct run_dropped){ .what = want.dropped[i].what,
							.why = want.dropped[i].why,
							.count = want.dropped[i].count };
	want.machine.attainable_bandwidth = want.machine.single_bandwidth =
		want.machine.bandwidth_spread = 0;
	want.machine.bandwidth_measured = want.machine.cache_bytes = 0;
	want.modelled = (struct run_modelled){ 0 };
	want.placing = (struct run_placing){ 0 };
	want.omp_places = want.omp_proc_bind = NULL;
	want.machine.atomic_ns = want.machine.cycle_ns = want.cost.memory_bytes = 0;
	want.cost.before_ns = want.cost.others_cpu_ns = 0;
	for (size_t i = 0; i < want.nr_nodes; i++) {
		want.nodes[i].title = NULL;
		want.nodes[i].interval_known = want.nodes[i].severity_of_model = false;
		want.nodes[i].since = 0;
		want.nodes[i].events = NULL;
		want.nodes[i].nr_numa_nodes = 0;
		want.nodes[i].views = 0;
		want.nodes[i].interval = 0;
		want.nodes[i].reached_executions = 0;
		want.nodes[i].reached_ns = 0;
	}
	for (size_t i = 0; i < want.nr_regions; i++) {
		want.regions[i].name = NULL;
		want.regions[i].mutex = 0;
		want.regions[i].key = 0;
	}
	for (size_t i = 0; i < want.nr_hotspots; i++) {
		want.hotspots[i].leaf = (struct code_address){ 0 };
		want.hotspots[i].in_library = 0;
		memset(&want.hotspots[i].leaf_source, 0, sizeof(want.hotspots[i].leaf_source));
	}
	CHECK(want.nr_hotspots && want.nr_nodes && want.nr_modules);
	check_same(__LINE__, runs, &want);
	random_run(arena, 15, 6, &want); /* and it takes runs of today */
	CHECK_INT(store_open("x.db", false, &store), MS_OK);
	CHECK_INT(store_add(store, &want, NULL, &id), MS_OK);
	CHECK_INT(store_read(store, arena, id, runs), MS_OK);
	check_same(__LINE__, runs, &want);
	store_close(store);
}

TEST(store__a_migration_that_fails_changes_nothing)
{
	struct arena *arena = arena_new();
	uint8_t *before, *after;
	size_t nr, nr_after;
	struct run *runs;

	restore("tests/data/store-version-1.sql");
	listen();
	sql("x.db", "CREATE TABLE counters(in_the_way)"); /* the last table to be made */
	before = file_read("x.db", &nr);
	CHECK_INT(store_load(arena, "x.db", &runs, &nr_after), MS_ERR_FORMAT);
	after = file_read("x.db", &nr_after);
	CHECK(nr == nr_after && !memcmp(before, after, nr));
	free(before);
	free(after);
}

TEST(store__a_locked_store_is_said_to_be)
{
	struct arena *arena = arena_new();
	struct store *store;
	struct run run;
	sqlite3 *db;

	scratch_enter();
	listen();
	random_run(arena, 3, 5, &run);
	store_one("x.db", &run);
	CHECK_INT(sqlite3_open("x.db", &db), SQLITE_OK);
	CHECK_INT(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
	CHECK_INT(store_open("x.db", false, &store), MS_ERR_IO);
	CHECK(said("cannot read the store 'x.db': another process has locked it"));
	sqlite3_close(db);
}

/*
 * In a folder of all users the link may be another's. Links to folders are the user's way of naming
 * them.
 */
TEST(store__links_are_not_written_through)
{
	struct arena *arena = arena_new();
	struct store *store;
	struct run run;

	scratch_enter();
	listen();
	random_run(arena, 3, 5, &run);
	store_one("x.db", &run);
	CHECK(mkdir("folder", 0755) == 0 && symlink("folder", "to_folder") == 0);
	CHECK(symlink("x.db", "to_store.db") == 0 && symlink("new.db", "to_nothing.db") == 0);
	CHECK_INT(store_open("to_store.db", true, &store), MS_ERR_INVALID);
	CHECK(said("'to_store.db' is a symbolic link"));
	CHECK_INT(store_open("to_nothing.db", true, &store), MS_ERR_INVALID);
	CHECK_INT(access("new.db", F_OK), -1);
	CHECK_INT(store_open("to_store.db", false, &store), MS_OK);
	store_close(store);
	CHECK_INT(store_open("to_folder/y.db", true, &store), MS_OK);
	store_close(store);
	CHECK_INT(access("folder/y.db", F_OK), 0);
}

TEST(store__a_folder_that_cannot_be_written_is_said_to_be)
{
	struct arena *arena = arena_new();
	struct store *store;
	struct run run, *runs;
	size_t nr;

	scratch_enter();
	listen();
	random_run(arena, 3, 5, &run);
	store_one("x.db", &run);
	CHECK(chmod("x.db", 0444) == 0 && chmod(".", 0555) == 0);
	if (geteuid() == 0 && setresuid(65534, 65534, 0) != 0)
		test_skip("permissions do not bind root, and setuid fails");
	CHECK_INT(store_load(arena, "x.db", &runs, &nr), MS_OK);
	check_same(__LINE__, runs, &run);
	CHECK_INT(store_open("new.db", true, &store), MS_ERR_PERMISSION);
	CHECK(said("cannot create the store 'new.db'"));
	CHECK_INT(store_open("x.db", true, &store), MS_OK);
	CHECK_INT(store_add(store, &run, NULL, NULL), MS_ERR_PERMISSION);
	CHECK(said("cannot write to the store 'x.db'"));
	store_close(store);
	if (geteuid() == 65534 && setresuid(0, 0, 0))
		test_skip("cannot become root again");
	CHECK_INT(chmod(".", 0755), 0);
}

/* Runs of two kinds, so that a half replaced one would be neither. */
static void import_for_ever(const struct run *run, const struct run *other)
{
	for (;;) {
		store_one("x.db", run);
		store_one("x.db", other);
	}
}

TEST(store__killed_while_importing)
{
	struct arena *arena = arena_new();
	struct run run, other, *runs;
	size_t nr, replaced = 0;

	scratch_enter();
	random_run(arena, 41, 100, &run);
	random_run(arena, 41, 100, &other);
	other.strategy = "other";
	other.nr_measurements /= 2;
	other.nr_nodes /= 2;
	store_one("x.db", &run);
	for (int i = 0; i < 25; i++) {
		pid_t child = fork();

		if (!child)
			import_for_ever(&run, &other);
		usleep((useconds_t)(3000 + i * i * 400));
		CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
		CHECK_INT(store_load(arena, "x.db", &runs, &nr), MS_OK);
		CHECK_INT(nr, 1);
		replaced += !run_difference(runs, &other);
		CHECK(!run_difference(runs, &run) || !run_difference(runs, &other));
	}
	CHECK_THAT(replaced, >, 0);
}

TEST(store__killed_while_making_one)
{
	struct arena *arena = arena_new();
	struct run run, *runs;
	size_t nr;

	scratch_enter();
	listen();
	random_run(arena, 41, 50, &run);
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();

		if (!child) {
			store_one("x.db", &run);
			_exit(0);
		}
		usleep((useconds_t)(i * 700));
		CHECK((kill(child, SIGKILL) == 0 || i) && waitpid(child, NULL, 0) == child);
		store_one("x.db", &run); /* takes over whatever was left */
		CHECK_INT(store_load(arena, "x.db", &runs, &nr), MS_OK);
		CHECK(nr == 1 && !run_difference(runs, &run));
		unlink("x.db");
		unlink("x.db-journal");
	}
}

TEST(store__newest_of_the_folder)
{
	struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } },
			recent[2] = { { .tv_sec = 2000 }, { .tv_sec = 2000 } };
	struct arena *arena = arena_new();
	struct record *record;
	struct run run;

	scratch_enter();
	CHECK(store_newest(arena) == NULL);
	random_run(arena, 3, 5, &run);
	record = record_create(arena, "a.ms", NULL);
	record_close(record, &run);
	store_one("b.db", &run);
	file_write("c.db", "not ours", 8);
	file_write("d.txt", "not ours", 8);
	CHECK_INT(mkdir("e.ms", 0755), 0);
	CHECK(utimensat(AT_FDCWD, "a.ms", old, 0) == 0 &&
	      utimensat(AT_FDCWD, "b.db", recent, 0) == 0);
	CHECK_STR(store_newest(arena), "b.db");
	CHECK(utimensat(AT_FDCWD, "b.db", old, 0) == 0 &&
	      utimensat(AT_FDCWD, "a.ms", recent, 0) == 0);
	CHECK_STR(store_newest(arena), "a.ms");
}

static void refused(int line, const char *change, const char *why)
{
	struct arena *arena = arena_new();
	struct run *runs, run;
	size_t nr;

	random_run(arena, 5, 40, &run);
	unlink("y.db");
	store_one("y.db", &run);
	drop_records("y.db");
	sql("y.db", change);
	listen();
	if (store_load(arena, "y.db", &runs, &nr) != MS_ERR_FORMAT || !said(why))
		test_fail(__FILE__, line, "not refused as it should be: %s", change);
	arena_free(arena);
}

TEST(store__what_cannot_be_is_refused)
{
	scratch_enter();
	listen();
	refused(__LINE__, "UPDATE regions SET parent = 2 WHERE row = 1",
		"is invalid: regions[1].parent is 2, not an earlier row");
	refused(__LINE__, "UPDATE regions SET source_line = 'twelve' WHERE row = 1",
		"'source_line' of row 1 of table 'regions' is not a whole number in range");
	refused(__LINE__, "UPDATE regions SET parent = 5000000000 WHERE row = 1",
		"'parent' of row 1 of table 'regions' is not a whole number in range");
	refused(__LINE__, "UPDATE measurements SET sum = 'much' WHERE row = 0",
		"'sum' of row 0 of table 'measurements' is not a number");
	refused(__LINE__, "UPDATE modules SET path = x'00ff' WHERE row = 0",
		"'path' of row 0 of table 'modules' is not a text");
	refused(__LINE__, "UPDATE nodes SET region = 4000 WHERE row = 0",
		"nodes[0].region is 4000, but there are");
	refused(__LINE__, "UPDATE measurements SET sum = 9e999 WHERE row = 0",
		"measurements[0].sum is not a finite number");
	refused(__LINE__, "ALTER TABLE regions RENAME COLUMN source_line TO line",
		"no such column");
	refused(__LINE__,
		"DROP TABLE regions; CREATE VIEW regions AS WITH RECURSIVE r(run, row) AS (SELECT 1, 0 UNION ALL SELECT 1, row + 1 FROM r) SELECT * FROM r",
		"is damaged");
}
