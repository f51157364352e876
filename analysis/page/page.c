/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the page together. */
#include "analysis/page/page.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/numa/picture.h"
#include "analysis/numa/picture_writes.h"
#include "analysis/numa/print.h"
#include "analysis/numa/ranking.h"
#include "analysis/numa/written_pages.h"
#include "analysis/page/data.h"
#include "analysis/page/embedded_files.h"
#include "analysis/report/finding.h"
#include "analysis/report/json.h"
#include "analysis/report/text.h"
#include "analysis/simulation/page_use.h"

#define HALVINGS_MOST 8 /* of the rows shown, until the page is small enough */

struct page {
	struct text *out;
	struct arena *arena;
	const struct run *const *runs;
	size_t nr_runs;
	const struct page_options *options;
	struct page_caps caps;
	/* NULL: the modelled machine has one node, or nothing was simulated now */
	const struct numa_ranking *ranking;
};

/* Bytes of a string as HTML text. */
static void add_html(struct text *out, const char *string)
{
	for (; *string; string++)
		switch (*string) {
		case '&': text_add(out, "&amp;"); break;
		case '<': text_add(out, "&lt;"); break;
		case '>': text_add(out, "&gt;"); break;
		case '"': text_add(out, "&quot;"); break;
		default: text_add_bytes(out, string, 1);
		}
}

/* Without blanks between its parts. No `<` in it can end the element or begin a comment. */
static void add_json(struct text *out, const struct text *json)
{
	bool quoted = false, escaped = false;

	for (size_t i = 0; i < json->length; i++) {
		char one = json->bytes[i];

		if (!quoted && (one == ' ' || one == '\n'))
			continue;
		if (one == '"' && !escaped)
			quoted = !quoted;
		escaped = one == '\\' && !escaped;
		if (one == '<')
			text_add(out, "\\u003c");
		else
			text_add_bytes(out, &one, 1);
	}
	out->cut |= json->cut;
}

/* ------------------------------------------------------------------ parts */

static const char *program(const struct page *page)
{
	const char *name = page->nr_runs
				   ? report_program(page->runs[0], page->options->report.brief)
				   : NULL;

	return name ? base_name(name) : "?";
}

static void put_title(struct page *page)
{
	struct text plain;

	text_init(&plain, page->arena);
	text_add_plain(&plain, program(page));
	add_html(page->out, plain.bytes ? plain.bytes : "?");
}

static void put_text(struct page *page)
{
	struct report_options options = page->options->report;
	struct text plain;

	options.colour = false;
	text_init(&plain, page->arena);
	report_format("text")(&plain, page->runs, page->nr_runs, &options);
	add_html(page->out, plain.bytes ? plain.bytes : "");
}

static void put_report(struct page *page)
{
	struct report_options options = page->options->report;
	struct text json;

	options.no_regions = true; /* the page has tables of its own */
	text_init(&json, page->arena);
	report_format("json")(&json, page->runs, page->nr_runs, &options);
	add_json(page->out, &json);
}

static void put_data(struct page *page)
{
	const struct report_options *options = &page->options->report;
	struct text text;
	struct json json;

	text_init(&text, page->arena);
	json_init(&json, &text);
	json_open(&json, NULL, '{');
	json_string(&json, "version", options->brief ? NULL : MEMSEARCH_VERSION);
	json_string(&json, "record", page->options->record);
	json_open(&json, "runs", '[');
	for (size_t i = 0; i < page->nr_runs; i++)
		page_data(&json, page->arena, page->runs[i], &page->caps, options->brief);
	json_close(&json);
	json_close(&json);
	add_json(page->out, &text);
}

static const struct numa_ranking *ranking_of(const struct page *page)
{
	const struct page_uses *uses = page->options->uses;

	return uses && uses->nr && uses->nodes > 1 && page->nr_runs == 1
		       ? numa_ranking(page->arena, page->runs[0], uses)
		       : NULL;
}

static void put_numa(struct page *page)
{
	const struct numa_ranking *ranking = page->ranking;
	const struct numa_options options = { .brief = page->options->report.brief,
					      .width = page->options->report.width };
	struct numa_ranking shown;
	struct text json;

	text_init(&json, page->arena);
	if (ranking) {
		shown = *ranking;
		shown.nr = shown.nr < page->caps.arrays ? shown.nr : page->caps.arrays;
		numa_json(&json, &shown, &options);
	} else {
		text_add(&json, "null");
	}
	add_json(page->out, &json);
}

/* SVG escapes what it has of the program. */
static void put_numa_pictures(struct page *page)
{
	const struct numa_ranking *ranking = page->ranking;
	const struct numa_options options = { .brief = page->options->report.brief };

	if (!ranking || numa_why_none(page->out, ranking) || !ranking->lines)
		return;
	numa_svg_links(page->out, ranking, &options);
	numa_svg_matrix(page->out, ranking, &options);
}

static void put_numa_writes(struct page *page)
{
	const struct numa_writes *writes = page->nr_runs == 1
						   ? numa_writes(page->arena, page->runs[0])
						   : NULL;
	const struct numa_options options = { .brief = page->options->report.brief,
					      .most = page->caps.arrays };

	if (writes)
		numa_svg_writes(page->out, writes, &options);
}

static void put_style(struct page *page)
{
	text_add_bytes(page->out, page_css, strlen(page_css));
}

static void put_script(struct page *page)
{
	text_add_bytes(page->out, page_js, strlen(page_js));
}

/* Where page.html has them. */
static const struct {
	const char *mark;
	void (*put)(struct page *page);
} marks[] = {
	{ "@TITLE@", put_title },
	{ "@STYLE@", put_style },
	{ "@TEXT@", put_text },
	{ "@REPORT@", put_report },
	{ "@DATA@", put_data },
	{ "@NUMA@", put_numa },
	{ "@SCRIPT@", put_script },
	{ "@NUMA_PICTURES@", put_numa_pictures },
	{ "@NUMA_WRITES@", put_numa_writes },
};

/* ------------------------------------------------------------------ the whole */

static void put_page(struct page *page)
{
	const char *rest = page_html, *mark;

	text_add(page->out, PAGE_BEGIN);
	while ((mark = strchr(rest, '@')) != NULL) {
		size_t i = 0, nr = sizeof(marks) / sizeof(*marks);

		text_add_bytes(page->out, rest, (size_t)(mark - rest));
		while (i < nr && strncmp(mark, marks[i].mark, strlen(marks[i].mark)))
			i++;
		if (i < nr)
			marks[i].put(page);
		else
			text_add(page->out, "@");
		rest = mark + (i < nr ? strlen(marks[i].mark) : 1);
	}
	text_add_bytes(page->out, rest, strlen(rest));
}

static struct page_caps caps_of(unsigned int halvings)
{
	return (struct page_caps){ .arrays = 200 >> halvings,
				   .loops = 120 >> halvings,
				   .lines = 2000 >> halvings,
				   .regions = 60 >> halvings,
				   .threads = 1024 >> halvings,
				   .findings = 250 >> halvings,
				   .questions = 1500 >> halvings,
				   .source_lines = 6000 >> halvings };
}

void page_write(struct text *out, const struct run *const *runs, size_t nr_runs,
		const struct page_options *options)
{
	struct page page = { .arena = out->arena, .nr_runs = nr_runs, .options = options };
	const struct run **reduced = arena_alloc(out->arena, (nr_runs + 1) * sizeof(*reduced));
	struct text text;

	out->cut |= !reduced;
	for (unsigned int halvings = 0; reduced && halvings < HALVINGS_MOST; halvings++) {
		page.caps = caps_of(halvings);
		for (size_t i = 0; i < nr_runs; i++) {
			reduced[i] = page_reduced(out->arena, runs[i], &page.caps);
			if (!reduced[i])
				reduced[i] = runs[i];
		}
		page.runs = reduced;
		page.ranking = ranking_of(&page);
		page.out = &text;
		text_init(&text, out->arena);
		put_page(&page);
		if (text.length <= PAGE_BYTES_MOST)
			break;
	}
	if (reduced) {
		text_add_bytes(out, text.bytes, text.length);
		out->cut |= text.cut;
	}
}
