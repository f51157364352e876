/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of events: those of tests/data/events.tsv and all in the event tables must encode with
 * the libpfm4 there is, to the codes written down. It can only be asked for tables it has: x86
 * builds have those of x86, builds for Arm and POWER their own, so that this runs inside the
 * emulated machines, too, from a folder with properties/ and tests/data/. Prints what was unknown.
 */
#include "tests/unit/test.h"

#ifdef HAVE_LIBPFM4
#include "analysis/base/arena.h"
#include "analysis/properties/event_tables.h"
#include "ompt_tool/counters/perf_names.h"

#include <dlfcn.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdlib.h>

#define NAMES "tests/data/events.tsv"
#define FIELDS 5

/* The library is opened as memsearch opens it: nothing is linked to it. */
static __typeof__(pfm_initialize) *initialize;
static __typeof__(pfm_strerror) *error_text;
static __typeof__(pfm_get_pmu_info) *get_pmu_info;
static __typeof__(pfm_get_os_event_encoding) *get_encoding;

struct row {
	const char *name, *about, *code, *newer;
	size_t line;
};

struct counts {
	size_t encoded, unknown_table, unknown_name, wrong;
};

/* Fields of a line, in place; missing ones are "". */
static void split(char *line, char *fields[FIELDS])
{
	line[strcspn(line, "\n")] = '\0';
	for (size_t i = 0; i < FIELDS; i++) {
		size_t length = line ? strcspn(line, "\t") : 0;
		char *next = line && line[length] ? line + length + 1 : NULL;

		fields[i] = line ? line : "";
		if (line)
			line[length] = '\0';
		line = next;
	}
}

static size_t read_rows(struct arena *arena, struct row **rows_out)
{
	FILE *file = fopen(NAMES, "r");
	char line[512], *fields[FIELDS];
	size_t nr = 0, room = 0, number = 0;

	*rows_out = NULL;
	CHECK(file);
	while (fgets(line, sizeof(line), file)) {
		number++;
		if (line[0] == '#' || !ARENA_GROW(arena, *rows_out, nr, room))
			continue;
		split(line, fields);
		(*rows_out)[nr++] = (struct row){ arena_strdup(arena, fields[0]),
						  arena_strdup(arena, fields[1]),
						  arena_strdup(arena, fields[2]),
						  arena_strdup(arena, fields[3]), number };
	}
	fclose(file);
	return nr;
}

static bool failed(const struct row *row)
{
	return strncmp(row->code, "FAILED", 6) == 0;
}

/* Whether this libpfm4 has the table at all: "skx" of "skx::CYCLES". */
static bool has_table(const char *name)
{
	size_t length = strcspn(name, ":");
	pfm_pmu_info_t info = { .size = sizeof(info) };

	for (int pmu = PFM_PMU_NONE; pmu < PFM_PMU_MAX; pmu++)
		if (get_pmu_info(pmu, &info) == PFM_SUCCESS && strlen(info.name) == length &&
		    !memcmp(info.name, name, length))
			return true;
	return false;
}

/* Uncore events: the perf layer wants their PMU in /sys. */
static int encode_plain(const char *name, char code[80])
{
	pfm_pmu_encode_arg_t encoding = { .size = sizeof(encoding) };
	int result = get_encoding(name, PFM_PLM3, PFM_OS_NONE, &encoding);

	if (result == PFM_SUCCESS)
		snprintf(code, 80, "code=0x%llx", (unsigned long long)encoding.codes[0]);
	free(encoding.codes);
	return result;
}

static int encode(const char *name, bool plain, char code[80])
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t encoding = { .attr = &attr, .size = sizeof(encoding) };
	int result;

	if (plain)
		return encode_plain(name, code);
	result = get_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &encoding);
	if (result == PFM_SUCCESS)
		snprintf(code, 80, "type=%u config=0x%llx config1=0x%llx precise=%u", attr.type,
			 (unsigned long long)attr.config, (unsigned long long)attr.config1,
			 attr.precise_ip);
	return result;
}

static void try_row(const struct row *row, struct counts *counts)
{
	char code[80] = "";
	int result = encode(row->name, strncmp(row->code, "code=", 5) == 0, code);

	if (result == PFM_SUCCESS && strcmp(code, row->code) == 0) {
		counts->encoded++;
	} else if (result != PFM_SUCCESS && !has_table(row->name)) {
		counts->unknown_table++;
	} else if (result != PFM_SUCCESS && strcmp(row->newer, "newer") == 0) {
		counts->unknown_name++;
	} else {
		printf(NAMES ":%zu: %s is %s, not %s\n", row->line, row->name,
		       result ? error_text(result) : code, row->code);
		counts->wrong++;
	}
}

static void start(void)
{
	void *library = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		test_skip("libpfm4 is not installed");
	initialize = dlsym(library, "pfm_initialize");
	error_text = dlsym(library, "pfm_strerror");
	get_pmu_info = dlsym(library, "pfm_get_pmu_info");
	get_encoding = dlsym(library, "pfm_get_os_event_encoding");
	CHECK(initialize && error_text && get_pmu_info && get_encoding);
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	CHECK_INT(initialize(), PFM_SUCCESS);
}

TEST(event_names__written_down)
{
	struct arena *arena = arena_new();
	struct counts counts = { 0 };
	size_t nr, nr_failed = 0;
	struct row *rows;

	start();
	nr = read_rows(arena, &rows);
	for (size_t i = 0; i < nr; i++) {
		if (failed(&rows[i]))
			nr_failed++;
		else
			try_row(&rows[i], &counts);
	}
	printf(NAMES
	       ": %zu names encode, %zu are of tables that this libpfm4 does not have, %zu are newer than it, %zu never did\n",
	       counts.encoded, counts.unknown_table, counts.unknown_name, nr_failed);
	CHECK_INT(counts.wrong, 0);
	CHECK_THAT(counts.encoded, >, 10);
	CHECK_INT(counts.encoded + counts.unknown_table + counts.unknown_name + nr_failed, nr);
	arena_free(arena);
}

static const struct row *row_of(const struct row *rows, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (strcmp(rows[i].name, name) == 0 && !failed(&rows[i]))
			return &rows[i];
	return NULL;
}

/*
 * Written down as encoding with some libpfm4, or known to this one. PAPI's presets are not
 * libpfm4's.
 */
static void check_name(const struct event_table *table, const char *tested, const char *event,
		       const struct row *rows, size_t nr)
{
	char name[256], code[80];

	if (strcmp(tested, "papi") == 0)
		return;
	snprintf(name, sizeof(name), "%s::%s", tested, event);
	if (!row_of(rows, nr, name) && encode(name, false, code) != PFM_SUCCESS)
		test_fail(__FILE__, __LINE__, "%s: '%s' is not in " NAMES " and does not encode",
			  table->file, name);
}

TEST(event_names__in_tables)
{
	const struct property_set *set = property_set_load(arena_new(), "properties", NULL);
	const struct event_table *const *tables;
	size_t nr_tables = property_set_event_tables(set, &tables), nr, nr_names = 0;
	struct row *rows;

	start();
	nr = read_rows(set->arena, &rows);
	for (size_t i = 0; i < nr_tables; i++)
		for (size_t j = 0; j < tables[i]->nr_metrics; j++)
			for (size_t k = 0; k < tables[i]->metrics[j].nr_terms; k++)
				for (size_t name = 0; name < tables[i]->nr_names;
				     name++, nr_names++)
					check_name(tables[i], tables[i]->names[name],
						   tables[i]->metrics[j].terms[k].event, rows, nr);
	CHECK_THAT(nr_names, >, 300);
	arena_free(set->arena);
}

static bool has_forced(const char *name)
{
	pfm_pmu_info_t info = { .size = sizeof(info) };

	start();
	for (int pmu = PFM_PMU_NONE; pmu < PFM_PMU_MAX; pmu++)
		if (get_pmu_info(pmu, &info) == PFM_SUCCESS && info.is_present &&
		    !strcmp(info.name, name))
			return info.type == PFM_PMU_TYPE_CORE;
	return false;
}

/*
 * libpfm4 lists Intel's architectural events as a core of its own; a sum over all kinds of core
 * must not count it as one.
 */
TEST(event_names__architectural_table_is_no_core)
{
	const char *names[4];
	char why[160];

	setenv("LIBPFM_FORCE_PMU", "ix86arch", 1);
	if (!perf_names_start(why))
		test_skip("%s", why);
	if (!has_forced("ix86arch"))
		test_skip("this libpfm4 has no table of Intel's");
	CHECK_INT(perf_names_tables(names, 4), 0);
}

#else
TEST(event_names__written_down)
{
	test_skip("built without libpfm4-dev");
}
#endif
