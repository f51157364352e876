/* SPDX-License-Identifier: Apache-2.0 */
/* Which machine is simulated. */
#include "ompt_tool/process/modelled.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/own_heap.h"
#include "analysis/machine/machines.h"
#include "analysis/machine/model_host.h"
#include "analysis/machine/model_text.h"
#include "analysis/machine/topology.h"
#include "ompt_tool/process/own_libraries.h"
#include "ompt_tool/process/paths.h"

/* libhwloc describes a machine of 512 CPUs in one block of 300 KiB, which the program's malloc would remember. */
static const struct model_file *host(struct arena *arena)
{
	const struct model_file *file;

	if (topology_open())
		own_libraries_lead_hwloc();
	own_heap_enter();
	file = model_host(arena);
	own_heap_leave();
	topology_close();
	return file;
}

const struct model_file *modelled_machine(struct arena *arena, const char *name, const char **why_out)
{
	const struct model_file *file;

	*why_out = "no machine was named whose caches to simulate: --machine host, or another (`memsearch machine --list`)";
	if (!*name)
		return NULL;
	file = strcmp(name, MACHINES_HOST) ? model_read(arena, machines_path(arena, arena_printf(arena, "%s/" MACHINES_FOLDER, paths_properties()), name)) : host(arena);
	*why_out = "the machine that --machine names cannot be simulated";
	return file && !model_tell_mistakes(arena, file) ? file : NULL;
}
