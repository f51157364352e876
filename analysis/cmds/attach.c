/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why the tool was not loaded into a program: a set-up that is refused (setups.c), or a cause that
 * is known only after the run.
 */
#include "analysis/cmds/attach.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "analysis/cmds/setups.h"

static bool is_disabled(const struct attach_case *about)
{
	const char *value = environment_get(about->environment, "OMP_TOOL");

	return value && !strcmp(value, "disabled");
}

static bool is_script(const struct attach_case *about)
{
	return !about->file->elf;
}

static bool static_libomp(const struct attach_case *about)
{
	return about->file->contains_libomp;
}

static bool keeps_libgomp(const struct attach_case *about)
{
	return about->runtime->swap == LAUNCH_SWAP_KEPT;
}

static bool was_killed(const struct attach_case *about)
{
	return about->end.signal != 0;
}
static bool always(const struct attach_case *about)
{
	(void)about;
	return true;
}

static const struct {
	bool (*applies)(const struct attach_case *about);
	struct attach_advice advice;
} causes[] = {
	{ is_disabled,
	  { "OMP_TOOL=disabled is set, so the OpenMP runtime loads no tool", "unset OMP_TOOL" } },
	{ is_script,
	  { "a script was started, and no OpenMP program in it loaded the tool",
	    "write `memsearch run --` before the program inside the script" } },
	{ static_libomp,
	  { "LLVM's OpenMP runtime is linked into the program, and was built without tool support, or no parallel "
	    "region was executed",
	    "link it dynamically (without -static-openmp)" } },
	{ was_killed,
	  { "the program died before its first parallel region",
	    "make it run without memsearch first" } },
	{ keeps_libgomp,
	  { "the program has an OpenMP runtime but did not use it: no parallel region was executed; a line above says if it could not reach "
	    "`memsearch run`",
	    "let it execute a parallel region" } },
	{ always,
	  { "the program has an OpenMP runtime but did not use it: no parallel region was executed, or the runtime was built "
	    "without tool support; a line above says if it could not reach `memsearch run`",
	    "OMP_TOOL_VERBOSE_INIT=stderr makes the runtime print what it did" } },
};

struct attach_advice attach_explain(const struct attach_case *about)
{
	const struct setup_case set_up = { .file = about->file, .runtime = about->runtime };
	const struct setup *refusing = is_disabled(about) ? NULL : setup_refusing(&set_up);

	if (refusing)
		return (struct attach_advice){ refusing->why, refusing->advice };
	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++)
		if (causes[i].applies(about))
			return causes[i].advice;
	return (struct attach_advice){ "unknown", "" };
}
