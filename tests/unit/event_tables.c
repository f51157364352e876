/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event tables: what is read from a file, which table is found, and that every shipped one loads.
 */
#include "analysis/base/arena.h"
#include "analysis/properties/asl.h"
#include "analysis/properties/event_tables.h"
#include "memsearch/metric.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <unistd.h>

static struct property_set *load_text(const char *text)
{
	struct property_set *set = property_set_new(arena_new());

	property_set_parse(set, "f.events", text, strlen(text));
	return set;
}

static const char *formula(const struct property_set *set, const char *table, uint32_t metric)
{
	return event_metric_formula(set->arena,
				    event_table_metric(property_set_events(set, table), metric));
}

#define TABLE \
	"EVENTS cpu_a, cpu_b \"Two\" \"CPUs\" {\n" \
	"	cycles = \"CYC\";\n" \
	"	l1d_read_misses = \"MISS:L1\" + \"FB_HIT\"\n" \
	"		\"one\n" \
	"		note\";\n" \
	"	dram_reads = 0.5 * \"READ\" - 2 * \"A\" - \"B\" + 0.0625 * \"C\";\n" \
	"}\n"

TEST(event_tables__all_forms)
{
	const struct property_set *set = load_text(TABLE);
	const struct event_table *table = property_set_events(set, "cpu_b");
	const struct event_metric *metric;

	CHECK_INT(set->nr_messages, 0);
	CHECK(table && table == property_set_events(set, "cpu_a"));
	CHECK(!property_set_events(set, "cpu") && !property_set_events(set, "Two"));
	CHECK_STR(table->title, "TwoCPUs");
	CHECK_STR(table->file, "f.events");
	CHECK_INT(table->nr_metrics, 3);
	metric = event_table_metric(table, MS_METRIC_L1D_READ_MISSES);
	CHECK_INT(metric->nr_terms, 2);
	CHECK_STR(metric->terms[1].event, "FB_HIT");
	CHECK_STR(metric->note, "one note");
	CHECK(!event_table_metric(table, MS_METRIC_CYCLES)->note);
	CHECK(!event_table_metric(table, MS_METRIC_STORES));
	metric = event_table_metric(table, MS_METRIC_DRAM_READS);
	CHECK_NEAR(metric->terms[0].factor, 0.5, 0);
	CHECK_NEAR(metric->terms[1].factor, -2, 0);
	CHECK_NEAR(metric->terms[2].factor, -1, 0);
	CHECK_STR(formula(set, "cpu_a", MS_METRIC_DRAM_READS),
		  "0.5 * READ - 2 * A - B + 0.063 * C");
	arena_free(set->arena);
}

/* The latest table of a name is found; one with a mistake is not there at all. */
TEST(event_tables__replaced)
{
	static const char good[] = "EVENTS cpu_a \"mine\" { stores = \"ST\"; }";
	static const char bad[] = "EVENTS cpu_b \"bad\" { stores = \"ST\"; sores = \"ST\"; }";
	struct property_set *set = load_text(TABLE);
	const struct event_table *const *tables;

	property_set_parse(set, "good.events", good, strlen(good));
	property_set_parse(set, "bad.events", bad, strlen(bad));
	CHECK_STR(property_set_events(set, "cpu_a")->title, "mine");
	CHECK_STR(property_set_events(set, "cpu_b")->title, "TwoCPUs");
	CHECK_INT(property_set_event_tables(set, &tables), 2);
	CHECK_STR(tables[1]->file, "good.events");
	CHECK_INT(set->nr_messages, 1);
	CHECK_STR(set->messages[0].text, "unknown metric 'sores'; did you mean 'stores'?");
	arena_free(set->arena);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* A folder of the user's: *.events there and in its folder metrics, and over the shipped ones. */
TEST(event_tables__user_folder)
{
	char folder[] = "/tmp/event_tables_XXXXXX", path[128], command[128];
	struct property_set *set;

	CHECK(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/mine.events", folder);
	write_file(path, "EVENTS skx \"my own\" { cycles = \"MINE\"; }");
	set = property_set_load(arena_new(), "properties", folder);
	CHECK_INT(set->nr_messages, 0);
	CHECK_STR(formula(set, "skx", MS_METRIC_CYCLES), "MINE");
	CHECK_STR(formula(set, "clx", MS_METRIC_CYCLES), "UNHALTED_CORE_CYCLES");
	arena_free(set->arena);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	CHECK_THAT(system(command), ==, 0);
}

TEST(event_tables__shipped)
{
	static const char *const names[] = { "skx",
					     "clx",
					     "icx",
					     "spr",
					     "emr",
					     "gnr",
					     "adl_glc",
					     "adl_grt",
					     "amd64_fam17h_zen2",
					     "amd64_fam19h_zen3",
					     "amd64_fam19h_zen4",
					     "amd64_fam1ah_zen5",
					     "arm_n1",
					     "arm_n2",
					     "arm_v1",
					     "arm_v2",
					     "arm_v3",
					     "arm_a64fx",
					     "power9",
					     "power10",
					     "perf",
					     "papi" };
	const struct property_set *set = property_set_load(arena_new(), "properties", NULL);

	CHECK_INT(set->nr_messages, 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct event_table *table = property_set_events(set, names[i]);

		if (!table || !event_table_metric(table, MS_METRIC_CYCLES) ||
		    !event_table_metric(table, MS_METRIC_INSTRUCTIONS))
			test_fail(__FILE__, __LINE__,
				  "no table '%s', or without cycles and instructions", names[i]);
	}
	CHECK_STR(formula(set, "skx", MS_METRIC_L1D_READ_MISSES),
		  "MEM_LOAD_RETIRED:L1_MISS + MEM_LOAD_RETIRED:FB_HIT");
	CHECK_STR(formula(set, "power10", MS_METRIC_DRAM_READS),
		  "0.5 * PM_MEM_READ + 0.5 * PM_MEM_RWITM + 0.5 * PM_MEM_PREF");
	CHECK_STR(formula(set, "perf", MS_METRIC_PAGE_FAULTS), "PAGE-FAULTS");
	CHECK(!event_table_metric(property_set_events(set, "amd64_fam17h_zen2"), MS_METRIC_HITM));
	CHECK(!event_table_metric(property_set_events(set, "arm_n1"), MS_METRIC_STALL_CYCLES));
	arena_free(set->arena);
}
