/* SPDX-License-Identifier: Apache-2.0 */
/* The reasons why the tool cannot get into a program, in the order in which they explain it best. */
#include "analysis/cmds/attach.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static bool is_disabled(const struct attach_case *about)
{
	const char *value = environment_get(about->environment, "OMP_TOOL");

	return value && !strcmp(value, "disabled");
}

static bool is_set_id(const struct attach_case *about) { return about->file->set_id; }
static bool is_foreign(const struct attach_case *about) { return about->file->foreign; }
static bool is_script(const struct attach_case *about) { return !about->file->elf; }

static bool no_libomp(const struct attach_case *about)
{
	return about->runtime->swap == LAUNCH_SWAP_NO_LIBOMP;
}

static bool swap_refused(const struct attach_case *about)
{
	return about->runtime->swap == LAUNCH_SWAP_REFUSED;
}

static bool static_libgomp(const struct attach_case *about)
{
	return about->file->contains_libgomp;
}

static bool is_static(const struct attach_case *about)
{
	return about->file->is_static;
}

static bool static_libomp(const struct attach_case *about)
{
	return about->file->contains_libomp;
}

static bool no_openmp(const struct attach_case *about)
{
	return !about->runtime->libomp && !about->runtime->libgomp && !about->runtime->libiomp;
}

static bool was_killed(const struct attach_case *about) { return about->end.signal != 0; }
static bool always(const struct attach_case *about) { (void)about; return true; }

static const struct {
	bool (*applies)(const struct attach_case *about);
	struct attach_advice advice;
} causes[] = {
	{ is_disabled, { "OMP_TOOL=disabled is set, so the OpenMP runtime loads no tool", "unset OMP_TOOL" } },
	{ is_set_id, { "the program runs as another user or group (setuid, setgid), and is not let know of tools",
		       "run a copy of it that belongs to you" } },
	{ is_foreign, { "the program is for another kind of processor, or 32-bit", "build it for this one" } },
	{ is_script, { "a script was started, and no OpenMP program in it loaded the tool",
		       "write `memsearch run --` before the program inside the script" } },
	{ no_libomp, { "the program uses GNU's OpenMP runtime (libgomp), which has no interface for tools; memsearch runs such "
		       "programs on LLVM's (libomp), and found none here",
		       "install it (Debian: apt install libomp-19-dev) or name its folder in LD_LIBRARY_PATH" } },
	{ swap_refused, { "the program uses GNU's OpenMP runtime (libgomp), which has no interface for tools, and LLVM's (libomp) "
			  "lacks something that the program must have at its start",
			  "use a newer libomp, or build the program with clang or flang" } },
	{ static_libgomp, { "GNU's OpenMP runtime (libgomp) is linked into the program, and has no interface for tools",
			    "link libgomp dynamically (without -static), or build the program with clang or flang" } },
	{ is_static, { "the program is linked statically, so nothing can be loaded into it", "link it without -static" } },
	{ static_libomp, { "LLVM's OpenMP runtime is linked into the program, and was built without tool support, or no parallel "
			   "region was executed", "link it dynamically (without -static-openmp)" } },
	{ no_openmp, { "the program does not load an OpenMP runtime when it starts",
		       "compile and link it with -fopenmp; if it loads libraries with OpenMP later, build these with clang or flang" } },
	{ was_killed, { "the program died before its first parallel region", "make it run without memsearch first" } },
	{ always, { "the program has an OpenMP runtime but did not use it: no parallel region was executed, or the runtime was built "
		    "without tool support", "OMP_TOOL_VERBOSE_INIT=stderr makes the runtime tell what it did" } },
};

struct attach_advice attach_explain(const struct attach_case *about)
{
	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++)
		if (causes[i].applies(about))
			return causes[i].advice;
	return (struct attach_advice){ "unknown", "" };
}
