/* SPDX-License-Identifier: Apache-2.0 */
/* Data structures in words: first touches put together by line, JSON by its schema, what is not known, damaged runs. */
#include "analysis/report/arrays.h"

#include "analysis/report/text.h"
#include "memsearch/host.h"
#include "tests/host/random_run.h"
#include "tests/unit/json_value.h"
#include "tests/unit/sample_run.h"

#define SCHEMA "analysis/report/schema/memsearch-arrays-1.schema.json"

typedef void writer(struct text *out, const struct run *const *runs, size_t nr_runs, const struct arrays_options *options);

static const char *print(struct arena *arena, const struct run *run, writer *write, enum arrays_by by)
{
	const struct arrays_options options = { .by = by, .all = true, .brief = true };
	struct text out;

	text_init(&out, arena);
	write(&out, &run, 1, &options);
	CHECK(!out.cut && out.length > 0);
	return out.bytes;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		test_fail(__FILE__, __LINE__, "\"%s\" is not in:\n%s", part, text);
}

static void is_by_schema(const char *text)
{
	const char *error;
	struct json_value *value = json_parse(text, &error), *schema = json_parse(json_read_file(SCHEMA), &error);

	CHECK(value && schema);
	error = json_check(schema, value, "$");
	if (error)
		test_fail(__FILE__, __LINE__, "%s in:\n%s", error, text);
}

TEST(arrays_report__touches_of_one_line_are_one_group)
{
	struct arena *arena = arena_new();
	const struct arrays_view *view;
	const struct touch_group *group;
	struct run run;

	sample_run(&run, arena);
	view = arrays_view(arena, &run);
	CHECK(view != NULL);
	CHECK_INT(view->first[1] - view->first[0], 2);
	group = &view->groups[view->first[0]];
	CHECK(!group->before);
	CHECK_INT(group->nr_threads, 3);
	CHECK_INT(group->threads[2], 3);
	CHECK_INT(group->least, 256 << 10);
	CHECK_INT(group->most, (1 << 20) - 4000);
	CHECK_INT(group->pages, 512);
	CHECK_INT(group->nr_nodes, 2);
	CHECK(group[1].before && group[1].bytes == 4000);
	CHECK_INT(arrays_touched(view, 0), 2 << 20);
	CHECK_INT(arrays_touched(view, 3), 0);
	CHECK_INT(view->order[0], 1);
	CHECK_INT(view->order[view->nr_arrays - 1], 4);
}

TEST(arrays_report__text_says_what_is_not_known)
{
	struct arena *arena = arena_new();
	struct run run;

	sample_run(&run, arena);
	has(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY), "each of 16500 was counted, none was lost");
	run.touching.lost = 17;
	has(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY), "17 were lost");
	has(print(arena, &run, arrays_json, ARRAYS_BY_ARRAY), "\"rung\": \"sampled\"");
	run.touches[4].thread = RUN_THREAD_UNKNOWN;
	has(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY), "92 % at swim.c:22 by an unknown thread");
	run.touching.faults = 0;
	run.nr_touches = 0;
	has(print(arena, &run, arrays_text, ARRAYS_BY_LINE), "page faults were not sampled: perf_event_open");
	run.touching.page_bytes = run.nr_arrays = 0;
	has(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY), "No data structures are known.");
	has(print(arena, &run, arrays_json, ARRAYS_BY_ARRAY), "\"rung\": \"none\"");
}

/* On one node it does not matter who touched what; nor for one thread. */
TEST(arrays_report__serial_first_touch_is_told_where_there_are_nodes)
{
	struct arena *arena = arena_new();
	const struct arrays_view *view;
	struct run run;

	sample_run(&run, arena);
	view = arrays_view(arena, &run);
	CHECK(!arrays_alone(view, 0) && arrays_alone(view, 1) && arrays_alone(view, 2) && !arrays_alone(view, 3));
	CHECK(!arrays_alone(view, 4));               /* too small */
	has(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY), "One thread alone touched these first: grid, input.c:77. So");
	run.touches[4].bytes = 16 << 20;             /* most of it was touched unseen */
	CHECK(!arrays_alone(view = arrays_view(arena, &run), 1));
	run.machine.nodes = 1;
	CHECK(!strstr(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY), "One thread alone"));
}

TEST(arrays_report__json_is_by_its_schema)
{
	struct arena *arena = arena_new();
	struct run run;

	sample_run(&run, arena);
	is_by_schema(print(arena, &run, arrays_json, ARRAYS_BY_ARRAY));
	run.nr_arrays = run.nr_touches = 0;
	run.touching = (struct run_touching){ 0 };
	is_by_schema(print(arena, &run, arrays_json, ARRAYS_BY_ARRAY));
}

/* Whatever stands in a file is printed, and sums do not get lost. */
TEST(arrays_report__any_run_can_be_printed)
{
	for (uint64_t seed = 1; seed < 200; seed++) {
		struct arena *arena = arena_new();
		const struct arrays_view *view;
		uint64_t bytes = 0, grouped = 0;
		struct run run;

		random_run(arena, seed, 30, &run);
		view = arrays_view(arena, &run);
		for (size_t i = 0; i < run.nr_touches; i++)
			bytes += run.touches[i].bytes;
		for (size_t i = 0; i < view->nr_groups; i++)
			grouped += view->groups[i].bytes;
		CHECK_INT(grouped, bytes);
		print(arena, &run, arrays_text, ARRAYS_BY_ARRAY);
		print(arena, &run, arrays_text, ARRAYS_BY_LINE);
		print(arena, &run, arrays_csv, ARRAYS_BY_ARRAY);
		print(arena, &run, arrays_json, ARRAYS_BY_ARRAY);
		arena_free(arena);
	}
}
