/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the configurations of a sweep and puts their records, simulated, into its store. */
#define _GNU_SOURCE /* environ */
#include "analysis/cmds/sweep_run.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/base/suffix.h"
#include "analysis/cmds/calibrate.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/environment.h"
#include "analysis/cmds/record_trace.h"
#include "analysis/cmds/launch.h"
#include "analysis/cmds/show.h"
#include "analysis/cmds/simulate_record.h"
#include "analysis/cmds/stored_causes.h"
#include "analysis/cmds/sweep_child.h"
#include "analysis/cmds/sweep_online.h"
#include "analysis/cmds/sweep_progress.h"
#include "analysis/options/options.h"
#include "analysis/record/record.h"
#include "analysis/simulation/result_cache.h"
#include "analysis/store/store.h"
#include "analysis/trace/trace_reader.h"

/* the budget of shorter programs is too small to record accesses (docs/search.md): they get … */
#define SHORT_NS 2e9
#define SHORT_OVERHEAD "100%" /* … this limit */
#define FULL_BYTES (1 << 20)  /* a disk with less room than this is full */
#define LINES_SHOWN 6         /* of a failed run's output */

struct runner {
	struct sweep *sweep;
	struct sweep_progress progress;
	const char *self;            /* this program */
	const char *folder, *record; /* where the record of one run is while it is needed */
	bool *is_short;              /* by matrix_group */
	/* by configuration: the program does not end with status 0 */
	bool *failed;
	/* by configuration, of --online: files of the output of runs without memsearch; -1: none */
	int (*alone)[2];
	bool stop; /* nothing can be stored any more */
	int code;
};

/* one run of a program */
struct turn {
	struct arena *arena;
	const struct matrix_step *step;
	struct matrix_configuration of;
	const char *words;
	bool checked; /* it was said that its threads are not those asked for */
	int output;   /* of --online: a file; -1: none */
	struct sweep_child_end end;
};

/* ------------------------------------------------------------------ what failed */

static void fail(struct runner *runner, const struct turn *turn, const char *why)
{
	sweep_progress_erase(&runner->progress);
	log_warning("%s: %s", turn->words, why);
	runner->code = COMMAND_BAD_DATA;
}

/* The last lines of its output. */
static void show_output(struct turn *turn)
{
	char *text = turn->end.output, *end = text + turn->end.output_bytes;
	int lines = 0;

	while (end > text && end[-1] == '\n')
		*--end = '\0';
	while (end > text && lines < LINES_SHOWN)
		lines += *--end == '\n';
	for (char *line = end + (*end == '\n'), *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (*line)
			log_warning("    %s", line);
	}
}

static bool disk_is_full(const char *folder)
{
	struct statvfs room;

	return !statvfs(folder, &room) &&
	       (double)room.f_bavail * (double)room.f_frsize < FULL_BYTES;
}

static void stop_storing(struct runner *runner)
{
	log_warning(
		"the sweep ends here; what '%s' has stays: the same command runs what is missing",
		runner->sweep->store_path);
	runner->stop = true;
	runner->code = COMMAND_BAD_DATA;
}

/* ------------------------------------------------------------------ records of runs */

/*
 * Scripts may start several programs, each with a record. `record_out`: the only one; NULL: there
 * is none, or there are several.
 */
static size_t find_records(struct runner *runner, struct arena *arena, const char **record_out)
{
	DIR *folder = opendir(runner->folder);
	struct dirent *entry;
	size_t nr = 0;

	*record_out = NULL;
	while (folder && (entry = readdir(folder)))
		if (has_suffix(entry->d_name, ".ms")) {
			*record_out = nr++ ? NULL
					   : arena_printf(arena, "%s/%s", runner->folder,
							  entry->d_name);
		}
	if (folder)
		closedir(folder);
	return nr;
}

static void empty_folder(const struct runner *runner)
{
	DIR *folder = opendir(runner->folder);
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
}

static bool make_folder(struct runner *runner)
{
	struct arena *arena = runner->sweep->arena;

	runner->folder = arena_printf(arena, "%s.running-%ld", runner->sweep->store_path,
				      (long)getpid());
	runner->record = arena_printf(arena, "%s/run.ms", runner->folder);
	if (runner->folder && !mkdir(runner->folder, 0700))
		return true;
	log_warning_errno("cannot make the folder '%s'", runner->folder ? runner->folder : "");
	return false;
}

/* ------------------------------------------------------------------ one program */

static char *const *words_of(struct runner *runner, const struct turn *turn)
{
	static const char *const before[] = { "run", "--quick", "--quiet", "--no-calibrate",
					      "--output" };
	const struct sweep *sweep = runner->sweep;
	size_t nr_before = sizeof(before) / sizeof(before[0]), nr = 0;
	const struct sweep_list *arguments = &turn->of.arguments->words;
	const char **words = arena_alloc(
		turn->arena, (nr_before + sweep->nr_options + arguments->nr + 8) * sizeof(*words));
	bool profiled = turn->step->kind == MATRIX_PROFILED;

	if (words && profiled) {
		words[nr++] = runner->self;
		for (size_t i = 0; i < nr_before; i++)
			words[nr++] = before[i];
		words[nr++] = runner->record;
		for (size_t i = 0; i < sweep->nr_options; i++)
			words[nr++] = sweep->options[i];
		if (runner->is_short[matrix_group(sweep->plan, turn->of.number)])
			words[nr++] = "--overhead=" SHORT_OVERHEAD;
		words[nr++] = "--";
	}
	if (words)
		words[nr++] = turn->of.binary;
	for (size_t i = 0; words && i < arguments->nr; i++)
		words[nr++] = arguments->items[i];
	return (char *const *)words;
}

static char *const *environment_of(struct runner *runner, const struct turn *turn)
{
	const struct sweep_plan *plan = runner->sweep->plan;
	struct environment environment;

	environment_init(&environment, turn->arena, environ);
	environment_set(&environment, "OMP_NUM_THREADS",
			arena_printf(turn->arena, "%u", turn->of.threads));
	if (plan->online && turn->step->kind == MATRIX_PROFILED)
		environment_set(&environment, OPTIONS_VARIED_THREADS,
				sweep_online_counts(turn->arena, plan));
	for (size_t i = 0; i < plan->nr_variables; i++)
		environment_set(&environment, plan->variables[i].name, turn->of.values[i]);
	return environment.variables;
}

/* Does not return when the sweep is interrupted. */
static void run_child(struct runner *runner, struct turn *turn)
{
	struct sweep_child child = { words_of(runner, turn), environment_of(runner, turn),
				     runner->sweep->show_output, turn->output };

	turn->end = (struct sweep_child_end){ .exit_code = LAUNCH_CANNOT_START };
	if (child.argv && child.environment)
		sweep_child_run(&child, &turn->end);
	if (turn->output >= 0 && runner->sweep->show_output)
		sweep_online_show(turn->output);
	else if (turn->output >= 0 && turn->end.exit_code && !turn->end.output_bytes) {
		sweep_online_end_of(turn->output, turn->end.output, sizeof(turn->end.output));
		turn->end.output_bytes = strlen(turn->end.output);
	}
	if (!turn->end.interrupted)
		return;
	empty_folder(runner);
	sweep_child_stop(turn->end.interrupted);
}

/* What a program that does not end with status 0 means; it has, where it ran without memsearch. */
static const char *then_of(const struct runner *runner, const struct turn *turn)
{
	if (turn->step->kind == MATRIX_WARM_UP)
		return "";
	return runner->sweep->plan->online && turn->step->kind == MATRIX_PROFILED
		       ? ", and 0 without memsearch: it depends on the number of threads, and nothing of it is stored; sweep without --online"
		       : "; its other runs are left out";
}

/* True: it ended with status 0. */
static bool run_program(struct runner *runner, struct turn *turn)
{
	const char *then = then_of(runner, turn);
	int code;

	sweep_progress_run(&runner->progress, turn->words);
	if (runner->sweep->plan->online) {
		turn->output = sweep_online_file(turn->arena, runner->folder);
		if (turn->output < 0) {
			runner->code = COMMAND_BAD_DATA;
			return false;
		}
	}
	run_child(runner, turn);
	code = turn->end.exit_code;
	if (!code)
		return true;
	fail(runner, turn,
	     code > LAUNCH_SIGNAL_BASE ? arena_printf(turn->arena, "killed by signal %d%s",
						      code - LAUNCH_SIGNAL_BASE, then)
				       : arena_printf(turn->arena, "exit status %d%s", code, then));
	show_output(turn);
	return false;
}

/* ------------------------------------------------------------------ its record */

/* The program may set the number of threads itself. Said once a run. */
static void check_threads(struct runner *runner, struct turn *turn, const struct run *run)
{
	if (turn->checked || run->threads == turn->of.threads)
		return;
	turn->checked = true;
	sweep_progress_erase(&runner->progress);
	log_warning(
		"%s: its largest team has %u threads: the program, OMP_DYNAMIC or OMP_THREAD_LIMIT decides otherwise",
		turn->words, run->threads);
}

static bool read_run(struct runner *runner, struct turn *turn, struct arena *arena,
		     const char *record, struct run *run)
{
	uint64_t ignored;

	if (record_read(arena, record, run, &ignored) != MS_OK) {
		fail(runner, turn, "its record cannot be read");
		return false;
	}
	if (!run->complete)
		fail(runner, turn, "its record is cut off");
	else
		check_threads(runner, turn, run);
	return run->complete;
}

static bool has_accesses(struct arena *arena, const char *record, const struct run *run)
{
	struct trace_reader *reader;
	bool some = trace_of_record(arena, record, run, &reader) == COMMAND_GO_ON &&
		    trace_reader_executions(reader);

	trace_reader_free(reader);
	return some;
}

static bool add_settings(const struct runner *runner, const struct turn *turn, struct arena *arena,
			 const char *machine, struct run *run)
{
	const struct sweep *sweep = runner->sweep;
	struct settings settings;

	if (!settings_of(arena, sweep->plan, &turn->of, turn->step->repetition, machine,
			 sweep->cpus, &settings))
		return false;
	run->settings = settings.items;
	run->nr_settings = settings.nr;
	run->room_settings = settings.room;
	/* the wall time of a run with several numbers of threads is of none of them */
	run->sweep = (struct run_sweep){ sweep->results.unprofiled_ns[turn->of.number],
					 sweep->plan->online ? 0 : turn->end.wall_ns,
					 turn->step->position };
	return true;
}

static void store_run(struct runner *runner, struct arena *arena, const struct run *run)
{
	struct sweep *sweep = runner->sweep;
	struct store_causes causes;

	if (!stored_causes(arena, run, &causes) ||
	    store_add(sweep->store, run, &causes, NULL) != MS_OK)
		stop_storing(runner);
	else if (!results_add(&sweep->results, run))
		runner->code = COMMAND_BAD_DATA;
}

/* On one machine. Each starts from the record, as a simulation fills in the run. */
static void simulate_and_store(struct runner *runner, struct turn *turn, const char *record,
			       const char *machine)
{
	const struct sweep *sweep = runner->sweep;
	struct show_how how = { .properties = sweep->properties,
				.modelled = true,
				.machine = machine,
				.findings = true,
				.jobs = sweep->jobs };
	bool simulated = strcmp(machine, SWEEP_NO_MACHINE) != 0;
	struct arena *arena = arena_new();
	struct run run;

	if (!arena || !read_run(runner, turn, arena, record, &run))
		runner->code = COMMAND_BAD_DATA;
	else if (simulated && !has_accesses(arena, record, &run))
		fail(runner, turn,
		     arena_printf(
			     arena,
			     "no accesses were recorded that machine '%s' could run: try --overhead=300%%; `memsearch list sensors` says what can be recorded here",
			     machine));
	else if (simulated &&
		 simulate_record(sweep->command, arena, record, &run, &how) != COMMAND_GO_ON)
		fail(runner, turn,
		     arena_printf(arena, "was not simulated on machine '%s'", machine));
	else if (!add_settings(runner, turn, arena, machine, &run))
		fail(runner, turn, "out of memory");
	else {
		show_complete(arena, &run, sweep->properties);
		store_run(runner, arena, &run);
	}
	arena_free(arena);
}

/* NULL: after a message. */
static const char *only_record(struct runner *runner, struct turn *turn)
{
	const char *record;
	size_t nr = find_records(runner, turn->arena, &record);

	if (record)
		return record;
	fail(runner, turn,
	     nr ? "several OpenMP programs ran in it, each with a record: a sweep is of one"
		: "left no record");
	show_output(turn);
	return NULL;
}

static void use_record(struct runner *runner, struct turn *turn)
{
	const struct sweep *sweep = runner->sweep;
	const char *record = only_record(runner, turn);

	if (!record)
		return;
	for (size_t i = 0; i < sweep->plan->machines.nr && !runner->stop; i++)
		if (!results_has(&sweep->results, turn->of.number, turn->step->repetition, i))
			simulate_and_store(runner, turn, record, sweep->plan->machines.items[i]);
}

/* ------------------------------------------------------------------ records of one run */

/* The tool has varied the threads, and has measured each number of them. */
static bool check_varied(struct runner *runner, struct turn *turn, const char *record)
{
	const struct sweep_plan *plan = runner->sweep->plan;
	struct run run;

	for (size_t i = 0; i < plan->nr_threads; i++) {
		const char *path = sweep_online_record(turn->arena, record, plan->threads[i]);

		if (path && !access(path, R_OK))
			continue;
		if (read_run(runner, turn, turn->arena, record, &run))
			fail(runner, turn,
			     arena_printf(
				     turn->arena, "%s; sweep without --online",
				     run.phase.note
					     ? run.phase.note
					     : "the records of the numbers of threads are missing"));
		return false;
	}
	return true;
}

/* Its result is that of the runs alone. */
static bool check_result(struct runner *runner, struct turn *turn)
{
	struct outputs_difference found = sweep_online_compare(
		turn->arena, runner->alone[turn->of.number], turn->output);

	if (found.wrong) {
		fail(runner, turn,
		     arena_printf(
			     turn->arena,
			     "its output depends on the number of threads: %s; nothing of it is stored; sweep without --online",
			     found.wrong));
		return false;
	}
	sweep_progress_erase(&runner->progress);
	if (found.unsteady)
		log_warning(
			"%s: words or lines of the output that differ in two runs without memsearch were not compared: %zu",
			turn->words, found.unsteady);
	if (found.rounding > 0)
		log_warning(
			"%s: numbers of the output differ by at most %.1g of their value from those of the run without memsearch, as by rounding",
			turn->words, found.rounding);
	return true;
}

static void use_online(struct runner *runner, struct turn *turn)
{
	const struct sweep *sweep = runner->sweep;
	struct matrix_range range = matrix_measured(sweep->plan, turn->of.number);
	const char *record = only_record(runner, turn);

	if (!record || !check_varied(runner, turn, record) || !check_result(runner, turn))
		return;
	for (size_t i = range.first; i < range.end && !runner->stop; i++) {
		turn->of = matrix_configuration(turn->arena, sweep->plan, i);
		if (!results_has(&sweep->results, i, turn->step->repetition, 0))
			simulate_and_store(
				runner, turn,
				sweep_online_record(turn->arena, record, turn->of.threads),
				sweep->plan->machines.items[0]);
	}
}

/* ------------------------------------------------------------------ steps */

static void warm_up(struct runner *runner, struct turn *turn)
{
	size_t group = matrix_group(runner->sweep->plan, turn->of.number);

	bool ran = run_program(runner, turn);

	runner->alone[turn->of.number][0] = turn->output;
	if (!ran || runner->sweep->plan->online || !runner->sweep->choose_overhead ||
	    turn->end.wall_ns >= SHORT_NS)
		return;
	runner->is_short[group] = true;
	sweep_progress_erase(&runner->progress);
	log_warning(
		"%s takes less than %.0f s: its runs get --overhead=%s, so that there is time to record accesses",
		turn->of.binary, SHORT_NS / 1e9, SHORT_OVERHEAD);
}

static void run_unprofiled(struct runner *runner, struct turn *turn)
{
	if (run_program(runner, turn))
		runner->sweep->results.unprofiled_ns[turn->of.number] = turn->end.wall_ns;
	else
		runner->failed[turn->of.number] = true;
	runner->alone[turn->of.number][1] = turn->output;
}

static void run_profiled(struct runner *runner, struct turn *turn)
{
	if (!run_program(runner, turn))
		runner->failed[turn->of.number] = true;
	else if (runner->sweep->plan->online)
		use_online(runner, turn);
	else
		use_record(runner, turn);
	if (turn->output >= 0)
		close(turn->output);
	if (runner->code != COMMAND_OK && !runner->stop && disk_is_full(runner->folder)) {
		sweep_progress_erase(&runner->progress);
		log_warning("there is no room left for '%s' and the records of runs",
			    runner->sweep->store_path);
		stop_storing(runner);
	}
	empty_folder(runner);
}

static const char *step_words(const struct runner *runner, struct turn *turn)
{
	const char *words = settings_words(turn->arena, runner->sweep->plan, &turn->of);

	if (turn->step->kind == MATRIX_WARM_UP)
		return arena_printf(turn->arena, "warm-up of %s%s%s, not stored", turn->of.binary,
				    *turn->of.arguments->text ? " " : "", turn->of.arguments->text);
	if (turn->step->kind == MATRIX_UNPROFILED)
		return arena_printf(turn->arena, "%s, without memsearch", words);
	if (runner->sweep->plan->online)
		words = settings_words_online(turn->arena, runner->sweep->plan, &turn->of);
	return arena_printf(turn->arena, "%s, repetition %u", words, turn->step->repetition);
}

static void take_step(struct runner *runner, const struct matrix_step *step)
{
	static void (*const kinds[])(struct runner *runner, struct turn *turn) = {
		[MATRIX_WARM_UP] = warm_up,
		[MATRIX_UNPROFILED] = run_unprofiled,
		[MATRIX_PROFILED] = run_profiled,
	};
	struct turn *turn;
	struct arena *arena = arena_new();

	turn = arena ? arena_alloc(arena, sizeof(*turn)) : NULL;
	if (!turn || runner->failed[step->configuration]) {
		runner->code = COMMAND_BAD_DATA;
		runner->progress.all--;
	} else {
		*turn = (struct turn){ .arena = arena,
				       .step = step,
				       .output = -1,
				       .of = matrix_configuration(arena, runner->sweep->plan,
								  step->configuration) };
		turn->words = step_words(runner, turn);
		kinds[step->kind](runner, turn);
		sweep_progress_ran(&runner->progress, turn->words, turn->end.wall_ns);
	}
	arena_free(arena);
}

/* Those that have something to do, at the begin of `steps`. */
static size_t choose_steps(const struct sweep *sweep, struct matrix_step *steps, size_t nr)
{
	size_t chosen = 0;

	for (size_t i = 0; i < nr; i++)
		if (results_need(&sweep->results, &steps[i]))
			steps[chosen++] = steps[i];
	return chosen;
}

/* Names of all files that a run leaves in the folder, up to NULL. NULL: no memory. */
static const char *const *files_of_run(const struct runner *runner)
{
	const struct sweep_plan *plan = runner->sweep->plan;
	struct arena *arena = runner->sweep->arena;
	size_t nr = 0;
	const char **files = arena_alloc(arena, (plan->nr_threads + 3) * sizeof(*files));

	if (!files)
		return NULL;
	files[nr++] = runner->record;
	files[nr++] = arena_printf(arena, "%s" RESULTS_SUFFIX, runner->record);
	for (size_t i = 0; plan->online && i < plan->nr_threads; i++)
		files[nr++] = sweep_online_record(arena, runner->record, plan->threads[i]);
	return files;
}

static bool begin_tables(struct runner *runner)
{
	const struct sweep_plan *plan = runner->sweep->plan;
	struct arena *arena = runner->sweep->arena;
	size_t size = (size_t)matrix_size(plan);

	runner->is_short = arena_alloc(arena, matrix_groups(plan) * sizeof(*runner->is_short));
	runner->failed = arena_alloc(arena, size * sizeof(*runner->failed));
	runner->alone = arena_alloc(arena, size * sizeof(*runner->alone));
	for (size_t i = 0; runner->alone && i < size; i++)
		runner->alone[i][0] = runner->alone[i][1] = -1;
	return runner->is_short && runner->failed && runner->alone;
}

static bool begin(struct runner *runner)
{
	const char *const *files;
	const struct sweep *sweep = runner->sweep;
	struct arena *arena = sweep->arena;
	char *self = realpath("/proc/self/exe", NULL);
	const char *words = arena_printf(
		arena,
		"memsearch: interrupted; what '%s' has stays: the same command runs what is missing\n",
		sweep->store_path);

	runner->self = arena_strdup(arena, self);
	free(self);
	if (!runner->self || !words || !begin_tables(runner) || !make_folder(runner))
		return false;
	files = files_of_run(runner);
	if (!files)
		return false;
	sweep_child_catch(runner->folder, files, words);
	if (sweep->calibrate)
		calibrate_before_run(arena, true);
	return true;
}

int sweep_run(struct sweep *sweep)
{
	struct runner runner = { .sweep = sweep, .code = COMMAND_OK };
	size_t nr = 0;
	struct matrix_step *steps = matrix_steps(sweep->arena, sweep->plan, &nr);

	nr = steps ? choose_steps(sweep, steps, nr) : 0;
	if (steps && !nr)
		log_warning("'%s' has all runs of this sweep: nothing is run", sweep->store_path);
	if (!nr)
		return steps ? COMMAND_OK : COMMAND_BAD_DATA;
	if (!begin(&runner))
		return COMMAND_BAD_DATA;
	sweep_progress_begin(&runner.progress, nr);
	for (size_t i = 0; i < nr && !runner.stop; i++)
		take_step(&runner, &steps[i]);
	sweep_progress_erase(&runner.progress);
	rmdir(runner.folder);
	return runner.code;
}
