/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out which OpenMP runtime a program loads, and puts libomp in libgomp's place. */
#define _GNU_SOURCE /* memmem */
#include "analysis/cmds/launch_runtime.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/hash.h"
#include "analysis/base/own_folder.h"
#include "analysis/cmds/program_output.h"

/* Debian's name and LLVM's own; both are the same library. */
static const char *const libomp_names[] = { "libomp.so.5", "libomp.so" };
#define NR_LIBOMP_NAMES (sizeof(libomp_names) / sizeof(*libomp_names))

static bool begins(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* -- what the loader says */

/*
 * "\tlibgomp.so.1 => /lib/libgomp.so.1 (0x7f…)": the path, if the line is about a library whose
 * name begins so.
 */
static const char *path_in_line(struct arena *arena, const char *line, size_t nr, const char *name)
{
	const char *arrow = memmem(line, nr, " => ", 4), *line_end = line + nr, *end = line_end,
		   *path, *next;

	line += strspn(line, "\t ");
	if (!arrow || !begins(line, name))
		return NULL;
	path = arrow + 4;
	/* the last: a path may have blanks */
	for (const char *at = path; (next = memmem(at, (size_t)(line_end - at), " (0x", 4));
	     at = next + 1)
		end = next;
	return begins(path, "not found") ? NULL : arena_strndup(arena, path, (size_t)(end - path));
}

/* A name of an OpenMP runtime that was looked for in vain. */
static const char *missing_in_line(struct arena *arena, const char *line, size_t nr)
{
	static const char *const complaints[] = { "undefined symbol: ", "version `" };
	static const char *const prefixes[] = { "GOMP_", "OMP_", "GOACC_",
						"OACC_", "omp_", "__kmpc_" };

	for (size_t i = 0; i < sizeof(complaints) / sizeof(*complaints); i++) {
		const char *found = memmem(line, nr, complaints[i], strlen(complaints[i]));
		const char *name = found ? found + strlen(complaints[i]) : "";

		for (size_t j = 0; j < sizeof(prefixes) / sizeof(*prefixes); j++)
			if (begins(name, prefixes[j]))
				return arena_strndup(arena, name, strcspn(name, " \t'\n,"));
	}
	return NULL;
}

static void read_line(struct arena *arena, const char *line, size_t nr,
		      struct launch_runtime *runtime)
{
	const char *missing = missing_in_line(arena, line, nr);
	const char *path;

	if ((path = path_in_line(arena, line, nr, "libomp.so")))
		runtime->libomp = path;
	else if ((path = path_in_line(arena, line, nr, LAUNCH_RUNTIME_LINK)))
		runtime->libgomp = path,
		runtime->libgomp_first = !runtime->libomp && !runtime->libiomp;
	else if ((path = path_in_line(arena, line, nr, "libiomp5.so")))
		runtime->libiomp = path;
	if (missing && !runtime->nr_missing++)
		runtime->first_missing = missing;
}

void launch_runtime_read(struct arena *arena, const char *answer, struct launch_runtime *runtime)
{
	*runtime = (struct launch_runtime){ 0 };
	while (*answer) {
		size_t nr = strcspn(answer, "\n");

		read_line(arena, answer, nr, runtime);
		answer += nr + (answer[nr] == '\n');
	}
}

static bool ask_loader(struct arena *arena, const struct launch_file *file,
		       const struct environment *environment, bool rpath, bool complain,
		       struct launch_runtime *runtime)
{
	struct environment asking;
	const char *answer;
	char *argv[5] = { arena_strdup(arena, file->loader) };
	int argc = 1;

	*runtime = (struct launch_runtime){ 0 };
	if (!argv[0] || file->foreign || file->set_id || file->capabilities)
		return false;
	if (!rpath) {
		argv[argc++] = "--inhibit-rpath";
		argv[argc++] = ""; /* the loader's name for the program itself */
	}
	argv[argc++] = arena_strdup(arena, file->path);
	/* as ldd: list the libraries, run nothing; as ldd -r: complain of missing functions */
	environment_init(&asking, arena, environment->variables);
	environment_set(&asking, "LD_TRACE_LOADED_OBJECTS", "1");
	environment_set(&asking, "LD_WARN", complain ? "yes" : "");
	environment_set(&asking, "LD_BIND_NOW", complain ? "yes" : "");
	answer = capture(arena, argv, asking.variables);
	if (answer)
		launch_runtime_read(arena, answer, runtime);
	return answer != NULL;
}

bool launch_runtime_list(struct arena *arena, const struct launch_file *file,
			 const struct environment *environment, struct launch_runtime *runtime)
{
	return ask_loader(arena, file, environment, true, false, runtime);
}

bool launch_runtime_look(struct arena *arena, const struct launch_file *file,
			 const struct environment *environment, bool rpath,
			 struct launch_runtime *runtime)
{
	return ask_loader(arena, file, environment, rpath, true, runtime);
}

bool launch_runtime_same_file(const char *a, const char *b)
{
	char *first = a ? realpath(a, NULL) : NULL, *second = b ? realpath(b, NULL) : NULL;
	bool same = first && second && !strcmp(first, second);

	free(first);
	free(second);
	return same;
}

bool launch_runtime_is_own_loader(struct arena *arena, const char *loader)
{
	struct launch_file self;

	return launch_read(arena, "/proc/self/exe", &self) &&
	       launch_runtime_same_file(self.loader, loader);
}

/* -- where libomp is */

static const char *in_folder(struct arena *arena, const char *folder, size_t nr)
{
	for (size_t i = 0; i < NR_LIBOMP_NAMES; i++) {
		char *path = arena_printf(arena, "%.*s/%s", (int)nr, folder, libomp_names[i]);

		if (path && access(path, R_OK) == 0)
			return path;
	}
	return NULL;
}

static const char *in_folders(struct arena *arena, const char *folders)
{
	while (folders && *folders) {
		size_t nr = strcspn(folders, ":");
		const char *path = nr ? in_folder(arena, folders, nr) : NULL;

		if (path)
			return path;
		folders += nr + (folders[nr] == ':');
	}
	return NULL;
}

/* "/usr/lib/llvm-19/lib": 19 */
static long version_of(const char *folder)
{
	const char *dash = strstr(folder, "llvm-");

	return dash ? strtol(dash + 5, NULL, 10) : 0;
}

long launch_runtime_version(const char *libomp)
{
	char *file = realpath(libomp, NULL);
	long version = version_of(file ? file : libomp);

	free(file);
	return version;
}

static const char *of_llvm(struct arena *arena)
{
	const char *best = NULL;
	long newest = -1;
	glob_t found;

	if (glob("/usr/lib/llvm-*/lib", 0, NULL, &found) != 0)
		return NULL;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *path = in_folder(arena, found.gl_pathv[i], strlen(found.gl_pathv[i]));

		if (path && version_of(found.gl_pathv[i]) > newest) {
			newest = version_of(found.gl_pathv[i]);
			best = path;
		}
	}
	globfree(&found);
	return best;
}

/* "\tlibomp.so.5 (libc6,x86-64) => /lib/x86_64-linux-gnu/libomp.so.5" */
static const char *of_cache(struct arena *arena, const struct environment *environment)
{
	static char *const argv[] = { "/sbin/ldconfig", "-p", NULL };
	const char *answer = capture(arena, argv, environment->variables);

	while (answer && *answer) {
		size_t nr = strcspn(answer, "\n");
		const char *path = path_in_line(arena, answer, nr, "libomp.so");

		if (path && access(path, R_OK) == 0)
			return path;
		answer += nr + (answer[nr] == '\n');
	}
	return NULL;
}

/* What the installation's link leads to. */
static const char *of_installation(struct arena *arena, const char *installed)
{
	const char *link = installed ? arena_printf(arena, "%s/" LAUNCH_RUNTIME_LINK, installed)
				     : NULL;
	char *target = link ? realpath(link, NULL) : NULL;
	const char *path = target && access(target, R_OK) == 0 ? arena_strdup(arena, target) : NULL;

	free(target);
	return path;
}

const char *launch_runtime_find(struct arena *arena, const struct environment *environment,
				const char *installed)
{
	const char *path = in_folders(arena, environment_get(environment, "LD_LIBRARY_PATH"));

	if (!path)
		path = of_installation(arena, installed);
	if (!path)
		path = of_llvm(arena);
	return path ? path : of_cache(arena, environment);
}

/* -- libgomp stays */

bool launch_runtime_can_preload(const char *path)
{
	return !path[strcspn(path, ": \t")];
}

/* Under libgomp's name: conda has such links, and so does a program that runs with one of ours. */
static bool is_libomp(struct arena *arena, const char *libgomp)
{
	struct launch_file library;

	return launch_read(arena, libgomp, &library) && library.has_tools;
}

bool launch_runtime_keep(struct arena *arena, const struct launch_file *file, const char *producer,
			 struct launch_runtime *runtime)
{
	if (!runtime->libgomp || is_libomp(arena, runtime->libgomp) ||
	    launch_refuses_preload(file) || !producer || !launch_runtime_can_preload(producer) ||
	    access(producer, R_OK))
		return false;
	if (runtime->libgomp_first)
		runtime->swap = LAUNCH_SWAP_KEPT;
	return true;
}

/* -- the swap */

/* LD_LIBRARY_PATH is split at these letters. */
static bool can_be_listed(const char *folder)
{
	return !folder[strcspn(folder, ":;")];
}

/* Under another name first: other runs may be making it, or using it. */
static bool make_link(struct arena *arena, const char *target, const char *link)
{
	const char *new = arena_printf(arena, "%s.%d", link, (int)getpid());

	if (!new || (unlink(new) != 0 && errno != ENOENT) || symlink(target, new) != 0)
		return false;
	if (rename(new, link) == 0)
		return true;
	unlink(new);
	return false;
}

/* One for each libomp, so that it never changes. NULL: there is no place for one. */
static const char *users_folder(struct arena *arena, const char *libomp)
{
	char *target = realpath(libomp, NULL);
	const char *name = target ? arena_printf(arena, "gomp-%016" PRIx64,
						 hash_bytes(HASH_START, target, strlen(target)))
				  : NULL;
	const char *folder = name ? own_folder_private(arena, name) : NULL;
	const char *link = folder && can_be_listed(folder)
				   ? arena_printf(arena, "%s/" LAUNCH_RUNTIME_LINK, folder)
				   : NULL;
	bool made = link &&
		    (launch_runtime_same_file(link, target) || make_link(arena, target, link));

	free(target);
	return made ? folder : NULL;
}

static const char *folder_of_link(struct arena *arena, const char *installed, const char *libomp)
{
	if (installed && can_be_listed(installed) &&
	    launch_runtime_same_file(arena_printf(arena, "%s/" LAUNCH_RUNTIME_LINK, installed),
				     libomp))
		return installed;
	return users_folder(arena, libomp);
}

void launch_runtime_swap(struct arena *arena, const struct launch_file *file, const char *installed,
			 launch_runtime_looker *look, struct environment *environment,
			 struct launch_runtime *runtime)
{
	struct launch_runtime after;
	struct environment changed;
	const char *libomp, *folder;

	if (!runtime->libgomp)
		return;
	libomp = runtime->libomp ? runtime->libomp
				 : launch_runtime_find(arena, environment, installed);
	folder = libomp ? folder_of_link(arena, installed, libomp) : NULL;
	runtime->swap = libomp ? LAUNCH_SWAP_NO_FOLDER : LAUNCH_SWAP_NO_LIBOMP;
	if (!folder)
		return;
	environment_init(&changed, arena, environment->variables);
	environment_prepend(&changed, "LD_LIBRARY_PATH", folder);
	runtime->swap = LAUNCH_SWAP_LINK;
	look(arena, file, &changed, true, &after);
	if (!after.libgomp || !begins(after.libgomp, folder)) {
		look(arena, file, &changed, false, &after); /* tells what libomp lacks */
		environment_init(&changed, arena, environment->variables);
		environment_prepend(&changed, "LD_PRELOAD", libomp);
		runtime->swap = LAUNCH_SWAP_PRELOAD;
	}
	if (file->unlike_libomp && !after.nr_missing++)
		after.first_missing = file->unlike_libomp;
	runtime->nr_missing = after.nr_missing;
	runtime->first_missing = after.first_missing;
	/*
	 * The program would not start, or, where functions are looked for when they are called, end
	 * there; under a preload the real libgomp would answer, and two runtimes would count the
	 * same threads.
	 */
	if (after.nr_missing) {
		runtime->swap = LAUNCH_SWAP_REFUSED;
		return;
	}
	runtime->libomp = libomp;
	*environment = changed;
}
