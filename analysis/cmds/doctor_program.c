/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks at a program without running it: which OpenMP runtime it will find, whether the tool can
 * get in, whether it has lines.
 */
#include "analysis/cmds/doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/environment.h"
#include "analysis/cmds/installation.h"
#include "analysis/cmds/launch_elf.h"
#include "analysis/cmds/launch_runtime.h"
#include "analysis/cmds/setups.h"
#include "analysis/debuginfo/source.h"

extern char **environ;

struct examined {
	const char *typed; /* as the user named it: for commands */
	struct launch_file file, library;
	struct launch_runtime runtime;
	bool has_library, no_lines, asked, separate_loader;
	/*
	 * folder of a libomp that has the interface for tools; NULL: none, or it is the one in use
	 */
	const char *better_libomp;
};

/* -- reading */

static bool wants_libomp(const struct environment *environment)
{
	const char *runtime = environment_get(environment, "MEMSEARCH_RUNTIME");

	return runtime && !strcmp(runtime, "libomp");
}

/* What `memsearch run` would do. */
static void find_runtime(struct arena *arena, struct examined *program)
{
	struct environment environment;

	if (!program->file.elf || program->file.foreign || program->file.set_id ||
	    program->file.is_static)
		return;
	/*
	 * The loader is asked by starting it, so only the one that loaded this very program is; a
	 * file may name any.
	 */
	program->separate_loader = !launch_runtime_is_own_loader(arena, program->file.loader);
	if (program->separate_loader)
		return;
	environment_init(&environment, arena, environ);
	launch_runtime_look(arena, &program->file, &environment, true, &program->runtime);
	if (wants_libomp(&environment) ||
	    !launch_runtime_keep(arena, &program->file,
				 installation_path(arena, INSTALLATION_GOMP_TOOL),
				 &program->runtime))
		launch_runtime_swap(arena, &program->file,
				    installation_path(arena, INSTALLATION_GOMP),
				    launch_runtime_look, &environment, &program->runtime);
	program->asked = true;
}

static void read_library(struct arena *arena, struct examined *program)
{
	const char *path = program->runtime.libomp    ? program->runtime.libomp
			   : program->runtime.libgomp ? NULL
						      : program->runtime.libiomp;

	program->has_library = path && launch_read(arena, path, &program->library) &&
			       program->library.elf;
}

static void find_better_libomp(struct arena *arena, struct examined *program)
{
	struct environment environment;
	struct launch_file better;
	const char *path, *slash;

	environment_init(&environment, arena, environ);
	path = launch_runtime_find(arena, &environment,
				   installation_path(arena, INSTALLATION_GOMP));
	slash = path ? strrchr(path, '/') : NULL;
	if (!slash || !launch_read(arena, path, &better) || !better.has_tools)
		return;
	if (!program->has_library || !launch_runtime_same_file(path, program->library.path))
		program->better_libomp = arena_strndup(arena, path, (size_t)(slash - path));
}

/* COMMAND_OK, or COMMAND_BAD_DATA after a message. */
static int read_program(struct arena *arena, const char *typed, struct examined *program)
{
	struct launch_file found;

	*program = (struct examined){ .typed = typed };
	launch_examine(arena, typed, &found);
	if (!found.path || !launch_read(arena, found.path, &program->file)) {
		errno = found.path ? errno : found.error;
		log_warning_errno("cannot read the program '%s'", typed);
		return COMMAND_BAD_DATA;
	}
	program->file.error = found.error;
	if (program->file.damaged) {
		log_warning(
			"the program '%s' is damaged: its headers speak of bytes that are not there",
			typed);
		return COMMAND_BAD_DATA;
	}
	if (!program->file.elf && !program->file.interpreter) {
		log_warning(
			"'%s' is no program: neither an ELF file nor a script that begins with #!",
			typed);
		return COMMAND_BAD_DATA;
	}
	find_runtime(arena, program);
	read_library(arena, program);
	find_better_libomp(arena, program);
	program->no_lines = program->file.elf &&
			    sources_has_lines(program->file.path) == MS_ERR_NOT_FOUND;
	return COMMAND_OK;
}

/* -- telling */

static const char *kind_of(struct arena *arena, const struct launch_file *file)
{
	if (!file->elf)
		return arena_printf(arena, "a script for %s", file->interpreter);
	return arena_printf(arena, "an ELF file for %s%s", file->machine,
			    file->is_static && !file->foreign ? ", linked statically" : "");
}

static const char *list_of(struct arena *arena, const struct launch_file *file)
{
	const char *list = NULL;

	for (size_t i = 0; i < file->nr_needed; i++)
		list = list ? arena_printf(arena, "%s %s", list, file->needed[i]) : file->needed[i];
	return list;
}

static const char *lines_text(const struct examined *program)
{
	if (!program->file.elf || program->file.foreign)
		return NULL;
	return program->no_lines ? NULL : "debug lines are there";
}

static void add_runtime(struct doctor *doctor, const struct examined *program)
{
	if (program->runtime.swap == LAUNCH_SWAP_KEPT)
		doctor_add_fact(doctor, DOCTOR_PROGRAM, "OpenMP runtime",
				arena_printf(doctor->arena, "%s, events by libmemsearch-gomp.so",
					     program->runtime.libgomp));
	else if (program->runtime.libgomp)
		doctor_add_fact(doctor, DOCTOR_PROGRAM, "built for", program->runtime.libgomp);
	if (program->has_library)
		doctor_add_fact(doctor, DOCTOR_PROGRAM, "OpenMP runtime",
				doctor_runtime_text(doctor->arena, &program->library));
	if (program->runtime.swap == LAUNCH_SWAP_REFUSED && program->runtime.first_missing)
		doctor_add(
			doctor,
			&(struct doctor_row){
				.topic = DOCTOR_PROGRAM,
				.state = DOCTOR_FAILS,
				.name = "missing functions",
				.text = arena_printf(
					doctor->arena,
					"libomp lacks '%s' of libgomp's, which the program names (%zu in all)",
					program->runtime.first_missing,
					program->runtime.nr_missing) });
	if (program->separate_loader)
		doctor_add(
			doctor,
			&(struct doctor_row){
				.topic = DOCTOR_PROGRAM,
				.state = DOCTOR_UNKNOWN,
				.name = "loader",
				.text = arena_printf(
					doctor->arena,
					"its loader, '%s', is not this system's own, and was not asked what it loads",
					program->file.loader) });
}

static void add_rows(struct doctor *doctor, const struct examined *program)
{
	if (program->file.error == EACCES)
		doctor_add(doctor, &(struct doctor_row){ .topic = DOCTOR_PROGRAM,
							 .state = DOCTOR_FAILS,
							 .name = "permission",
							 .text = "the file may not be executed",
							 .command = setup_command(
								 doctor->arena, "chmod +x PROGRAM",
								 program->typed, NULL) });
	doctor_add_fact(doctor, DOCTOR_PROGRAM, "file", kind_of(doctor->arena, &program->file));
	add_runtime(doctor, program);
	doctor_add_fact(doctor, DOCTOR_PROGRAM, "libraries",
			list_of(doctor->arena, &program->file));
	doctor_add_fact(doctor, DOCTOR_PROGRAM, "DT_RPATH", program->file.rpath);
	doctor_add_fact(doctor, DOCTOR_PROGRAM, "DT_RUNPATH", program->file.runpath);
	doctor_add_fact(doctor, DOCTOR_PROGRAM, "lines", lines_text(program));
}

/* The first row of a state; NULL: none. */
static const struct doctor_row *first_in(const struct doctor *doctor, enum doctor_state state)
{
	for (size_t i = 0; i < doctor->nr; i++)
		if (doctor->rows[i].state == state)
			return &doctor->rows[i];
	return NULL;
}

static bool works_bare(const struct setup_case *about)
{
	for (size_t i = 0; i < nr_setups; i++)
		if (setups[i].bare == SETUP_NO && setups[i].applies && setups[i].applies(about))
			return false;
	return true;
}

static void answer(struct doctor *doctor, const struct examined *program,
		   const struct setup_case *about)
{
	bool kept = program->runtime.swap == LAUNCH_SWAP_KEPT;
	const char *tool = installation_path(doctor->arena,
					     kept ? INSTALLATION_GOMP_TOOL : INSTALLATION_TOOL),
		   *typed = program->typed;
	const struct doctor_row *refused = first_in(doctor, DOCTOR_FAILS);
	bool bare = works_bare(about);

	if (refused) {
		doctor->answer = arena_printf(doctor->arena, "%s cannot be measured as it is.",
					      typed);
		return;
	}
	doctor->answer = arena_printf(doctor->arena,
				      first_in(doctor, DOCTOR_UNKNOWN)
					      ? "%s can be measured, as far as is known.%s"
					      : "%s can be measured%s",
				      typed,
				      first_in(doctor, DOCTOR_UNKNOWN) ? ""
				      : bare                           ? "."
					     : ", by `memsearch run` only.");
	doctor->commands[0] = setup_command(doctor->arena, "memsearch run -- PROGRAM", typed, NULL);
	/* two runtimes take two variables */
	if (bare && tool && !(kept && program->runtime.libomp))
		doctor->commands[1] = setup_command(doctor->arena,
						    kept ? "LD_PRELOAD=LIBOMP PROGRAM"
							 : "OMP_TOOL_LIBRARIES=LIBOMP PROGRAM",
						    typed, tool);
}

int doctor_look_at_program(struct doctor *doctor, const char *typed)
{
	struct examined program;
	struct setup_case about = { .file = &program.file, .runtime = &program.runtime };
	int code = read_program(doctor->arena, typed, &program);

	if (code != COMMAND_OK)
		return code;
	about.library = program.has_library ? &program.library : NULL;
	about.no_lines = program.no_lines;
	about.not_asked = !program.asked;
	doctor->subject = "program";
	add_rows(doctor, &program);
	doctor_add_setups(doctor, &about, typed, program.better_libomp);
	answer(doctor, &program, &about);
	return COMMAND_OK;
}
