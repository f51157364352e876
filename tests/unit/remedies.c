/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remedies of `memsearch try`: their words, what each changes of the simulation, and which are
 * proposed.
 */
#include "analysis/remedies/remedy.h"

#include "analysis/base/arena.h"
#include "analysis/record/shape.h"
#include "analysis/numa/ranking.h"
#include "analysis/remedies/print_trials.h"
#include "analysis/remedies/trial.h"
#include "analysis/report/text.h"
#include "analysis/simulation/page_use.h"
#include "analysis/trace/simulation.h"
#include "analysis/trace/simulation_places.h"
#include "tests/unit/json_value.h"
#include "tests/unit/modelled_run.h"

#define PAGE 4096
#define UNEW 0
#define GRID 1

static const struct machine_model model = {
	.name = "two",
	.cores = 4,
	.nodes = 2,
	.memory_latency = 200,
	.remote_latency = 300,
	.page = PAGE,
	.cache = { { .bytes = 4096, .ways = 4, .line = 64, .cores = 1 },
		   { .bytes = 32768, .ways = 8, .line = 64, .cores = 1 },
		   { .bytes = 1 << 18, .ways = 8, .line = 128, .cores = 2 } },
};

struct of_run {
	struct arena *arena;
	struct run run;
	struct page_uses uses;
	struct placement placement;
	struct remedy_base base;
};

/* No model has that name. */
static const struct machine_model *no_machine(void *ctx, struct arena *arena, const char *name)
{
	(void)ctx, (void)arena, (void)name;
	return NULL;
}

static void add_page(struct of_run *of, uint32_t array, uint64_t page, uint32_t home,
		     uint64_t lines_0, uint64_t lines_1)
{
	uint64_t lines[] = { lines_0, lines_1 };

	CHECK(ARENA_GROW(of->arena, of->uses.rows, of->uses.nr, of->uses.room));
	of->uses.rows[of->uses.nr++] = (struct page_use){
		(8 - array) * 0x100000 + page * PAGE, page * PAGE, array, home,
		sample_copy(of->arena, lines, sizeof(lines))
	};
}

/* Two threads, on both nodes; unew is on node 0 and used by both, grid is only read. */
static void begin(struct of_run *of, const struct machine_model *on)
{
	static const uint32_t cores[] = { 0, 2 };

	*of = (struct of_run){ .arena = arena_new(),
			       .uses = { .nodes = 2, .page_bytes = PAGE, .model = on },
			       .placement = { .threads = 2, .cores = (uint32_t *)cores } };
	modelled_run(&of->run, of->arena);
	add_page(of, UNEW, 0, 0, 10, 0);
	add_page(of, UNEW, 1, 0, 1, 30);
	add_page(of, GRID, 0, 0, 16, 16);
	add_page(of, GRID, 1, 0, 16, 16);
	page_uses_sort(&of->uses);
	of->base = (struct remedy_base){ .run = &of->run,
					 .model = on,
					 .placement = &of->placement,
					 .uses = &of->uses,
					 .machine = no_machine,
					 .ranking = numa_ranking(of->arena, &of->run, &of->uses) };
	CHECK(of->base.ranking != NULL);
}

static struct remedy read(struct of_run *of, const char *word)
{
	struct remedy remedy;
	const char *name;

	CHECK(remedy_read(of->arena, word, &of->base, &remedy, &name));
	return remedy;
}

TEST(remedies__words)
{
	struct remedy remedy;
	struct of_run of;
	const char *name;

	CHECK(remedy_is("first-touch") && remedy_is("pad-rows:u") && remedy_is("pad-rows") &&
	      remedy_is("machine:epyc-2s"));
	CHECK(!remedy_is("first-touch:u") && !remedy_is("first") && !remedy_is("swim.ms") &&
	      !remedy_is("") && !remedy_is("pad-rows-u"));
	begin(&of, &model);
	CHECK(!remedy_read(of.arena, "align:nothing", &of.base, &remedy, &name));
	CHECK_STR(name, "nothing");
	CHECK(strstr(read(&of, "align").refused, "name of an array"));
	CHECK(strstr(read(&of, "machine:moon").refused, "no such machine"));
	CHECK(strstr(read(&of, "huge-pages").refused, "huge_page"));
	arena_free(of.arena);
}

TEST(remedies__pages)
{
	struct machine_model one = model;
	struct remedy remedy;
	struct of_run of;

	begin(&of, &model);
	remedy = read(&of, "first-touch");
	CHECK(!remedy.refused);
	CHECK_INT(remedy.placement.nr_homes, 4);
	/* by address: grid, whose lines both get, on the lower one, then unew */
	CHECK_INT(remedy.placement.homes[0].low, 7 * 0x100000);
	CHECK_INT(remedy.placement.homes[0].node, 0);
	CHECK_INT(remedy.placement.homes[2].node, 0);
	CHECK_INT(remedy.placement.homes[3].node, 1);
	CHECK_INT(remedy.placement.homes[3].high, 8 * 0x100000 + 2 * PAGE);
	remedy = read(&of, "replicate");
	CHECK_INT(remedy.placement.nr_homes, 2); /* unew is written */
	CHECK_INT(remedy.placement.homes[0].node, SIMULATOR_EVERYWHERE);
	CHECK(read(&of, "replicate:unew").refused != NULL);
	CHECK(read(&of, "interleave").placement.interleave);
	arena_free(of.arena);
	one.nodes = 1;
	begin(&of, &one);
	CHECK(strstr(read(&of, "first-touch").refused, "one NUMA node"));
	arena_free(of.arena);
}

TEST(remedies__threads_and_layouts)
{
	struct run_array array = { .shape = "[100][50]", .element_bytes = 8 };
	struct remedy remedy;
	struct of_run of;

	CHECK_INT(shape_row_bytes(&array), 400);
	array.shape = "(0:99,50)";
	CHECK_INT(shape_row_bytes(&array), 800);
	array.shape = "[100]";
	CHECK_INT(shape_row_bytes(&array), 0);
	array.shape = "";
	CHECK_INT(shape_row_bytes(&array), 0);
	begin(&of, &model);
	of.run.arrays[UNEW].shape = "[64][256]";
	of.run.arrays[UNEW].element_bytes = 8;
	CHECK_INT(read(&of, "close").placement.cores[1], 1);
	CHECK_INT(read(&of, "spread").placement.cores[1], 2);
	remedy = read(&of, "pad-rows:unew");
	CHECK_INT(remedy.placement.nr_layouts, 1);
	CHECK_INT(remedy.placement.layouts[0].unit, 2048);
	CHECK_INT(remedy.placement.layouts[0].padded, 2048 + 128); /* the longest line */
	remedy = read(&of, "pad-elements:unew");
	CHECK_INT(remedy.placement.layouts[0].unit, 8);
	CHECK_INT(remedy.placement.layouts[0].padded, 128);
	CHECK_INT(remedy.placement.layouts[0].align, 128);
	CHECK_INT(read(&of, "align:unew").placement.layouts[0].unit, 0);
	arena_free(of.arena);
}

/* Fields by the smallest access; arrays of a size that a loop uses irregularly. */
TEST(remedies__structs)
{
	struct run_access accesses[] = {
		{ .array = UNEW, .bytes = 8, .loop = 3, .with_stride = 0.1 },
		{ .array = UNEW, .bytes = 4, .loop = 2, .with_stride = 1 },
		{ .array = GRID, .bytes = 8, .loop = 3, .with_stride = 0.2 },
	};
	struct remedy remedy;
	struct of_run of;

	begin(&of, &model);
	of.run.accesses = accesses;
	of.run.nr_accesses = 3;
	of.run.arrays[UNEW].element_bytes = 32;
	remedy = read(&of, "split:unew");
	CHECK(!remedy.refused);
	CHECK_INT(remedy.placement.layouts[0].unit, 32);
	CHECK_INT(remedy.placement.layouts[0].part, 4);
	of.run.arrays[UNEW].element_bytes = 30;
	CHECK(strstr(read(&of, "split:unew").refused, "no structs"));
	of.run.arrays[UNEW].element_bytes = 4;
	CHECK(strstr(read(&of, "split:unew").refused, "no structs"));
	of.run.arrays[UNEW].element_bytes = 0;
	CHECK(strstr(read(&of, "split:unew").refused, "not known"));
	CHECK(strstr(read(&of, "merge:unew").refused, "no other array"));
	of.run.arrays[UNEW].element_bytes = of.run.arrays[GRID].element_bytes = 8;
	of.run.arrays[UNEW].bytes = of.run.arrays[GRID].bytes;
	remedy = read(&of, "merge:grid");
	CHECK(!remedy.refused);
	CHECK_INT(remedy.placement.nr_layouts, 2);
	CHECK_INT(remedy.placement.layouts[1].array, GRID);
	CHECK_INT(remedy.placement.layouts[1].at, 8);
	CHECK_INT(remedy.placement.layouts[1].padded, 16);
	accesses[2].with_stride = 1;
	CHECK(strstr(read(&of, "merge:grid").refused, "no other array"));
	arena_free(of.arena);
}

/*
 * Remote lines, and a team that is spread: no spread; grid is read only and shared; unew is falsely
 * shared (modelled_run.h).
 */
TEST(remedies__proposals)
{
	struct remedy remedies[20];
	struct of_run of;
	char words[200] = "";
	size_t nr;

	begin(&of, &model);
	of.run.arrays[UNEW].shape = "[64][256]";
	of.run.arrays[UNEW].element_bytes = 8;
	nr = remedies_propose(of.arena, &of.base, remedies, 20);
	for (size_t i = 0; i < nr; i++)
		snprintf(words + strlen(words), sizeof(words) - strlen(words), "%s ",
			 remedies[i].words);
	CHECK_STR(
		words,
		"first-touch interleave replicate:grid close pad-elements:unew align:unew pad-rows:unew ");
	CHECK_INT(remedies_propose(of.arena, &of.base, remedies, 2), 2);
	arena_free(of.arena);
}

/* One that helps in the loop of calc1, one that does not, one that could not be tried. */
TEST(remedies__output)
{
	const struct try_options options = { .brief = true, .width = 100 };
	struct remedy remedies[] = {
		{ .kind = REMEDY_FIRST_TOUCH, .words = "first-touch", .change = "touch it" },
		{ .kind = REMEDY_CLOSE, .words = "close" },
		{ .kind = REMEDY_ALIGN, .words = "align:u" },
	};
	struct trial items[] = {
		{ .remedy = &remedies[0],
		  .done = true,
		  .result = { 60, 0, 50, 5, 1, NULL },
		  .gain = 0.4,
		  .region = 1,
		  .region_gain = 0.5 },
		{ .remedy = &remedies[1],
		  .done = true,
		  .result = { 102, 25, 50, 5, 1, NULL },
		  .gain = -0.02,
		  .region = MS_REGION_NONE },
		{ .remedy = &remedies[2], .why = "it is not", .region = MS_REGION_NONE },
	};
	const struct trials trials = { .before = { 100, 25, 50, 5, 1, NULL },
				       .nr = 3,
				       .items = items };
	struct json_value *value, *schema;
	const char *error;
	struct of_run of;
	struct text text;

	begin(&of, &model);
	text_init(&text, of.arena);
	try_json(&text, &of.run, &trials, &options);
	value = json_parse(text.bytes, &error);
	schema = json_parse(json_read_file("analysis/report/schema/memsearch-try-1.schema.json"),
			    &error);
	CHECK(value && schema);
	error = json_check(schema, value, "$");
	if (error)
		test_fail(__FILE__, __LINE__, "%s in:\n%s", error, text.bytes);
	text_init(&text, of.arena);
	try_text(&text, &of.run, &trials, &options);
	if (!strstr(text.bytes,
		    "predicted -40 % memory stalls; remote share 0.50 -> 0.00; -50 % in ") ||
	    !strstr(text.bytes, "touch it") || !strstr(text.bytes, "Do not help: close (+2.0 %)") ||
	    !strstr(text.bytes, "Not tried: align:u: it is not"))
		test_fail(__FILE__, __LINE__, "%s", text.bytes);
	text_init(&text, of.arena);
	try_csv(&text, &of.run, &trials, &options);
	CHECK(strstr(text.bytes, "\n1,first-touch,0.4,yes,60,100,0,0.5,") &&
	      strstr(text.bytes, "\n3,align:u,,no,,100,"));
	arena_free(of.arena);
}
