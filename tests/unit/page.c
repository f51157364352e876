/* SPDX-License-Identifier: Apache-2.0 */
/* The HTML page: no name of the program becomes HTML, the data is JSON, and it has a bound. */
#include "analysis/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/report/text.h"
#include "tests/unit/json_value.h"
#include "tests/unit/large_run.h"
#include "tests/unit/sample_run.h"
#include "tests/unit/test.h"

#define SCRIPT "<script type=\"application/json\" id=\"json-"

static const char *page_of(struct arena *arena, const struct run *const *runs, size_t nr)
{
	struct page_options options = { .record = "x.ms" };
	struct text text;

	report_options_init(&options.report);
	options.report.brief = true;
	text_init(&text, arena);
	page_write(&text, runs, nr, &options);
	CHECK_INT(text.cut, 0);
	return text.bytes;
}

static size_t times(const char *page, const char *word)
{
	size_t nr = 0;

	while ((page = strstr(page, word)) != NULL) {
		page += strlen(word);
		nr++;
	}
	return nr;
}

/* The element's text, parsed. */
static const struct json_value *data(const char *page, const char *name)
{
	const char *begin = strstr(page, name), *end, *error = NULL;
	struct json_value *value;
	char *copy;

	begin = begin ? strchr(begin, '>') + 1 : NULL;
	end = begin ? strstr(begin, "</script>") : NULL;
	CHECK(end != NULL);
	copy = strndup(begin, (size_t)(end - begin));
	value = json_parse(copy, &error);
	free(copy);
	CHECK(!error);
	return value;
}

TEST(page__a_name_stays_text)
{
	static const char name[] =
		"</script><img src=x onerror=alert(1)>\"'&\x1b[31m\xff<!--<script>";
	struct arena *arena = arena_new();
	const struct run *runs[1];
	struct run run;
	const char *page;

	large_run(arena, &run, 4, 2, 3);
	run.program = run.command = name;
	run.arrays[0].name = name;
	run.regions[1].source.function = run.regions[1].source.file = name;
	run.accesses[0].source = run.regions[1].source;
	run.nodes[1].explanation = run.nodes[1].advice = name;
	runs[0] = &run;
	page = page_of(arena, runs, 1);
	CHECK_INT(times(page, "<img"), 0);
	CHECK_INT(times(page, "<script"), 4);
	CHECK_INT(times(page, "</script>"), 4);
	CHECK_INT(times(page, "\x1b"), 0);
	CHECK_INT(times(page, "<!--"), 1); /* PAGE_BEGIN's */
	CHECK(data(page, "id=\"json-report\"") != NULL);
	CHECK(data(page, "id=\"json-data\"") != NULL);
	arena_free(arena);
}

TEST(page__a_long_name_is_in_it)
{
	struct arena *arena = arena_new();
	const struct run *runs[1];
	struct run run;
	char *name = malloc(10001);

	memset(name, 'x', 10000);
	name[10000] = '\0';
	large_run(arena, &run, 40, 2, 20);
	for (size_t i = 0; i < run.nr_arrays; i++)
		run.arrays[i].name = name;
	for (size_t i = 1; i < run.nr_regions; i++)
		run.regions[i].source.function = name;
	runs[0] = &run;
	CHECK_THAT(strlen(page_of(arena, runs, 1)), <=, (size_t)PAGE_BYTES_MOST);
	free(name);
	arena_free(arena);
}

TEST(page__has_no_resources)
{
	static const char *const words[] = {
		"http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'",
		"prefers-color-scheme", "<pre tabindex"
	};
	static const char *const none[] = { " src=",  "@import",   "url(",
					    "fetch(", "innerHTML", "<link" };
	struct arena *arena = arena_new();
	const struct run *runs[1];
	struct run run;
	const char *page;

	large_run(arena, &run, 4, 2, 3);
	runs[0] = &run;
	page = page_of(arena, runs, 1);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		CHECK_INT(times(page, words[i]) > 0, 1);
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		CHECK_INT(times(page, none[i]), 0);
	arena_free(arena);
}

TEST(page__has_value_and_time_of_verdicts)
{
	struct arena *arena = arena_new();
	const struct json_value *tables, *node;
	const struct run *runs[1];
	struct run run;

	sample_run(&run, arena);
	runs[0] = &run;
	tables = json_member(data(page_of(arena, runs, 1), "id=\"json-data\""), "runs")->first;
	node = json_member(tables, "questions")->first;
	CHECK_STR(json_member(node, "value")->string, "31 %");
	CHECK_NEAR(json_member(node, "executions")->number, 2, 0);
	CHECK_NEAR(json_member(node, "ns")->number, 200e6, 1);
	CHECK_STR(json_member(json_member(tables, "titles"), "UnevenWork")->string,
		  "uneven work among threads");
	CHECK_NEAR(json_member(tables, "executions")->number, 120, 0);
	CHECK_NEAR(json_member(tables, "program_ns")->number, 1.6e9, 0);
	arena_free(arena);
}

TEST(page__says_what_is_left_out)
{
	struct arena *arena = arena_new();
	const struct run *runs[1];
	struct run run;
	const struct json_value *tables;
	const char *page;

	large_run(arena, &run, 3000, 4, 1000);
	runs[0] = &run;
	page = page_of(arena, runs, 1);
	CHECK_THAT(strlen(page), <=, (size_t)PAGE_BYTES_MOST);
	tables = json_member(data(page, "id=\"json-data\""), "runs")->first;
	CHECK_NEAR(json_member(tables, "arrays_left_out")->number, 1000 - 200, 0.5);
	CHECK_NEAR(json_member(tables, "loops_left_out")->number, 3000 - 120, 0.5);
	CHECK_NEAR(json_member(tables, "regions_left_out")->number, 3000 - 1 - 60, 0.5);
	CHECK_NEAR(json_member(tables, "questions_left_out")->number, 3000 - 1500, 0.5);
	arena_free(arena);
}

/* More runs than fit: each shows fewer rows, none is missing. */
TEST(page__of_many_runs_has_a_bound)
{
	struct arena *arena = arena_new();
	const struct run *runs[5];
	struct run run;
	const char *page;
	int nr = 0;

	large_run(arena, &run, 400, 4, 200);
	for (size_t i = 0; i < 5; i++)
		runs[i] = &run;
	page = page_of(arena, runs, 5);
	CHECK_THAT(strlen(page), <=, (size_t)PAGE_BYTES_MOST);
	for (const struct json_value *one =
		     json_member(data(page, "id=\"json-data\""), "runs")->first;
	     one; one = one->next)
		nr++;
	CHECK_INT(nr, 5);
	arena_free(arena);
}
