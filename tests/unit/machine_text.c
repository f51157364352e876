/* SPDX-License-Identifier: Apache-2.0 */
/* Machine files: what they say, each mistake with its line, and the shipped ones. */
#include "analysis/machine/model_text.h"

#include <locale.h>
#include <stdlib.h>

#include "analysis/base/arena.h"
#include "analysis/machine/figure.h"
#include "analysis/machine/machines.h"
#include "analysis/machine/model_check.h"
#include "tests/unit/test.h"

#define SHIPPED "properties/machines"
#define MOST 20 /* lines of a test's text that is put together */

/* One core, one cache, no TLB. */
#define SMALL \
	"source = \"a test\"\ncores = 1\nl1.size = 4 KiB\nl1.ways = 4\nl1.line = 64 bytes\nl1.latency = 3 cycles\npage = 4 KiB\nmemory = 99 cycles\n"

static const struct model_file *parse(const char *text)
{
	struct arena *arena = arena_new();
	const struct model_file *file = model_parse(arena, "folder/small.machine", text,
						    strlen(text));

	CHECK(file != NULL);
	return file;
}

static const struct model_file *parse_well(const char *text)
{
	const struct model_file *file = parse(text);

	if (file->nr_mistakes)
		test_fail(__FILE__, __LINE__, "line %d: %s", file->mistakes[0].line,
			  file->mistakes[0].text);
	return file;
}

TEST(machine_text__small)
{
	const struct model_file *file = parse_well(SMALL);
	const struct machine_model *model = &file->model;

	CHECK_STR(model->name, "small");
	CHECK_STR(model->path, "folder/small.machine");
	CHECK_STR(model->source, "a test");
	CHECK_INT(model->cores, 1);
	CHECK_INT(model->nodes, 1);
	CHECK_INT(model->cache[0].bytes, 4096);
	CHECK_INT(model->cache[0].cores, 1);
	CHECK_INT(model->cache[1].bytes, 0);
	CHECK_INT(model->memory_latency, 99);
	CHECK(!model_source_of(file, "cores"));
}

TEST(machine_text__units_and_words)
{
	const struct model_file *file = parse_well(
		SMALL
		"title = \"first\" // not this\n"
		"  \"second\"\n"
		"clock = 2.5 GHz \"a data sheet\"\n"
		"\t\"and a measurement\"\n"
		"l2.size = 1.25 MiB\nl2.ways = 20\nl2.line=128 bytes\r\nl2.latency = 5.4 ns\n\"on the next line\"\n"
		"l2.replacement = lru\nl2.write_miss = around\nl2.strides = yes // a comment\n"
		"l1.write_hit = through\nl1.float_bypasses = yes\nplacement = interleave\n"
		"tlb1.entries = 48\ntlb1.ways = full\ntlb1.latency = 1 cycle\nwalk = 20 cycles\n");
	const struct machine_model *model = &file->model;

	CHECK_STR(file->title, "first second");
	CHECK_NEAR(model->hz, 2.5e9, 0);
	CHECK_INT(model->cache[1].bytes, 1310720);
	CHECK_INT(model->cache[1].latency, 14); /* 13.5 cycles */
	CHECK(model->cache[1].write_around && model->cache[1].strides &&
	      !model->cache[1].next_line);
	CHECK(model->cache[0].write_through && model->cache[0].float_bypasses &&
	      !model->cache[0].write_around);
	CHECK(model->interleave);
	CHECK_INT(model->tlb[0].ways, 48);
	CHECK_INT(model->tlb[0].latency, 1);
	CHECK_STR(model_source_of(file, "clock"), "a data sheet and a measurement");
	CHECK_STR(model_source_of(file, "l2.latency"), "on the next line");
}

/* Whatever the clock: also where one nanosecond is one cycle. */
TEST(machine_text__nanoseconds_are_rounded)
{
	CHECK_INT(parse_well(SMALL "clock = 1 GHz\nwalk = 21.5 ns\n")->model.walk_latency, 22);
	CHECK_INT(parse_well(SMALL "clock = 2 GHz\nwalk = 21.5 ns\n")->model.walk_latency, 43);
	CHECK_INT(parse_well(SMALL "clock = 3 GHz\nwalk = 21.5 ns\n")->model.walk_latency, 65);
	CHECK_INT(parse_well(SMALL "clock = 1 GHz\nwalk = 21.4 ns\n")->model.walk_latency, 21);
	CHECK_NEAR(parse_well(SMALL "clock = 1333.3333333 MHz\n")->model.hz, 1333333333, 0);
}

/* A decimal point is one whatever the locale of the program around us. */
TEST(machine_text__locale)
{
	const char *names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "C" };

	for (size_t i = 0; i < 3 && !setlocale(LC_ALL, names[i]); i++)
		;
	CHECK_NEAR(parse_well(SMALL "clock = 1.6 GHz\n")->model.hz, 1.6e9, 0);
	CHECK_STR(figure_text(arena_new(), figure_find("clock"),
			      &parse_well(SMALL "clock = 2.45 GHz\n")->model),
		  "2.45 GHz");
}

#define TWO \
	"source = \"a test\"\nl1.size = 4 KiB\nl1.ways = 4\nl1.line = 64 bytes\nl1.latency = 3 cycles\npage = 4 KiB\n" \
	"memory = 99 cycles\ncores = 4\nnodes = 2\ntransfer = 50 cycles\nremote_transfer = 150 cycles\n"

TEST(machine_text__distances)
{
	const struct model_file *file = parse_well(
		TWO "distances.1 = 190 90 cycles\ndistances.0 = 100 200 cycles \"measured\"\n");

	CHECK_INT(file->model.distances[0][0], 100);
	CHECK_INT(file->model.distances[0][1], 200);
	CHECK_INT(file->model.distances[1][0], 190);
	CHECK_INT(file->model.distances[1][1], 90);
	CHECK_STR(model_source_of(file, "distances.0"), "measured");
}

static const struct {
	int line; /* of this table */
	int at;   /* line of the mistake */
	const char *text, *mistake;
} broken[] = {
	{ __LINE__, 9, SMALL "l1.sise = 3 KiB",
	  "unknown figure 'l1.sise'; did you mean 'l1.size'?" },
	{ __LINE__, 9, SMALL "wombat = 3 KiB", "unknown figure 'wombat'" },
	{ __LINE__, 9, SMALL "clock 3 GHz", "'=' is missing after 'clock'" },
	{ __LINE__, 9, SMALL "= 3", "'=' is no figure" },
	{ __LINE__, 9, SMALL "cores = 2", "second 'cores'; the first is in line 2" },
	{ __LINE__, 9, SMALL "clock = 3", "'clock' needs a unit: GHz, MHz or Hz" },
	{ __LINE__, 9, SMALL "clock = fast", "'clock' needs a number, not 'fast'" },
	{ __LINE__, 9, SMALL "clock = 3 Ghz",
	  "unknown unit 'Ghz' of 'clock'; did you mean 'GHz'?" },
	{ __LINE__, 9, SMALL "clock = 3 GHz 4", "'4' is too much" },
	{ __LINE__, 9, SMALL "clock = 99999999999999999999999999999999 GHz",
	  "'clock' is too large" },
	{ __LINE__, 9, SMALL "nodes = 4294967297", "'nodes' is too large" },
	{ __LINE__, 9, SMALL "nodes = 1.5", "'nodes' must be a whole number" },
	{ __LINE__, 9, SMALL "l2.latency = 3 ns",
	  "'l2.latency' in ns needs the clock, in a line above" },
	{ __LINE__, 9, SMALL "l2.latency = 3.5 cycles", "'l2.latency' must be a whole number" },
	{ __LINE__, 9, SMALL "l2.size = 1.3 KiB", "'l2.size' must be a whole number of bytes" },
	{ __LINE__, 9, SMALL "l2.size = 0.5 bytes", "'l2.size' must be a whole number of bytes" },
	{ __LINE__, 9, SMALL "l2.ways = none", "'l2.ways' needs a number or 'full', not 'none'" },
	{ __LINE__, 9, SMALL "l2.replacement = lro",
	  "'l2.replacement' cannot be 'lro'; did you mean 'lru'?" },
	{ __LINE__, 9, SMALL "placement = \"x\"",
	  "'placement' cannot be '\"x\"' but one of first_touch|interleave" },
	{ __LINE__, 9, SMALL "clock = 3 GHz \"open",
	  "the text is not closed: there is no second '\"' in this line" },
	{ __LINE__, 9, SMALL "title = x", "'title' needs a text in quotes" },
	{ __LINE__, 9, SMALL "source = \"twice\"", "second 'source'" },
	{ __LINE__, 10, SMALL "// a comment\n\"nothing's\"", "a text that belongs to no figure" },
	{ __LINE__, 9, SMALL "distances.64 = 1 cycles",
	  "unknown figure 'distances.64': after 'distances.' comes the number of a node, below 64" },
	{ __LINE__, 9, SMALL "distances.0 = 1 2 cycles",
	  "'distances.0' has 2 numbers; the nodes are 1" },
	{ __LINE__, 9, SMALL "distances.0 = cycles",
	  "'distances.0' has 0 numbers; the nodes are 1" },
	{ __LINE__, 9, SMALL "hwloc = \"none.xml\"",
	  "'hwloc' would replace 'cores' in line 2: it must come before" },
	{ __LINE__, 1, "hwloc = \"none.xml\"\n" SMALL,
	  "cannot take 'none.xml': No such file or directory" },
	{ __LINE__, 0, "cores = 1\n", "source is missing: where its figures are from" },
	{ __LINE__, 0, "source = \"x\"\ncores = 1\n", "l1.size is missing" },
	/* What the check finds is in the line of the figure. */
	{ __LINE__, 9, SMALL "nodes = 2",
	  "nodes is 2, which 1 cores cannot be spread over evenly" },
	{ __LINE__, 3,
	  SMALL "l2.size = 2 KiB\nl2.ways = 4\nl2.line = 64 bytes\nl2.latency = 9 cycles",
	  "l1.size is 4096 bytes, more than the 2048 of l2.size" },
};

TEST(machine_text__mistakes)
{
	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		const struct model_file *file = parse(broken[i].text);

		if (file->nr_mistakes != 1 || file->mistakes[0].line != broken[i].at ||
		    strcmp(file->mistakes[0].text, broken[i].mistake) != 0)
			test_fail(__FILE__, broken[i].line, "%zu mistakes, line %d: %s",
				  file->nr_mistakes, file->nr_mistakes ? file->mistakes[0].line : 0,
				  file->nr_mistakes ? file->mistakes[0].text : "");
	}
}

TEST(machine_text__mistakes_as_compilers_print_them)
{
	const struct model_file *file = parse(SMALL "nodes = 2\n");

	CHECK_INT(file->nr_mistakes, 1);
	CHECK_STR(model_mistake_line(arena_new(), file, &file->mistakes[0]),
		  "folder/small.machine:9: nodes is 2, which 1 cores cannot be spread over evenly");
}

/* Each line has its own, and there is an end. */
TEST(machine_text__many_mistakes)
{
	const struct model_file *file = parse("x\ny = 3\nz z\n");
	char text[MOST * 8 + 200] = "";

	CHECK_INT(file->nr_mistakes, 3);
	for (size_t i = 0; i < 3; i++)
		CHECK_INT(file->mistakes[i].line, i + 1);
	for (size_t i = 0; i < 2 * MODEL_MISTAKES_MAX; i++)
		memcpy(text + 2 * i, "x\n", 3);
	CHECK_INT(parse(text)->nr_mistakes, MODEL_MISTAKES_MAX);
}

TEST(machine_text__files_that_are_none)
{
	static const struct {
		const char *path, *mistake;
	} rows[] = {
		{ "tests/none.machine",
		  "tests/none.machine: cannot be read: No such file or directory" },
		{ "tests", "tests: cannot be read: Is a directory" },
		{ "/dev/null", "/dev/null: cannot be read: Invalid argument" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct arena *arena = arena_new();
		const struct model_file *file = model_read(arena, rows[i].path);

		CHECK_INT(file->nr_mistakes, 1);
		CHECK_STR(model_mistake_line(arena, file, &file->mistakes[0]), rows[i].mistake);
	}
}

/* -- the shipped ones */

static const struct model_file *shipped(const char *name)
{
	struct arena *arena = arena_new();
	const struct model_file *file = model_read(arena, machines_path(arena, SHIPPED, name));

	if (file->nr_mistakes)
		test_fail(__FILE__, __LINE__, "%s",
			  model_mistake_line(arena, file, &file->mistakes[0]));
	return file;
}

TEST(machine_text__shipped_ones_say_where_each_figure_is_from)
{
	static const char *const wanted[] = { "a64fx",    "altix-bx2", "epyc-2s",
					      "graviton", "grace",     "xeon-2s" };
	const char *const *names;
	size_t nr = machines_names(arena_new(), SHIPPED, &names);

	CHECK_THAT(nr, >=, sizeof(wanted) / sizeof(*wanted));
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		shipped(wanted[i]);
	for (size_t i = 0; i < nr; i++) {
		const struct model_file *file = shipped(names[i]);

		CHECK(!i || strcmp(names[i - 1], names[i]) < 0);
		CHECK_STR(file->model.name, names[i]);
		CHECK(*file->title && *file->model.source && file->nr_notes > 20);
		CHECK(!model_check(arena_new(), &file->model));
		for (size_t j = 0; j < file->nr_notes; j++)
			if (!*file->notes[j].source &&
			    strncmp(file->notes[j].key, "distances.", 10) != 0)
				test_fail(__FILE__, __LINE__, "%s: %s has no source", names[i],
					  file->notes[j].key);
	}
}

TEST(machine_text__altix)
{
	const struct machine_model *model = &shipped("altix-bx2")->model;

	CHECK_THAT(model->cores, >=, 32);
	CHECK_INT(model->cores / model->nodes, 2);
	CHECK_INT(model->cache[0].bytes, 16384);
	CHECK(model->cache[0].float_bypasses && model->cache[0].write_through &&
	      model->cache[0].write_around);
	CHECK_INT(model->cache[1].bytes, 262144);
	CHECK_INT(model->cache[1].line, 128);
	CHECK_INT(model->cache[2].cores, 1);
	CHECK_INT(model->page, 16384);
	CHECK_INT(model->distances[0][0], 256);
	for (uint32_t i = 0; i < model->nodes; i++)
		for (uint32_t j = 0; j < model->nodes; j++)
			CHECK_INT(model->distances[i][j], model->distances[j][i]);
}

/* What is printed of a figure is what a file would say: putting it in again changes nothing. */
TEST(machine_text__values_as_they_are_written)
{
	const struct model_file *file = shipped("altix-bx2"), *again;
	struct arena *arena = arena_new();
	const struct figure *all;
	size_t nr = figures(&all), given = 0;
	const char *text = "source = \"again\"\n";

	for (size_t i = 0; i < nr; i++) {
		const char *value = figure_text(arena, &all[i], &file->model);

		given += value != NULL;
		if (value)
			text = arena_printf(arena, "%s%s = %s\n", text, all[i].key, value);
	}
	for (uint32_t i = 0; i < file->model.nodes; i++) {
		text = arena_printf(arena, "%sdistances.%u =", text, i);
		for (uint32_t j = 0; j < file->model.nodes; j++)
			text = arena_printf(arena, "%s %u", text, file->model.distances[i][j]);
		text = arena_printf(arena, "%s cycles\n", text);
	}
	again = parse_well(text);
	CHECK_THAT(given, >, 40);
	for (size_t i = 0; i < nr; i++)
		CHECK_INT(figure_get(&all[i], &again->model), figure_get(&all[i], &file->model));
	CHECK(!memcmp(again->model.distances, file->model.distances,
		      sizeof(file->model.distances)));
	CHECK(!memcmp(again->model.cache, file->model.cache, sizeof(file->model.cache)));
}
