/* SPDX-License-Identifier: Apache-2.0 */
/* `memsearch try`: what changes would gain, by simulating a record once more with each. */
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/base/thread_clock.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/list_machines.h"
#include "analysis/cmds/progress.h"
#include "analysis/cmds/show.h"
#include "analysis/machine/machines.h"
#include "analysis/machine/model_host.h"
#include "analysis/machine/model_text.h"
#include "analysis/numa/ranking.h"
#include "analysis/remedies/print_trials.h"
#include "analysis/remedies/remedy.h"
#include "analysis/remedies/trial.h"
#include "analysis/report/arrays.h"
#include "analysis/report/text.h"
#include "analysis/simulation/page_use.h"
#include "analysis/simulation/range_requests.h"

#define REMEDIES_MOST 20 /* that are tried unasked */

struct try_values {
	uint64_t phase;
	const char *format, *machine, *places, *pages;
	uint64_t jobs;
};

struct trying {
	const struct command *command;
	const struct try_values *values;
	char *const *words; /* remedies that were named */
	int nr_words;
	struct page_uses uses;
	const struct trials *trials;
};

static const struct command_option options[] = {
	COMMAND_FORMAT_ROWS(struct try_values),
	{ .name = "machine",
	  .type = COMMAND_STRING,
	  .metavariable = "NAME",
	  .offset = offsetof(struct try_values, machine),
	  .help = "simulate the recorded accesses on this machine: a name of `memsearch machine --list`, a file, or host (default)" },
	SHOW_PLACES(struct try_values),
	SHOW_PAGES(struct try_values),
	{ .name = "jobs",
	  .type = COMMAND_UNSIGNED,
	  .metavariable = "N",
	  .offset = offsetof(struct try_values, jobs),
	  .help = "simulate N remedies at a time; the results are the same with any number (default: one for each CPU)" },
	SHOW_PHASE(struct try_values),
	{ 0 }
};

/* After a message where there is none. */
static const struct machine_model *find_model(void *ctx, struct arena *arena, const char *name)
{
	const struct model_file *file;
	const char *path;

	if (strcmp(name, MACHINES_HOST)) {
		if (machines_find(ctx, arena, name, &path) != COMMAND_OK)
			return NULL;
		file = model_read(arena, path);
	} else {
		file = model_host(arena);
	}
	return file && !model_tell_mistakes(arena, file) ? &file->model : NULL;
}

static void show_progress(void *ctx, double part)
{
	progress_show(ctx, part, thread_clock_ns());
}

/* COMMAND_GO_ON with `*nr_out` remedies. */
static int read_named(const struct trying *trying, struct arena *arena,
		      const struct remedy_base *base, struct remedy *out, size_t *nr_out)
{
	const char *name;

	for (int i = 0; i < trying->nr_words; i++) {
		if (!remedy_read(arena, trying->words[i], base, &out[*nr_out], &name))
			return show_unknown_array(trying->command, arena, base->run, name);
		++*nr_out;
	}
	return COMMAND_GO_ON;
}

static int try_remedies(void *ctx, struct arena *arena, const struct requests_source *source)
{
	struct trying *trying = ctx;
	struct remedy *remedies = arena_alloc(arena, ((size_t)trying->nr_words + REMEDIES_MOST) *
							     sizeof(*remedies));
	struct remedy_base base = { .run = source->run,
				    .model = source->model,
				    .placement = source->placement,
				    .uses = &trying->uses,
				    .places = trying->values->places,
				    .machine = find_model,
				    .machine_ctx = (void *)trying->command };
	struct progress progress;
	size_t nr = 0;
	int code = COMMAND_GO_ON;

	show_complete(arena, source->run, NULL);
	base.ranking = numa_ranking(arena, source->run, &trying->uses);
	if (!remedies || !base.ranking)
		return COMMAND_BAD_DATA;
	if (trying->nr_words)
		code = read_named(trying, arena, &base, remedies, &nr);
	else
		nr = remedies_propose(arena, &base, remedies, REMEDIES_MOST);
	if (code != COMMAND_GO_ON)
		return code;
	progress_begin(&progress, thread_clock_ns());
	trying->trials = trials_run(arena, source, remedies, nr, show_progress, &progress);
	progress_end(&progress);
	return trying->trials ? COMMAND_GO_ON : COMMAND_BAD_DATA;
}

static void print_try(struct text *out, const struct run *const *runs, size_t nr, const void *ctx)
{
	const struct trying *trying = ctx;
	const char *format = trying->values->format ? trying->values->format : "text";
	struct report_options report;
	struct try_options try;

	show_options(&report, STDOUT_FILENO);
	try = (struct try_options){ .colour = report.colour,
				    .brief = report.brief,
				    .width = report.width };
	if (nr && trying->trials)
		(!strcmp(format, "json")  ? try_json
		 : !strcmp(format, "csv") ? try_csv
					  : try_text)(out, runs[0], trying->trials, &try);
}

/* Remedies come to the front, the file behind them; returns how many remedies there are. */
static int remedies_first(char **operands, int nr)
{
	int nr_remedies = 0;

	for (int i = 0; i < nr; i++) {
		char *word = operands[i];

		if (!remedy_is(word))
			continue;
		memmove(operands + nr_remedies + 1, operands + nr_remedies,
			(size_t)(i - nr_remedies) * sizeof(*operands));
		operands[nr_remedies++] = word;
	}
	return nr_remedies;
}

static int run_try(const struct command *self, int argc, char **argv)
{
	struct try_values values = { 0 };
	struct trying trying = { .command = self, .values = &values, .words = argv };
	int nr, code = command_parse(self, &values, argc, argv, &nr);
	const struct show_how how = {
		.phase = values.phase,
		.modelled = true,
		.machine = values.machine ? values.machine : MACHINES_HOST,
		.places = values.places,
		.pages = values.pages,
		.jobs = values.jobs,
		.uses = &trying.uses,
		.then = try_remedies,
		.then_ctx = &trying,
	};

	if (code != COMMAND_GO_ON)
		return code;
	trying.nr_words = remedies_first(argv, nr);
	return show_runs(self, nr - trying.nr_words, argv + trying.nr_words, &how, print_try,
			 &trying);
}

const struct command cmd_try = {
	.name = "try",
	.operands = "[REMEDY...] [FILE]",
	.summary = "predict what changes of placement, layout or machine gain",
	.details =
		"FILE is a record (.ms); without it the newest of the current folder is taken. Its accesses are simulated as they are, and once more with each remedy. Without a REMEDY"
		" those are tried that the simulation gives reason for: first-touch, interleave, replicate:ARRAY, close, spread, pad-rows:ARRAY, pad-elements:ARRAY, align:ARRAY, split:ARRAY, merge:ARRAY,"
		" huge-pages, machine:NAME.",
	.options = options,
	.run = run_try,
};
