/* SPDX-License-Identifier: Apache-2.0 */
/* `memsearch run`: starts a program with the tool in it, and tells when that did not work. */
#define _GNU_SOURCE /* getcwd that allocates */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/channel.h"
#include "analysis/base/log.h"
#include "analysis/base/thread_clock.h"
#include "analysis/cmds/attach.h"
#include "analysis/cmds/calibrate.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/earlier_records.h"
#include "analysis/cmds/environment.h"
#include "analysis/cmds/images.h"
#include "analysis/cmds/installation.h"
#include "analysis/cmds/launch.h"
#include "analysis/cmds/launch_elf.h"
#include "analysis/cmds/launch_runtime.h"
#include "analysis/cmds/perf_ready.h"
#include "analysis/cmds/run_checks.h"
#include "analysis/cmds/run_presets.h"
#include "analysis/cmds/show.h"
#include "analysis/cmds/simulate_record.h"
#include "analysis/machine/machines.h"
#include "analysis/options/options.h"
#include "analysis/report/arrays.h"
#include "analysis/report/text.h"
#include "analysis/search/strategies.h"

/* -- options: the tool's own, each of which becomes a variable of the program's environment */

/*
 * What was recorded is simulated at the end for twice the program's time, but for no less and no
 * longer than this.
 */
#define SIMULATING_LEAST_NS 4e9
#define SIMULATING_MOST_NS 12e9
#define SIMULATING_TIMES 2
#define NOTABLE_NS 1e9 /* of analysis, which is reported from there on */

struct run_values {
#define X(field, type, parser, name, metavariable, value, help) const char *field;
	OPTION_LIST(X)
#undef X
	const char *format, *history;
	bool deep, ci; /* run_presets.h */
};

#define TYPE_string COMMAND_CHECKED
#define TYPE_number COMMAND_CHECKED
#define TYPE_fraction COMMAND_CHECKED
#define TYPE_boolean COMMAND_CONSTANT
#define TYPE_list COMMAND_LIST_OF
#define META_string(word) word
#define META_number(word) word
#define META_fraction(word) word
#define META_boolean(word) NULL
#define META_list(word) word
#define INITIAL_string(word) word
#define INITIAL_number(word) word
#define INITIAL_fraction(word) word
#define INITIAL_boolean(word) NULL
#define INITIAL_list(word) word

static const struct command_option options[] = {
#define X(field, held, parser, option, word, value, text) \
	{ .name = option, \
	  .type = TYPE_##parser, \
	  .metavariable = META_##parser(word), \
	  .offset = offsetof(struct run_values, field), \
	  .help = text, \
	  .initial = INITIAL_##parser(value), \
	  .constant = "1", \
	  .check = run_check_option },
	OPTION_LIST(X)
#undef X
		{ .letter = 'o',
		  .name = NULL,
		  .type = COMMAND_STRING,
		  .metavariable = "FILE",
		  .offset = offsetof(struct run_values, output),
		  .help = "short for --output" },
	{ .name = "deep",
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct run_values, deep),
	  .help = "measure all that the search asks for, whatever it costs, and simulate all that was recorded, however long that takes (--overhead 1000% --trace-limit 4096)" },
	{ .name = "ci",
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct run_values, ci),
	  .help = "print counted and simulated numbers only, those of `memsearch arrays`; exit with 3 if the program succeeds and none of its accesses were recorded (--overhead 1000% --same-addresses --no-calibrate)" },
	{ .letter = 'q',
	  .name = NULL,
	  .type = COMMAND_CONSTANT,
	  .constant = "1",
	  .offset = offsetof(struct run_values, quiet),
	  .help = "short for --quiet" },
	{ .name = "history",
	  .type = COMMAND_LIST_OF,
	  .metavariable = "RECORD",
	  .offset = offsetof(struct run_values, history),
	  .help = "test first what was true in this earlier record of the same program, and last what was false; several: separated by commas or by further options" },
	COMMAND_FORMAT_ROWS(struct run_values),
	{ 0 }
};

/* -- one run and what belongs to it */

struct session {
	struct arena *arena;
	const struct run_values *values;
	char *const *argv;
	const char *start_folder;
	struct environment environment;
	/* argv[0], and the OpenMP program: that, or one that it starts */
	struct launch_file started, file;
	struct launch_runtime runtime; /* of `file` */
	/* one is started, or among the arguments before the OpenMP program */
	bool runs_script;
	struct channel channel;
	struct options options; /* of the command line and the environment */
	uint64_t restarts;
	const char *earlier; /* verdicts of the records of --history; NULL: none */
	bool same_addresses; /* what is simulated is the same in every run */
	/* where it cannot reach us, it prints its findings itself */
	bool tool_prints;
	bool counted; /* accesses of a run were recorded */
	bool talk;    /* progress and warnings: not beside JSON */
	int signal;   /* that killed the program, or 0 */
};

/* "sampling-rate" -> "MEMSEARCH_SAMPLING_RATE" */
static const char *variable_of(struct arena *arena, const char *name)
{
	char *variable = arena_printf(arena, "MEMSEARCH_%s", name);

	for (char *letter = variable; letter && *letter; letter++) {
		if (*letter == '-')
			*letter = '_';
		else if (*letter >= 'a' && *letter <= 'z')
			*letter = (char)(*letter - 'a' + 'A');
	}
	return variable ? variable : "MEMSEARCH__";
}

static void set_option(struct environment *environment, const char *name, const char *value)
{
	environment_set(environment, variable_of(environment->arena, name), value);
}

/* The same place for a program that has changed its folder meanwhile. */
static const char *absolute(const struct session *session, const char *path, size_t nr)
{
	bool relative = nr && *path != '/' && session->start_folder;

	return arena_printf(session->arena, "%s%s%.*s", relative ? session->start_folder : "",
			    relative ? "/" : "", (int)nr, path);
}

/* The same for several paths separated by colons. */
static const char *absolute_list(const struct session *session, const char *paths)
{
	const char *text = NULL;

	for (;;) {
		size_t nr = strcspn(paths, ":");
		const char *path = absolute(session, paths, nr);

		text = text && path ? arena_printf(session->arena, "%s:%s", text, path) : path;
		if (!paths[nr] || !text)
			return text;
		paths += nr + 1;
	}
}

static void note_start_folder(struct session *session)
{
	char *folder = getcwd(NULL, 0);

	session->start_folder = arena_strdup(session->arena, folder);
	free(folder);
}

/* What is in the environment already was said by the user, and what follows replaces it. */
static void set_preset(struct session *session, const char *preset)
{
	for (size_t i = 0; i < nr_run_preset_rows; i++) {
		const struct run_preset_row *row = &run_preset_rows[i];

		if (!strcmp(row->preset, preset) &&
		    !environment_get(&session->environment,
				     variable_of(session->arena, row->option)))
			set_option(&session->environment, row->option, row->value);
	}
}

static void set_options(struct session *session)
{
	const struct run_values *values = session->values;

	if (values->deep)
		set_preset(session, "deep");
	if (values->ci)
		set_preset(session, "ci");

#define X(field, type, parser, name, metavariable, initial, help) \
	if (values->field) \
		set_option(&session->environment, name, values->field);
	OPTION_LIST(X)
#undef X
}

/*
 * Of files named on the command line, once these have been checked by the names that the user
 * knows.
 */
static void set_paths(struct session *session)
{
	const struct run_values *values = session->values;

	if (values->output && *values->output)
		set_option(&session->environment, "output",
			   absolute(session, values->output, strlen(values->output)));
	if (values->properties)
		set_option(&session->environment, "properties",
			   absolute_list(session, values->properties));
	if (values->strategy && strategies_is_file(values->strategy))
		set_option(&session->environment, "strategy",
			   absolute(session, values->strategy, strlen(values->strategy)));
	if (values->machine && machines_is_path(values->machine))
		set_option(&session->environment, "machine",
			   absolute(session, values->machine, strlen(values->machine)));
}

/*
 * What the options and the environment say together, by the tool's own parser. COMMAND_GO_ON, or
 * the exit code after a message.
 */
static int read_options(const struct command *self, struct session *session)
{
	char *const nothing[] = { NULL };
	char error[160];

	options_from_environment(&session->options, nothing);
	for (unsigned int i = 0; i < nr_option_rows; i++) {
		const char *variable = variable_of(session->arena, option_rows[i].name);
		const char *value = environment_get(&session->environment, variable);

		if (value && !options_set(&session->options, option_rows[i].name, value, error))
			return command_usage(self, "%s: %s", variable, error);
	}
	return COMMAND_GO_ON;
}

/* Decides whether the tool in the program or `memsearch run` prints the findings. */
static void decide_printing(struct session *session)
{
	const struct options *said = &session->options;

	session->restarts = (uint64_t)said->restarts;
	session->tool_prints = !said->quiet && !session->values->format && !session->restarts &&
			       !session->values->ci;
	if (!session->tool_prints)
		set_option(&session->environment, "quiet", "1");
	session->talk = !said->quiet &&
			(!session->values->format || !strcmp(session->values->format, "text"));
	session->same_addresses = *said->machine || said->same_addresses;
}

/* -- what the tool tells us */

static bool pass_earlier(const struct session *session)
{
	struct channel_entry entry = { CHANNEL_ENTRY_MARK, 0, strlen(session->earlier) };
	char *bytes = arena_alloc(session->arena, sizeof(entry) + entry.bytes);

	errno = ENOMEM;
	if (!bytes)
		return false;
	memcpy(bytes, &entry, sizeof(entry));
	memcpy(bytes + sizeof(entry), session->earlier, entry.bytes);
	return channel_append(session->channel.files[CHANNEL_STATE], bytes,
			      sizeof(entry) + entry.bytes);
}

static bool make_channel(struct session *session)
{
	char text[CHANNEL_TEXT_BYTES];

	if (!channel_make(&session->channel, session->restarts > 0 || session->earlier)) {
		log_warning_errno("cannot make a file in memory");
		return false;
	}
	if (session->earlier && !pass_earlier(session))
		log_warning_errno("cannot keep the verdicts of earlier runs for the program");
	channel_text(&session->channel, text);
	environment_set(&session->environment, CHANNEL_VARIABLE, text);
	return true;
}

/* -- before the start */

static void set_tool(struct session *session, const char *tool)
{
	const char *others = environment_get(&session->environment, "OMP_TOOL_LIBRARIES");
	const char *switched = environment_get(&session->environment, "OMP_TOOL");

	if (switched && !strcmp(switched, "disabled"))
		log_warning(
			"OMP_TOOL=disabled is set: the OpenMP runtime will load no tool, nothing will be measured");
	if (others && *others && strcmp(others, tool) != 0)
		log_warning(
			"OMP_TOOL_LIBRARIES was set to '%s': these tools come after memsearch, and the runtime starts only one",
			others);
	environment_prepend(&session->environment, "OMP_TOOL_LIBRARIES", tool);
}

static bool can_preload(const struct session *session)
{
	return !launch_is_harmed_by_preload(&session->started) &&
	       !launch_refuses_preload(&session->file);
}

/*
 * Preloaded, the library sees allocations from the begin on. The program's children inherit it as
 * they do the tool, since the program may be one of them (a script, `timeout`, a static busybox,
 * which hands on what it does not load itself).
 */
static void set_preload(struct session *session, const char *tool)
{
	if (!can_preload(session))
		return;
	if (!launch_runtime_can_preload(tool))
		log_warning(
			"'%s' cannot be preloaded because of its name: allocations are seen from the OpenMP runtime's begin only",
			tool);
	else
		environment_prepend(&session->environment, "LD_PRELOAD", tool);
}

static bool loads_openmp(struct session *session, const struct launch_file *file,
			 struct launch_runtime *runtime_out)
{
	*runtime_out = (struct launch_runtime){ 0 };
	if (!file->elf || file->error)
		return false;
	launch_runtime_list(session->arena, file, &session->environment, runtime_out);
	return file->contains_libomp || file->contains_libgomp || runtime_out->libomp ||
	       runtime_out->libgomp || runtime_out->libiomp;
}

/* What is only an argument may be data, and its loader, which is asked by starting it, anything. */
static bool has_known_loader(struct session *session, const struct launch_file *file)
{
	return !file->loader || launch_runtime_same_file(file->loader, session->started.loader) ||
	       launch_runtime_is_own_loader(session->arena, file->loader);
}

/*
 * What is started may only start the program: numactl, taskset, nice, env, timeout, gdb --args …
 * have it among their arguments.
 */
static void examine_program(struct session *session)
{
	launch_examine(session->arena, session->argv[0], &session->started);
	session->file = session->started;
	session->runs_script = session->started.interpreter != NULL;
	if (session->started.error || loads_openmp(session, &session->started, &session->runtime))
		return;
	for (char *const *argument = session->argv + 1; *argument; argument++) {
		struct launch_runtime runtime;
		struct launch_file file;

		launch_examine(session->arena, *argument, &file);
		session->runs_script |= file.interpreter != NULL;
		if (!has_known_loader(session, &file) || !loads_openmp(session, &file, &runtime))
			continue;
		session->file = file;
		session->runtime = runtime;
		return;
	}
}

static bool keeps_libgomp(struct session *session, const char *producer)
{
	return !strcmp(session->options.runtime, "own") && can_preload(session) &&
	       launch_runtime_keep(session->arena, &session->file, producer, &session->runtime);
}

/*
 * What a script starts is not known: libmemsearch-gomp.so sends no events where there is no
 * libgomp.
 */
static bool may_start_gcc_program(const struct session *session, const char *producer)
{
	return session->runs_script && !strcmp(session->options.runtime, "own") && producer &&
	       !access(producer, R_OK);
}

static void choose_runtime(struct session *session)
{
	const char *producer = installation_path(session->arena, INSTALLATION_GOMP_TOOL);
	struct launch_runtime *runtime = &session->runtime;
	bool keeps = keeps_libgomp(session, producer);

	if ((keeps && runtime->swap == LAUNCH_SWAP_KEPT) ||
	    may_start_gcc_program(session, producer))
		set_preload(session, producer);
	if (keeps)
		return;
	launch_runtime_swap(session->arena, &session->file,
			    installation_path(session->arena, INSTALLATION_GOMP),
			    launch_runtime_look, &session->environment, runtime);
	if (runtime->swap == LAUNCH_SWAP_LINK || runtime->swap == LAUNCH_SWAP_PRELOAD)
		environment_set(&session->environment, OPTIONS_RUNTIME_SWAPPED, "1");
}

/* The program, and what it starts, get the environment that they would get without us. */
static bool runs_as_another(const struct launch_file *file)
{
	return file->set_id || file->capabilities;
}

static bool prepare(struct session *session)
{
	const char *tool = installation_path(session->arena, INSTALLATION_TOOL);

	if (!tool || access(tool, R_OK) != 0) {
		log_warning_errno("the tool is not where it belongs: cannot read '%s'",
				  tool ? tool : INSTALLATION_TOOL);
		return false;
	}
	if (!session->options.no_calibrate && strcmp(session->options.measure, "none") != 0)
		calibrate_before_run(session->arena, session->talk);
	examine_program(session);
	if (!make_channel(session))
		return false;
	if (runs_as_another(&session->file)) {
		environment_init(&session->environment, session->arena, environ);
		session->same_addresses = false;
		return true;
	}
	set_tool(session, tool);
	choose_runtime(session);
	set_preload(session, tool);
	return true;
}

/* -- after the end */

static void say_not_attached(struct session *session, struct launch_end end)
{
	struct attach_case about = { &session->file, &session->runtime, &session->environment,
				     end };
	struct attach_advice advice = attach_explain(&about);

	log_warning("nothing was measured: %s", advice.why);
	log_warning("what to do: %s", advice.what_to_do);
}

/* Times are left out: they differ from run to run. */
static void print_counts(struct text *out, const struct run *const *runs, size_t nr,
			 const struct session *session)
{
	const struct arrays_options arrays = { .brief = session->options.brief };

	arrays_format(session->values->format)(out, runs, nr, &arrays);
}

static void print_findings(struct session *session, struct run *runs, size_t nr)
{
	const struct run **list = arena_alloc(session->arena, (nr + 1) * sizeof(*list));
	struct report_options report;
	struct text out;

	for (size_t i = 0; list && i < nr; i++) {
		show_complete(session->arena, &runs[i],
			      *session->options.properties ? session->options.properties : NULL);
		list[i] = &runs[i];
	}
	if (!list || !nr)
		return;
	show_options(&report, STDERR_FILENO);
	report.brief = session->options.brief;
	text_init(&out, session->arena);
	if (session->values->ci)
		print_counts(&out, list, nr, session);
	else
		report_format(session->values->format ? session->values->format
						      : "text")(&out, list, nr, &report);
	log_text(out.bytes, out.length);
}

/* The record of a further run must not get the name of the first. */
static void name_record(struct session *session, uint64_t number)
{
	const char *output = environment_get(&session->environment, "MEMSEARCH_OUTPUT");
	const char *end = output && *output ? strrchr(output, '.') : NULL;
	size_t stem = output ? (end && !strcmp(end, ".ms") ? (size_t)(end - output)
							   : strlen(output))
			     : 0;

	if (stem)
		set_option(&session->environment, "output",
			   arena_printf(session->arena, "%.*s-%llu%s", (int)stem, output,
					(unsigned long long)number, output + stem));
}

/* The environment is complete. */
static struct launch_end launch_program(struct session *session, bool hidden)
{
	struct launch what = { .argv = session->argv,
			       .hidden = hidden,
			       .same_addresses = session->same_addresses };

	if (session->same_addresses)
		environment_fill_pages(&session->environment, session->argv,
				       session->started.path ? session->started.path
							     : session->argv[0],
				       OPTIONS_FILLING);
	what.environment = session->environment.variables;
	return launch(&what);
}

/* Runs it again, unseen, as long as that answers further questions. *run becomes the last run. */
static void run_again(struct session *session, struct run *run)
{
	const struct environment first = session->environment;

	for (uint64_t i = 1; i <= session->restarts && run->complete && run->restarts_would_help;
	     i++) {
		struct launch_end end;
		struct images images;

		environment_init(&session->environment, session->arena, first.variables);
		name_record(session, i + 1);
		if (ftruncate(session->channel.files[CHANNEL_ATTACHED], 0) != 0)
			return;
		if (session->talk)
			log_warning(
				"running '%s' once more for further experiments (%llu of at most %llu)",
				session->argv[0], (unsigned long long)i,
				(unsigned long long)session->restarts);
		end = launch_program(session, true);
		images_read(&images, session->arena, session->channel.files[CHANNEL_ATTACHED]);
		if (end.start_error || end.signal || !images.nr) {
			log_warning("that run %s; what was found before it stands",
				    end.signal ? "was killed" : "left no record");
			return;
		}
		*run = images.runs[images.nr - 1];
	}
}

/*
 * A reader of stderr that has gone, or a limit of file size that stderr has reached, must not cost
 * the user the program's exit status.
 */
static void outlive_readers(void)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL);
}

/*
 * What it accesses, on the machine that was named, or, as far as there is time for it, on this one;
 * and the rest of the search: part of what is printed.
 */
static void analyse(struct session *session, struct images *images, size_t which,
		    uint64_t deadline_ns)
{
	const struct options *said = &session->options;
	const char *machine = *said->machine ? said->machine : NULL;
	const struct show_how how = {
		.properties = *said->properties ? said->properties : NULL,
		.modelled = true,
		.findings = true,
		.machine = machine,
		.deadline_ns = machine || session->values->deep || session->values->ci
				       ? 0
				       : deadline_ns,
		.jobs = said->jobs > 0 ? (uint64_t)said->jobs : 0,
	};
	struct run *run = &images->runs[which];

	if (!session->options.quick && run->complete && !run->modelled.name)
		simulate_record(&cmd_run, session->arena, images->records[which], run, &how);
}

static double simulating_ns(const struct images *images)
{
	double program_ns = 0;

	for (size_t i = 0; i < images->nr; i++)
		program_ns = fmax(program_ns, images->runs[i].cost.program_wall_ns);
	return fmin(SIMULATING_MOST_NS, fmax(SIMULATING_LEAST_NS, SIMULATING_TIMES * program_ns));
}

static void name_records(struct session *session, const struct images *images, double analysis_ns)
{
	if (session->talk && !session->options.brief && analysis_ns > NOTABLE_NS)
		log_warning(
			"the analysis after the program's end took %.1f s (--quick leaves it out)",
			analysis_ns * 1e-9);
	for (size_t i = 0; session->talk && i < images->nr; i++)
		log_warning("%s is the record",
			    session->options.brief ? "RECORD" : images->records[i]);
}

/* A fault, which a tool inside of the program may have caused, not a signal of somebody's. */
static bool is_fault(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
	       signal == SIGTRAP || signal == SIGABRT;
}

static void say_incomplete(const struct session *session, const struct images *images, size_t which)
{
	if (images->nr > 1 || !session->signal)
		log_warning("%s", images_why_incomplete(session->arena, images, which));
	else
		log_warning(
			"the program was killed by signal %d (%s); this is what had been found by then%s",
			session->signal, strsignal(session->signal),
			is_fault(session->signal)
				? ". If it ends well without memsearch, --quick runs its code as it is"
				: "");
}

/* Those that reached no launcher have printed theirs, if they ended well. */
static void print_all(struct session *session, struct images *images)
{
	uint64_t begin_ns = thread_clock_ns(),
		 deadline_ns = begin_ns + (uint64_t)simulating_ns(images);
	double analysis_ns;
	size_t nr = 0;

	for (size_t i = 0; i < images->nr; i++) {
		if (session->talk && !images->runs[i].complete)
			say_incomplete(session, images, i);
		if (images->printed && session->tool_prints && images->runs[i].complete)
			continue;
		analyse(session, images, i, deadline_ns);
		images->records[nr] = images->records[i];
		images->runs[nr++] = images->runs[i];
	}
	images->nr = nr;
	analysis_ns = (double)(thread_clock_ns() - begin_ns);
	print_findings(session, images->runs, images->nr);
	name_records(session, images, analysis_ns);
}

static uint64_t realtime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static bool has_counts(const struct images *images)
{
	for (size_t i = 0; i < images->nr; i++)
		if (images->runs[i].nr_accesses)
			return true;
	return false;
}

static void after_end(struct session *session, struct launch_end end, uint64_t since_ns)
{
	struct images images;

	session->signal = end.signal;
	images_read(&images, session->arena, session->channel.files[CHANNEL_ATTACHED]);
	if (images.nr && session->restarts)
		run_again(session, &images.runs[images.nr - 1]);
	else if (!images.attached && !images.failed && end.process)
		images_find(&images, session->arena,
			    environment_get(&session->environment, "MEMSEARCH_OUTPUT"),
			    session->start_folder ? session->start_folder : ".", end.process,
			    since_ns);
	outlive_readers(); /* not before: what runs again must start as the first did */
	if (!images.attached && !images.failed)
		say_not_attached(session, end);
	else if (!session->options.quiet)
		print_all(session, &images);
	session->counted = has_counts(&images);
}

/* A gate must not take a run without counts for one without misses. */
static int exit_code(const struct session *session, struct launch_end end)
{
	if (!session->values->ci || end.exit_code || session->counted)
		return end.exit_code;
	log_warning(
		"--ci: nothing was recorded: no access of the program was counted; `memsearch doctor PROGRAM` says why");
	return COMMAND_BAD_DATA;
}

/* As it would start without memsearch, whose variables do not fit into its environment. */
static struct launch_end launch_unmeasured(struct session *session)
{
	struct launch_end end;

	environment_init(&session->environment, session->arena, environ);
	session->same_addresses = false;
	end = launch_program(session, false);
	if (!end.start_error)
		log_warning(
			"nothing was measured: the program's arguments and environment leave no room for memsearch's variables");
	return end;
}

static void say_not_started(const struct session *session, int error)
{
	const char *name = session->argv[0], *here = arena_printf(session->arena, "./%s", name);

	errno = error;
	if (error == ENOENT && here && !strchr(name, '/') && access(here, X_OK) == 0)
		log_warning("cannot start '%s': it is not in PATH; did you mean '%s'?", name, here);
	else
		log_warning_errno("cannot start '%s'", name);
}

static int start(struct session *session)
{
	uint64_t since_ns = realtime_ns();
	struct launch_end end = launch_program(session, false);
	bool unmeasured = end.start_error == E2BIG;

	if (unmeasured)
		end = launch_unmeasured(session);
	if (end.start_error) {
		say_not_started(session, end.start_error);
	} else if (!unmeasured) {
		after_end(session, end, since_ns);
	}
	return exit_code(session, end);
}

/* COMMAND_GO_ON, or the exit code after a message. */
static int take_options(const struct command *self, struct session *session)
{
	int code;

	environment_init(&session->environment, session->arena, environ);
	note_start_folder(session);
	set_options(session);
	code = read_options(self, session);
	if (code == COMMAND_GO_ON)
		code = run_checks(self, session->arena, &session->options);
	set_paths(session);
	decide_printing(session);
	return code;
}

static int read_history(const struct command *self, struct session *session)
{
	return session->values->history
		       ? earlier_records_read(self, session->arena, session->values->history,
					      session->argv[0], &session->earlier)
		       : COMMAND_GO_ON;
}

static int run_program(const struct command *self, int argc, char **argv)
{
	struct run_values values = { 0 };
	struct session session = { .values = &values, .channel.files = { -1, -1 } };
	int nr, code = command_parse(self, &values, argc, argv, &nr);

	if (code != COMMAND_GO_ON)
		return code;
	if (!nr)
		return command_usage(self, "no program to run");
	if (values.deep && values.ci)
		return command_usage(self, "--deep and --ci exclude each other");
	session.argv = argv;
	session.arena = arena_new();
	if (!session.arena)
		return LAUNCH_CANNOT_START;
	code = take_options(self, &session);
	if (code == COMMAND_GO_ON)
		code = read_history(self, &session);
	if (code == COMMAND_GO_ON)
		perf_ready_begin(strcmp(session.options.counters, "none") != 0);
	if (code == COMMAND_GO_ON)
		code = prepare(&session) ? start(&session) : LAUNCH_CANNOT_START;
	channel_close(&session.channel);
	arena_free(session.arena);
	return code;
}

const struct command cmd_run = {
	.name = "run",
	.operands = "[--] PROGRAM [ARGUMENTS]",
	.summary = "run a program, search for what slows it down, and print the findings",
	.details =
		"The findings and one progress line go to stderr, the program keeps its stdin and stdout. Every option --x-y V "
		"but --deep, --ci, --history and --format can be given as MEMSEARCH_X_Y=V in the environment. The exit status is the program's, 128 + n if signal n killed it, "
		"126 or 127 if it could not be started, 2 if it was not started because an option is wrong; with --ci 3 instead of 0 if nothing was recorded.",
	.options = options,
	.stop_at_operand = true,
	.run = run_program,
};
