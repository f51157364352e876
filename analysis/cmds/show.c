/* SPDX-License-Identifier: Apache-2.0 */
/* Loads runs and completes what a killed program could not. */
#define _GNU_SOURCE /* secure_getenv */
#include "analysis/cmds/show.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/base/thread_clock.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/installation.h"
#include "analysis/cmds/simulate_record.h"
#include "analysis/machine/machines.h"
#include "analysis/properties/property.h"
#include "analysis/record/record.h"
#include "analysis/report/array_names.h"
#include "analysis/report/explain.h"
#include "analysis/report/resolve.h"
#include "analysis/report/text.h"
#include "analysis/store/store.h"
#include "memsearch/host.h"

#define ANALYSIS_NS 12000000000ull /* as after a run, where no machine is named */

int show_load(const struct command *command, struct arena *arena, int nr_operands,
	      char *const *operands, struct show_file *out)
{
	if (nr_operands > 1)
		return command_usage(command, "one file at a time: '%s' is too much", operands[1]);
	out->path = nr_operands ? operands[0] : store_newest(arena);
	if (!out->path) {
		log_warning(
			"there is no .ms or .db file in this folder; `memsearch run -- ./program` makes one");
		return COMMAND_BAD_DATA;
	}
	if (store_load(arena, out->path, &out->runs, &out->nr_runs) != MS_OK)
		return COMMAND_BAD_DATA;
	if (!out->nr_runs) {
		log_warning("there is no run in '%s'", out->path);
		return COMMAND_BAD_DATA;
	}
	return COMMAND_GO_ON;
}

/* Stores keep the main phase of each run. */
static int choose_phase_of_store(const struct show_file *file, uint64_t phase)
{
	if (phase && phase != run_phase_here(file->runs) && (phase != 1 || file->runs->nr_phases)) {
		log_warning("'%s' is a store, which has the main phase of each run: name a record",
			    file->path);
		return COMMAND_BAD_DATA;
	}
	for (size_t i = 0; i < file->nr_runs; i++)
		file->runs[i].nr_phases = 0;
	return COMMAND_GO_ON;
}

/* Replaces the results of the main phase by those of phase number `phase`. */
static int choose_phase(struct arena *arena, const struct show_file *file, uint64_t phase)
{
	struct run *run = file->runs;
	size_t nr = run->nr_phases;
	enum ms_status status;

	if (!record_is(file->path))
		return choose_phase_of_store(file, phase);
	if (!phase || phase == run_phase_here(run) || (phase == 1 && !nr))
		return COMMAND_GO_ON;
	status = phase <= nr ? record_read_phase(arena, file->path, (uint32_t)phase, run)
			     : MS_ERR_NOT_FOUND;
	if (status == MS_ERR_NOT_FOUND && phase > nr)
		log_warning("'%s' has %zu phase%s with results: --phase %llu is none of them",
			    file->path, nr ? nr : 1, nr > 1 ? "s" : "", (unsigned long long)phase);
	else if (status == MS_ERR_NOT_FOUND)
		log_warning("'%s' has no results of phase %llu: it was cut off, measure again",
			    file->path, (unsigned long long)phase);
	return status == MS_OK ? COMMAND_GO_ON : COMMAND_BAD_DATA;
}

static bool needs_lines(const struct run *run)
{
	for (size_t i = 0; i < run->nr_regions; i++)
		if (!run->regions[i].resolved)
			return true;
	for (size_t i = 0; i < run->nr_touches; i++)
		if (!run->touches[i].source.function)
			return true;
	return false;
}

static bool needs_texts(const struct run *run)
{
	for (size_t i = 0; i < run->nr_nodes; i++)
		if (run->nodes[i].state == MS_NODE_TRUE && !run->nodes[i].explanation)
			return true;
	return false;
}

void show_complete(struct arena *arena, struct run *run, const char *properties)
{
	bool resolved = needs_lines(run);
	const char *folder = installation_path(arena, INSTALLATION_PROPERTIES);
	struct property_set *set;

	if (resolved)
		resolve_run(run, arena);
	if ((!resolved && !needs_texts(run)) || !folder)
		return;
	set = property_set_load(arena, folder, properties);
	if (set)
		explain(run, arena, set);
}

/* As in programs: options.c. */
static bool is_yes(const char *variable)
{
	static const char *const no[] = { "", "0", "no", "off", "false" };
	const char *value = secure_getenv(variable);

	for (size_t i = 0; value && i < sizeof(no) / sizeof(no[0]); i++)
		if (!strcmp(value, no[i]))
			return false;
	return value;
}

bool show_is_brief(void)
{
	return is_yes("MEMSEARCH_BRIEF");
}

bool show_is_quick(void)
{
	return is_yes("MEMSEARCH_QUICK");
}

void show_options(struct report_options *options, int fd)
{
	const char *no_colour = secure_getenv("NO_COLOR"), *terminal = secure_getenv("TERM");

	report_options_init(options);
	options->colour = isatty(fd) && !(no_colour && *no_colour) &&
			  !(terminal && !strcmp(terminal, "dumb"));
	options->brief = show_is_brief();
}

/* The runs of all files. */
struct shown_runs {
	const struct run **list;
	size_t nr, room;
};

static int add_runs(struct arena *arena, const struct show_file *file, const struct show_how *how,
		    struct shown_runs *shown)
{
	for (size_t i = 0; i < file->nr_runs; i++) {
		if (!ARENA_GROW(arena, shown->list, shown->nr, shown->room))
			return COMMAND_BAD_DATA;
		show_complete(arena, &file->runs[i], how->properties);
		shown->list[shown->nr++] = &file->runs[i];
	}
	return COMMAND_GO_ON;
}

static int add_file(const struct command *command, struct arena *arena, int nr_operands,
		    char *const *operands, const struct show_how *how, struct shown_runs *shown)
{
	struct show_file file;
	int code = show_load(command, arena, nr_operands, operands, &file);

	if (code == COMMAND_GO_ON)
		code = choose_phase(arena, &file, how->phase);
	if (code == COMMAND_GO_ON && how->modelled)
		code = simulate_record(command, arena, file.path, file.runs, how);
	return code == COMMAND_GO_ON ? add_runs(arena, &file, how, shown) : code;
}

static int print_runs(struct arena *arena, const struct shown_runs *shown, show_print *print,
		      const void *values)
{
	struct text out;

	text_init(&out, arena);
	print(&out, shown->list, shown->nr, values);
	return command_print(&out);
}

const char *show_machine(const struct show_how *how)
{
	return how->machine || (!how->places && !how->pages && !how->ranges && !how->huge_pages &&
				!how->real_addresses)
		       ? how->machine
		       : MACHINES_HOST;
}

void show_as_after_run(struct show_how *how)
{
	how->machine = show_machine(how);
	how->modelled = how->machine || !show_is_quick();
	how->findings = true;
	how->deadline_ns = how->machine ? 0 : thread_clock_ns() + ANALYSIS_NS;
}

int show_unknown_array(const struct command *command, struct arena *arena, const struct run *run,
		       const char *name)
{
	const char **names = arena_alloc(arena, (run->nr_arrays + 1) * sizeof(*names));

	for (uint32_t i = 0; names && i < run->nr_arrays; i++)
		names[i] = arrays_name(arena, run, &run->arrays[i]);
	return command_unknown(command, "array", name, names, names ? run->nr_arrays : 0);
}

int show_runs(const struct command *command, int nr_operands, char *const *operands,
	      const struct show_how *how, show_print *print, const void *values)
{
	struct arena *arena = arena_new();
	struct shown_runs shown = { 0 };
	int nr_files = how->several && nr_operands > 1 ? nr_operands : 1, code = COMMAND_GO_ON;

	if (!arena)
		return COMMAND_BAD_DATA;
	for (int i = 0; i < nr_files && code == COMMAND_GO_ON; i++)
		code = add_file(command, arena, nr_files > 1 ? 1 : nr_operands, operands + i, how,
				&shown);
	if (code == COMMAND_GO_ON)
		code = print_runs(arena, &shown, print, values);
	arena_free(arena);
	return code;
}
