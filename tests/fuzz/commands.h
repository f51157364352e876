/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_FUZZ_COMMANDS_H
#define MEMSEARCH_TESTS_FUZZ_COMMANDS_H

/*
 * Everything that `memsearch` does with a record or a store, in one process: each must print
 * something or refuse the file. To be included once. stdout and stderr should lead nowhere.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/searched.h"
#include "analysis/properties/property.h"
#include "analysis/report/arrays.h"
#include "analysis/report/explain.h"
#include "analysis/report/report.h"
#include "analysis/report/resolve.h"
#include "analysis/report/text.h"
#include "analysis/search/bricks.h"
#include "analysis/store/store.h"
#include "memsearch/strategy.h"
#include "tests/unit/test.h"

/* What got into a report must be plain text; */
static inline void check_plain(const struct text *out)
{
	for (size_t at = 0; at < out->length; at++) {
		unsigned char byte = (unsigned char)out->bytes[at];

		if ((byte < 0x20 && byte != '\n') || byte == 0x7f ||
		    (byte == 0xc2 && (out->bytes[at + 1] & 0xe0) == 0x80))
			abort();
	}
}

static inline void write_reports(struct arena *arena, const struct run *const *runs, size_t nr)
{
	static const char *const formats[] = { "text", "json", "csv" };

	for (unsigned int how = 0; how < 12; how++) {
		struct report_options options;
		struct text out;

		report_options_init(&options);
		options.all = how / 3 & 1;
		options.tree = how / 3 & 2;
		options.severity_rate = options.all;
		options.brief = how / 3 == 1;
		options.most = how / 3 == 2 ? 1 : 0;
		text_init(&out, arena);
		report_format(formats[how % 3])(&out, runs, nr, &options);
		check_plain(&out);
	}
}

static inline void write_arrays(struct arena *arena, const struct run *const *runs, size_t nr)
{
	for (enum arrays_by by = ARRAYS_BY_ARRAY; by <= ARRAYS_BY_THREAD; by++) {
		struct arrays_options options = { .by = by,
						  .all = by & 1,
						  .most = by & 2 ? 0 : 30,
						  .brief = by == ARRAYS_BY_LINE };
		struct text out;

		text_init(&out, arena);
		arrays_text(&out, runs, nr, &options);
		arrays_json(&out, runs, nr, &options);
		arrays_csv(&out, runs, nr, &options);
		check_plain(&out);
	}
}

static size_t search_initial(void *state, const struct ms_host *host, struct ms_candidate *out,
			     size_t room)
{
	struct brick_output output = { out, 0, room };

	(void)state;
	brick_initial(host, &output);
	return output.nr;
}

static void search_everything(const struct ms_host *host, uint32_t node,
			      const struct ms_candidate *proven, struct brick_output *out)
{
	brick_specific_set(host, node, proven, out);
	brick_subregion_set(host, node, proven, out);
}

static size_t search_refine(void *state, const struct ms_host *host, const uint32_t *proven,
			    size_t nr, struct ms_candidate *out, size_t room)
{
	struct brick_output output = { out, 0, room };

	(void)state;
	brick_proven_set(host, proven, nr, search_everything, &output);
	return output.nr;
}

static struct property_set *commands_properties;

/* As `memsearch search`; it must end, or refuse the run. */
static inline void search_over(struct arena *arena, const struct run *run)
{
	static const struct ms_strategy strategy = { .name = "everything",
						     .initial = search_initial,
						     .refine = search_refine };
	static const char *const formats[] = { "text", "json", "csv" };
	struct searched searched = { .path = "x", .run = run, .strategy = &strategy };
	struct searched_how how = { .properties = commands_properties,
				    .overhead_limit = 0.05,
				    .executions_most = 50 };

	if (!searched_run_over(&searched, arena, &how))
		return;
	for (size_t i = 0; i < 3; i++) {
		struct text out;

		text_init(&out, arena);
		searched_print(&out, &searched,
			       &(struct searched_format){ formats[i], 100, i & 1 });
		check_plain(&out);
	}
}

/* In the source folder, before a test leaves it. */
static inline void commands_prepare(void)
{
	commands_properties = property_set_load(arena_new(), "properties", NULL);
	CHECK(commands_properties);
}

/* As the commands show_complete() a run, with texts that are loaded once. */
static inline void complete(struct arena *arena, struct run *run)
{
	resolve_run(run, arena);
	explain(run, arena, commands_properties);
}

/*
 * All writers over what is in the file; false: it was refused. `completed`: with lines and texts
 * made anew.
 */
static inline bool write_all(const char *path, bool completed)
{
	struct arena *arena = arena_new();
	const struct run **list;
	struct run *runs;
	size_t nr = 0;
	bool loaded = store_load(arena, path, &runs, &nr) == MS_OK;

	list = arena_alloc(arena, (nr + 1) * sizeof(*list));
	for (size_t i = 0; i < nr; i++) {
		if (completed)
			complete(arena, &runs[i]);
		list[i] = &runs[i];
		search_over(arena, &runs[i]);
	}
	if (loaded && nr) {
		write_reports(arena, list, nr);
		write_arrays(arena, list, nr);
	}
	arena_free(arena);
	return loaded;
}

/* The commands themselves, as typed. `import` goes to the store x.db, which is read again. */
static inline void run_commands(const char *path)
{
	static const char *const lines[] = {
		"report",
		"report --all --tree",
		"report --json --severity rate",
		"report --format csv",
		"arrays",
		"arrays --by line --all",
		"arrays --by region --most 0",
		"arrays --by thread",
		"arrays --json",
		"arrays --format csv --by region",
		"search",
		"search --json --executions 9",
		"list runs",
		"list regions",
		"list counts",
		"list metrics",
		"list sensors",
		"list runs --json",
		"list regions --format csv",
		"list counts --json",
		"import -o x.db",
		"import --json -o x.db",
		"report x.db",
		"arrays x.db",
		"diff",
		"diff --by line --all",
		"diff --json --by property",
		"diff --format sarif --fail-on accesses>+1%",
		"diff --by thread --format markdown",
		"diff x.db",
	};

	unlink("x.db");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char words[80], *argv[12], *left = NULL;
		int argc = 0;

		snprintf(words, sizeof(words), "%s", lines[i]);
		for (char *word = strtok_r(words, " ", &left); word;
		     word = strtok_r(NULL, " ", &left))
			argv[argc++] = word;
		if (strcmp(argv[argc - 1], "x.db") || !strcmp(argv[argc - 2], "-o"))
			argv[argc++] = (char *)path;
		if (!strcmp(argv[0], "diff"))
			/* runs that were imported, if they have as many */
			argv[argc++] = "x.db@threads=16";
		argv[argc] = NULL;
		command_find(argv[0])->run(command_find(argv[0]), argc, argv);
	}
}

#endif
