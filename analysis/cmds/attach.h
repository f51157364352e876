/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_ATTACH_H
#define MEMSEARCH_CMDS_ATTACH_H

#include "analysis/cmds/environment.h"
#include "analysis/cmds/launch.h"
#include "analysis/cmds/launch_elf.h"
#include "analysis/cmds/launch_runtime.h"

/* Why the tool did not get into a program, and what to do about it: plain words, one cause. */
struct attach_case {
	const struct launch_file *file;
	const struct launch_runtime *runtime;
	const struct environment *environment;
	struct launch_end end;
};

struct attach_advice {
	const char *why, *what_to_do;
};

struct attach_advice attach_explain(const struct attach_case *about);

#endif
