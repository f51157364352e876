/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memsearch sweep`: runs a program with several numbers of threads and other settings, and
 * collects the runs in one store.
 */
#define _GNU_SOURCE /* secure_getenv */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/base/log.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/launch.h"
#include "analysis/cmds/launch_elf.h"
#include "analysis/cmds/list_machines.h"
#include "analysis/cmds/run_checks.h"
#include "analysis/cmds/sweep_run.h"
#include "analysis/cmds/sweep_table.h"
#include "analysis/machine/machines.h"
#include "analysis/machine/model_host.h"
#include "analysis/machine/model_text.h"
#include "analysis/options/options.h"
#include "analysis/report/text.h"
#include "analysis/simulation/jobs.h"
#include "analysis/store/store.h"
#include "analysis/sweep/argument_sets.h"

/*
 * Options of `memsearch run` that make sense for many runs: X(field, name, metavariable, type,
 * help).
 */
/* clang-format off */
#define HANDED_ON_LIST(X) \
	X(overhead, "overhead", "LIMIT", COMMAND_CHECKED, "let measuring cost at most this share of a run's time (default: 5%, and 100% where a program takes less than 2 s)") \
	X(strategy, "strategy", "NAME", COMMAND_CHECKED, "search strategy, see `memsearch list strategies`") \
	X(properties, "properties", "FILES", COMMAND_CHECKED, "more property files or folders, separated by colons") \
	X(counters, "counters", "HOW", COMMAND_CHECKED, "hardware counters: perf, papi, auto or none") \
	X(event, "event", "NAME", COMMAND_LIST_OF, "also count this event in every region; up to 8, separated by commas or by further options") \
	X(follow, "follow", "LIBRARY", COMMAND_LIST_OF, "also record accesses of code in this library; up to 8, separated by commas or by further options") \
	X(trace_limit, "trace-limit", "MIB", COMMAND_CHECKED, "keep at most MIB MiB of recorded accesses of each run while it is simulated") \
	X(same_addresses, "same-addresses", NULL, COMMAND_CONSTANT, "start programs without address randomisation, so that every run of a configuration simulates the same addresses") \
	X(no_bursts, "no-bursts", NULL, COMMAND_CONSTANT, "record accesses only after a repeating phase is found") \
	X(runtime, "runtime", "WHICH", COMMAND_CHECKED, "OpenMP runtime of gcc and gfortran programs: own or libomp")
/* clang-format on */

struct sweep_values {
	const char *threads, *environment, *argument_sets, *binaries, *machines, *output, *format;
#define X(field, name, metavariable, type, text) const char *field;
	HANDED_ON_LIST(X)
#undef X
	uint64_t repeat, jobs;
	bool online, no_calibrate, show_output, dry_run;
};

#define REPEAT 5
#define REPEAT_ONLINE 1
#define REPEAT_NOT_SAID UINT64_MAX
#define COMPARED "3" /* rows of each list of the comparison at the end */

static const struct command_option options[] = {
	{ .name = "threads",
	  .letter = 't',
	  .type = COMMAND_LIST_OF,
	  .metavariable = "N[,N...]",
	  .offset = offsetof(struct sweep_values, threads),
	  .help = "numbers of threads to run with (OMP_NUM_THREADS)" },
	{ .name = "repeat",
	  .letter = 'n',
	  .type = COMMAND_UNSIGNED,
	  .metavariable = "N",
	  .offset = offsetof(struct sweep_values, repeat),
	  .help = "run each configuration N times (default: 5, which times need to differ provably; with --online 1)" },
	{ .name = "online",
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct sweep_values, online),
	  .help = "vary the number of threads within one run, between steps of the program; its output must be that of runs without memsearch; nothing is simulated" },
	{ .name = "env",
	  .letter = 'e',
	  .type = COMMAND_LINES_OF,
	  .metavariable = "NAME=VALUE[,VALUE...]",
	  .offset = offsetof(struct sweep_values, environment),
	  .help = "run with each of these values of an environment variable; may be given more than once; a comma in a value is \\," },
	{ .name = "arg-set",
	  .type = COMMAND_STRING,
	  .metavariable = "FILE",
	  .offset = offsetof(struct sweep_values, argument_sets),
	  .help = "run with the arguments of each line of FILE, behind those of the command line" },
	{ .name = "binary",
	  .type = COMMAND_LIST_OF,
	  .metavariable = "PROGRAM[,PROGRAM...]",
	  .offset = offsetof(struct sweep_values, binaries),
	  .help = "run each of these in the place of PROGRAM" },
	{ .name = "machine",
	  .type = COMMAND_LIST_OF,
	  .metavariable = "NAME[,NAME...]",
	  .offset = offsetof(struct sweep_values, machines),
	  .help = "simulate each run on these machines: names of `memsearch machine --list`, files, host, or none (default: host)" },
	{ .name = "output",
	  .letter = 'o',
	  .type = COMMAND_STRING,
	  .metavariable = "STORE",
	  .offset = offsetof(struct sweep_values, output),
	  .help = "the store to put the runs into; what it has of this sweep is not run again (default: memsearch-sweep-PROGRAM.db)" },
#define X(field, label, word, kind, text) \
	{ .name = label, \
	  .type = kind, \
	  .metavariable = word, \
	  .offset = offsetof(struct sweep_values, field), \
	  .constant = "1", \
	  .help = text, \
	  .check = run_check_option },
	HANDED_ON_LIST(X)
#undef X
		{ .name = "jobs",
		  .type = COMMAND_UNSIGNED,
		  .metavariable = "N",
		  .offset = offsetof(struct sweep_values, jobs),
		  .help = "simulate with N threads; the results are the same with any number (default: one for each CPU)" },
	{ .name = "no-calibrate",
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct sweep_values, no_calibrate),
	  .help = "do not measure bandwidth and latency of memory before the program is run (2 seconds, if counters need them and none are stored)" },
	{ .name = "show-output",
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct sweep_values, show_output),
	  .help = "let the programs print, on stderr; without it only the last lines of failed runs are shown" },
	{ .name = "dry-run",
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct sweep_values, dry_run),
	  .help = "print the runs in their order, and which of them the store has, and run nothing" },
	COMMAND_FORMAT_ROWS(struct sweep_values),
	{ 0 }
};

/* ------------------------------------------------------------------ what is to be run */

static const char *read_variables(struct arena *arena, struct sweep_plan *plan, const char *lines)
{
	const char *wrong = NULL;

	while (lines && !wrong) {
		size_t nr = strcspn(lines, "\n");
		const char *line = arena_strndup(arena, lines, nr);

		wrong = line ? plan_variable(arena, plan, line) : "out of memory";
		lines = lines[nr] ? lines + nr + 1 : NULL;
	}
	return wrong;
}

static const char *read_arguments(struct arena *arena, struct sweep_plan *plan, const char *path,
				  int nr, char *const *operands)
{
	char *const *words = operands + (nr ? 1 : 0);
	size_t nr_words = nr ? (size_t)nr - 1 : 0;

	return path ? arguments_read(arena, plan, path, words, nr_words)
		    : arguments_of(arena, plan, words, nr_words);
}

/* What is handed on, as "--name=value". False: no memory. */
static bool read_handed_on(struct sweep *sweep, struct sweep_plan *plan,
			   const struct sweep_values *values)
{
	/* each number of threads has its executions measured alike, in everything */
	static const char *const online[] = { "--measure=all", "--no-bursts", "--trace-limit=0" };
	struct sweep_list list = { 0 };

#define X(field, name, metavariable, type, text) \
	if (values->field) { \
		if (!ARENA_GROW(sweep->arena, list.items, list.nr, list.room)) \
			return false; \
		list.items[list.nr++] = (type) == COMMAND_CONSTANT \
						? "--" name \
						: arena_printf(sweep->arena, "--" name "=%s", \
							       values->field); \
	}
	HANDED_ON_LIST(X)
#undef X
	plan->options = plan->online ? "--online" : "";
	for (size_t i = 0; i < list.nr && plan->options; i++)
		plan->options = arena_printf(sweep->arena, "%s%s%s", plan->options,
					     *plan->options ? " " : "", list.items[i]);
	for (size_t i = 0; plan->online && i < sizeof(online) / sizeof(*online); i++) {
		if (!ARENA_GROW(sweep->arena, list.items, list.nr, list.room))
			return false;
		list.items[list.nr++] = online[i];
	}
	sweep->options = list.items;
	sweep->nr_options = list.nr;
	return plan->options;
}

/* One usage error at a time, as `option: wrong`. */
static int refuse(const struct command *self, const char *option, const char *wrong)
{
	return wrong ? command_usage(self, "%s: %s", option, wrong) : COMMAND_GO_ON;
}

/* Options that need recorded accesses have no effect without them. */
static const char *check_online(struct arena *arena, const struct sweep_plan *plan,
				const struct sweep_values *values)
{
	const char *option = NULL;

	if (values->machines && strcmp(values->machines, SWEEP_NO_MACHINE) != 0)
		option = "--machine";
	else if (values->trace_limit)
		option = "--trace-limit";
	else if (values->follow)
		option = "--follow";
	if (plan->online && option)
		return arena_printf(
			arena,
			"accesses are not recorded, as they need runs of their own: leave out %s",
			option);
	return plan_check_online(arena, plan);
}

/* False: it is not possible. */
static bool read_repetitions(struct sweep_plan *plan, uint64_t repeat)
{
	if (repeat == REPEAT_NOT_SAID)
		repeat = plan->online ? REPEAT_ONLINE : REPEAT;
	plan->repetitions = (uint32_t)repeat;
	return repeat && repeat <= SWEEP_REPETITIONS_MOST;
}

static int read_machines(struct sweep *sweep, struct sweep_plan *plan, const char *machines)
{
	const char *usual = plan->online ? SWEEP_NO_MACHINE : MACHINES_HOST;

	return refuse(
		sweep->command, "--machine",
		plan_list(sweep->arena, &plan->machines, "machine", machines ? machines : usual));
}

static int read_plan(struct sweep *sweep, struct sweep_plan *plan,
		     const struct sweep_values *values, int nr, char *const *operands)
{
	const struct command *self = sweep->command;
	struct arena *arena = sweep->arena;
	int code = COMMAND_GO_ON;

	if (!nr)
		return command_usage(self, "no program to run");
	if (!values->threads)
		return command_usage(self, "no --threads given, such as --threads 1,2,4");
	plan->online = values->online;
	if (!read_repetitions(plan, values->repeat))
		return command_usage(self, "--repeat: a number from 1 to %d is needed",
				     SWEEP_REPETITIONS_MOST);
	if (code == COMMAND_GO_ON)
		code = refuse(self, "--threads", plan_threads(arena, plan, values->threads));
	if (code == COMMAND_GO_ON)
		code = refuse(self, "--env", read_variables(arena, plan, values->environment));
	if (code == COMMAND_GO_ON)
		code = refuse(self, "--arg-set",
			      read_arguments(arena, plan, values->argument_sets, nr, operands));
	if (code == COMMAND_GO_ON)
		code = refuse(self, "--binary",
			      plan_list(arena, &plan->binaries, "program",
					values->binaries ? values->binaries : operands[0]));
	if (code == COMMAND_GO_ON)
		code = read_machines(sweep, plan, values->machines);
	if (code == COMMAND_GO_ON)
		code = refuse(self, "--online", check_online(arena, plan, values));
	if (code == COMMAND_GO_ON)
		code = refuse(self, "sweep", plan_check_size(arena, plan));
	return code == COMMAND_GO_ON && !read_handed_on(sweep, plan, values) ? COMMAND_BAD_DATA
									     : code;
}

/* ------------------------------------------------------------------ whether it can be */

/* By the checks of `memsearch run`. */
static int check_options(struct sweep *sweep, const struct sweep_values *values)
{
	char *const nothing[] = { NULL };
	struct options said;
	char error[160];

	options_from_environment(&said, nothing);
#define X(field, name, metavariable, type, text) \
	if (values->field && !options_set(&said, name, values->field, error)) \
		return command_usage(sweep->command, "--" name ": %s", error);
	HANDED_ON_LIST(X)
#undef X
	return run_checks(sweep->command, sweep->arena, &said);
}

static int model_of(const struct sweep *sweep, const char *name, const struct model_file **out)
{
	const char *path;

	if (!strcmp(name, MACHINES_HOST))
		*out = model_host(sweep->arena);
	else if (machines_find(sweep->command, sweep->arena, name, &path) != COMMAND_OK)
		return COMMAND_USAGE;
	else
		*out = model_read(sweep->arena, path);
	if (!*out)
		return COMMAND_BAD_DATA;
	return model_tell_mistakes(sweep->arena, *out) ? COMMAND_USAGE : COMMAND_GO_ON;
}

static int check_machine(const struct sweep *sweep, const char *name)
{
	uint32_t threads = sweep->plan->threads[plan_most_threads(sweep->plan)];
	const struct model_file *file;
	int code;

	if (!strcmp(name, SWEEP_NO_MACHINE))
		return sweep->plan->machines.nr == 1
			       ? COMMAND_GO_ON
			       : command_usage(sweep->command, "--machine: '%s' stands alone",
					       name);
	code = model_of(sweep, name, &file);
	if (code != COMMAND_GO_ON || file->model.cores >= threads)
		return code;
	return command_usage(
		sweep->command,
		"--machine: '%s' has %u core%s for up to %u threads: name a machine with as many (`memsearch machine --list`), or %s",
		name, file->model.cores, file->model.cores == 1 ? "" : "s", threads,
		SWEEP_NO_MACHINE);
}

/* As a shell reports it. */
static int check_program(const struct sweep *sweep, const char *name)
{
	struct launch_file file;

	launch_examine(sweep->arena, name, &file);
	if (!file.error)
		return COMMAND_GO_ON;
	errno = file.error;
	log_warning_errno("cannot start '%s'", name);
	return file.error == ENOENT ? LAUNCH_NOT_FOUND : LAUNCH_CANNOT_START;
}

static int check_all(struct sweep *sweep, const struct sweep_values *values)
{
	int code = check_options(sweep, values);

	for (size_t i = 0; i < sweep->plan->machines.nr && code == COMMAND_GO_ON; i++)
		code = check_machine(sweep, sweep->plan->machines.items[i]);
	for (size_t i = 0; i < sweep->plan->binaries.nr && code == COMMAND_GO_ON; i++)
		code = check_program(sweep, sweep->plan->binaries.items[i]);
	return code;
}

/* ------------------------------------------------------------------ what the store has */

/* Runs of other programs compare with none of this sweep. */
static int check_stored(const struct sweep *sweep, const struct run *run)
{
	const char *binary = run_setting(run, SETTING_BINARY);

	binary = binary ? binary : run->program;
	for (size_t i = 0; i < sweep->plan->binaries.nr; i++)
		if (!strcmp(sweep->plan->binaries.items[i], binary))
			return COMMAND_GO_ON;
	return command_usage(sweep->command,
			     "--output: '%s' has runs of '%s': name another store for '%s'",
			     sweep->store_path, binary, sweep->plan->binaries.items[0]);
}

static int add_stored(struct sweep *sweep, int64_t id)
{
	struct arena *arena = arena_new();
	struct run run;
	int code = COMMAND_BAD_DATA;

	if (arena && store_read(sweep->store, arena, id, &run) == MS_OK)
		code = check_stored(sweep, &run);
	if (code == COMMAND_GO_ON && !results_add(&sweep->results, &run))
		code = COMMAND_BAD_DATA;
	arena_free(arena);
	return code;
}

static int read_store(struct sweep *sweep)
{
	int64_t *ids;
	size_t nr;
	int code = COMMAND_GO_ON;

	if (store_runs(sweep->store, sweep->arena, &ids, &nr) != MS_OK)
		return COMMAND_BAD_DATA;
	for (size_t i = 0; i < nr && code == COMMAND_GO_ON; i++)
		code = add_stored(sweep, ids[i]);
	return code;
}

/* A dry run makes no store. */
static int open_store(struct sweep *sweep, const struct sweep_values *values)
{
	const char *program = base_name(sweep->plan->binaries.items[0]);
	enum ms_status status;

	sweep->store_path = values->output
				    ? values->output
				    : arena_printf(sweep->arena, "memsearch-sweep-%s.db", program);
	if (!sweep->store_path || !results_init(&sweep->results, sweep->arena, sweep->plan))
		return COMMAND_BAD_DATA;
	if (values->dry_run && access(sweep->store_path, F_OK))
		return COMMAND_GO_ON;
	status = store_open(sweep->store_path, !values->dry_run, &sweep->store);
	if (status != MS_OK)
		return status == MS_ERR_MEMORY ? COMMAND_BAD_DATA : COMMAND_USAGE;
	return read_store(sweep);
}

/* ------------------------------------------------------------------ the whole */

static void say_oversubscribed(const struct sweep *sweep)
{
	const struct sweep_plan *plan = sweep->plan;
	const char *list = "";
	size_t nr = 0;

	for (size_t i = 0; i < plan->nr_threads && list; i++)
		if (plan->threads[i] > sweep->cpus)
			list = arena_printf(sweep->arena, "%s%s%u", list, nr++ ? ", " : "",
					    plan->threads[i]);
	if (nr && list)
		log_warning(
			"this machine has %u CPU%s for %s threads: scaling statements rest on counted and simulated values only, never on times",
			sweep->cpus, sweep->cpus == 1 ? "" : "s", list);
}

static int print(struct sweep *sweep, const struct sweep_values *values)
{
	struct text out;

	text_init(&out, sweep->arena);
	if (values->dry_run)
		sweep_table_steps(&out, &sweep->results, values->format);
	else
		sweep_table_results(&out, &sweep->results, sweep->cpus, values->format);
	if (!values->dry_run && values->format[0] == 't')
		text_printf(
			&out,
			"\nmemsearch diff %s compares the runs        memsearch report %s prints the findings of each\n\n",
			sweep->store_path, sweep->store_path);
	return command_print(&out);
}

/* One setting varies: the sides of a comparison are clear. */
static bool is_comparable(const struct sweep_plan *plan)
{
	size_t varies = (plan->nr_threads > 1) + (plan->nr_arguments > 1) +
			(plan->binaries.nr > 1) + (plan->machines.nr > 1);

	for (size_t i = 0; i < plan->nr_variables; i++)
		varies += plan->variables[i].values.nr > 1;
	return varies == 1;
}

/* The differential profile, shortened. */
static int print_comparison(const struct sweep *sweep)
{
	char diff[] = "diff", most[] = "--most=" COMPARED,
	     *path = arena_strdup(sweep->arena, sweep->store_path);
	char *words[] = { diff, most, path, NULL };

	return path ? cmd_diff.run(&cmd_diff, 3, words) : COMMAND_BAD_DATA;
}

static int run_all(struct sweep *sweep, const struct sweep_values *values)
{
	int code = check_all(sweep, values), printed;

	if (code == COMMAND_GO_ON)
		code = open_store(sweep, values);
	if (code != COMMAND_GO_ON)
		return code;
	say_oversubscribed(sweep);
	code = values->dry_run ? COMMAND_OK : sweep_run(sweep);
	printed = print(sweep, values);
	if (code == COMMAND_OK && printed == COMMAND_OK && !values->dry_run &&
	    values->format[0] == 't' && is_comparable(sweep->plan))
		printed = print_comparison(sweep);
	return code == COMMAND_OK ? printed : code;
}

static int run_sweep(const struct command *self, int argc, char **argv)
{
	struct sweep_values values = { .repeat = REPEAT_NOT_SAID, .format = "text" };
	struct sweep_plan plan = { 0 };
	struct sweep sweep = { .command = self, .plan = &plan, .cpus = jobs_of(0) };
	int nr, code = command_parse(self, &values, argc, argv, &nr);

	if (code != COMMAND_GO_ON)
		return code;
	sweep.arena = arena_new();
	if (!sweep.arena)
		return COMMAND_BAD_DATA;
	sweep.properties = values.properties;
	sweep.jobs = values.jobs;
	sweep.calibrate = !values.no_calibrate;
	sweep.show_output = values.show_output;
	sweep.choose_overhead = !values.overhead && !secure_getenv("MEMSEARCH_OVERHEAD");
	code = read_plan(&sweep, &plan, &values, nr, argv);
	if (code == COMMAND_GO_ON)
		code = run_all(&sweep, &values);
	store_close(sweep.store);
	arena_free(sweep.arena);
	return code;
}

const struct command cmd_sweep = {
	.name = "sweep",
	.operands = "[--] PROGRAM [ARGUMENTS]",
	.summary = "run a program with several numbers of threads, and collect the runs",
	.details =
		"Every combination of threads, values of --env, argument sets and programs is run without memsearch once and with it --repeat times, forward and "
		"backward in turn after a warm-up. Each record is simulated on each machine, and put into the store at once: a sweep that was "
		"interrupted continues where it was when the same command is given again. Where one setting varies, its least and its largest value are compared at the end, "
		"as `memsearch diff` does. With --online one run has all numbers of threads, in turn between its steps. The programs' output is dropped, and their input is empty. "
		"The exit status is 126 or 127 if a program cannot be started.",
	.options = options,
	.stop_at_operand = true,
	.run = run_sweep,
};
