/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_FUZZ_COMMANDS_H
#define MEMSEARCH_TESTS_FUZZ_COMMANDS_H

/*
 * Everything that `memsearch` does with a record or a store, in one process: each must print
 * something or refuse the file. To be included once. stdout and stderr should lead nowhere.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/installation.h"
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
#include "tests/host/scratch.h"
#include "tests/unit/test.h"

/* Instead of analysis/cmds/installation.c, as tests are a folder further down than the program. */
const char *installation_path(struct arena *arena, const char *relative)
{
	char program[PATH_MAX] = "";
	ssize_t nr = readlink("/proc/self/exe", program, sizeof(program) - 1);

	CHECK(nr > 0);
	return arena_printf(arena, "%s/%s", dirname(dirname(dirname(program))), relative);
}

/* Whether a terminal would show it, and do nothing else. `tabs`: scripts and DOT have some. */
static inline bool is_plain_text(const char *bytes, size_t nr, bool tabs)
{
	for (size_t at = 0; at < nr; at++) {
		unsigned char byte = (unsigned char)bytes[at];

		if ((byte < 0x20 && byte != '\n' && !(tabs && byte == '\t')) || byte == 0x7f ||
		    (byte == 0xc2 && at + 1 < nr && (bytes[at + 1] & 0xe0) == 0x80))
			return false;
	}
	return true;
}

/* What got into a report must be plain text; */
static inline void check_plain(const struct text *out)
{
	if (!is_plain_text(out->bytes, out->length, false))
		abort();
}

static inline void write_reports(struct arena *arena, const struct run *const *runs, size_t nr)
{
	static const char *const formats[] = { "text", "json", "csv", "github", "sarif" };
	static const unsigned int nr_formats = sizeof(formats) / sizeof(formats[0]);

	for (unsigned int how = 0; how < 4 * nr_formats; how++) {
		unsigned int kind = how / nr_formats;
		struct report_options options;
		struct text out;

		report_options_init(&options);
		options.all = kind & 1;
		options.tree = kind & 2;
		options.severity_rate = options.all;
		options.brief = kind == 1;
		options.most = kind == 2 ? 1 : 0;
		text_init(&out, arena);
		report_format(formats[how % nr_formats])(&out, runs, nr, &options);
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

/* ------------------------------------------------------------------ as typed */

#define COMMANDS_SECONDS 10 /* CPU time of a command */
#define COMMANDS_SECONDS_IN_ALL 60
#define COMMANDS_BYTES ((rlim_t)32 << 20) /* of its output; more cannot be written */

/* Pictures and pages, and what `export` writes. */
static const char *const commands_files[] = { "out.svg", "out.html", "out.csv", "out.json" };

static const char *commands_line; /* being run */

/* `path` NULL: what the command printed. */
static inline void commands_check(int fd, const char *path)
{
	char *bytes = MAP_FAILED;
	off_t nr;

	if (fd < 0 || (nr = lseek(fd, 0, SEEK_END)) <= 0)
		return;
	bytes = mmap(NULL, (size_t)nr, PROT_READ, MAP_PRIVATE, fd, 0);
	CHECK(bytes != MAP_FAILED);
	if (!is_plain_text(bytes, (size_t)nr, path || strstr(commands_line, "dot"))) {
		dprintf(STDERR_FILENO, "control characters in %s of: %s\n", path ? path : "output",
			commands_line);
		abort();
	}
	if (getenv("FUZZ_ONLY")) {
		printf("--- %s: %s\n", path ? path : "output", commands_line);
		fwrite(bytes, 1, (size_t)nr, stdout);
	}
	munmap(bytes, (size_t)nr);
}

static inline void commands_check_files(void)
{
	for (size_t i = 0; i < sizeof(commands_files) / sizeof(commands_files[0]); i++) {
		int fd = open(commands_files[i], O_RDONLY);

		commands_check(fd, commands_files[i]);
		if (fd >= 0)
			close(fd);
		unlink(commands_files[i]);
	}
}

static inline void commands_limit_time(unsigned int seconds, unsigned int in_all)
{
	setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = seconds }, NULL);
	alarm(in_all);
}

/* Runs a command whose output goes to a file in memory, and must be plain text as well. */
static inline void commands_run(int argc, char **argv)
{
	int out = memfd_create("output", MFD_CLOEXEC), kept[2];
	const struct command *command = command_find(argv[0]);

	CHECK(out >= 0 && command);
	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		kept[i] = dup(i + 1);
		CHECK(kept[i] >= 0 && dup2(out, i + 1) == i + 1);
	}
	commands_limit_time(COMMANDS_SECONDS, COMMANDS_SECONDS_IN_ALL);
	command->run(command, argc, argv);
	commands_limit_time(0, COMMANDS_SECONDS_IN_ALL);
	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		CHECK(dup2(kept[i], i + 1) == i + 1);
		close(kept[i]);
	}
	commands_check(out, NULL);
	close(out);
	commands_check_files();
}

/* `line` with `path` for each `%`, or behind it if no file is named. */
static inline void run_line(const char *line, const char *path)
{
	char words[160], *argv[20], *left = NULL;
	bool named = false;
	int argc = 0;

	snprintf(words, sizeof(words), "%s", line);
	commands_line = line;
	for (char *word = strtok_r(words, " ", &left); word && argc < 18;
	     word = strtok_r(NULL, " ", &left)) {
		named |= !strcmp(word, "%") || !strcmp(word, "x.db");
		argv[argc++] = strcmp(word, "%") ? word : (char *)path;
	}
	if (!named)
		argv[argc++] = (char *)path;
	argv[argc] = NULL;
	commands_run(argc, argv);
}

/*
 * What is read of records and stores. `import` goes to the store x.db, which is read again; so it has
 * to come before. small.machine: a file of the working folder.
 */
static const char *const commands_lines[] = {
	"report",
	"report --all --tree",
	"report -v",
	"explain 1",
	"explain 2 --machine small.machine",
	"report --json --severity rate",
	"report --format csv",
	"report --format github",
	"report --format sarif",
	"report --html out.html",
	"report --phase 2 --all",
	"report --machine small.machine",
	"arrays",
	"arrays --by line --all",
	"arrays --by region --most 0",
	"arrays --by thread",
	"arrays --json",
	"arrays --format csv --by region",
	"arrays --machine small.machine",
	"numa",
	"numa --json",
	"numa --format csv --most 0",
	"numa --svg out.svg",
	"numa --machine small.machine --places spread",
	"graph --all",
	"graph --format dot",
	"graph --json --all",
	"graph --svg out.svg",
	"search",
	"search --json --executions 9",
	"search --format csv --all",
	"search --graph dot",
	"search --compare",
	"list runs",
	"list regions",
	"list counts",
	"list traces",
	"list metrics",
	"list sensors",
	"list runs --json",
	"list regions --format csv",
	"list counts --json",
	"trace",
	"try --machine small.machine",
	"export",
	"export --format csv -o out.csv",
	"export --format extrap -o out.json",
	"export --format hatchet -o out.json",
	"export --format speedscope -o out.json",
	"export --format perfetto -o out.json",
	"import -o x.db %",
	"import --json -o x.db %",
	"report x.db",
	"arrays x.db",
	"diff % x.db@threads=16",
	"diff --by line --all % x.db@threads=16",
	"diff --json --by property % x.db@threads=16",
	"diff --format sarif --fail-on accesses>+1% % x.db@threads=16",
	"diff --format github --limits limits % x.db@threads=16",
	"diff --by thread --format markdown % x.db@threads=16",
	"diff --svg out.svg % %",
	"diff x.db x.db@threads=16",
	"diff %",
	"diff --json --all %",
	"sweep --dry-run -t 1,2 -o % -- ./swim 512 100",
};

/* Files that the lines name, in the working folder; `machine` is the text of a modelled machine. */
static inline void commands_enter(const uint8_t *machine, size_t nr)
{
	static const char limits[] = "fail accesses>+5%\nwarn l2_misses:*>+1%\n";

	file_write("small.machine", machine, nr);
	file_write("limits", limits, sizeof(limits) - 1);
	file_write("swim", "", 0);
	CHECK(!chmod("swim", 0700));
	CHECK(!setrlimit(RLIMIT_FSIZE, &(struct rlimit){ COMMANDS_BYTES, COMMANDS_BYTES }));
	signal(SIGXFSZ, SIG_IGN);
}

static inline void run_commands(const char *path)
{
	unlink("x.db");
	for (size_t i = 0; i < sizeof(commands_lines) / sizeof(commands_lines[0]); i++)
		run_line(commands_lines[i], path);
}

#endif
