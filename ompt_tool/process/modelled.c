/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of the machine that is simulated after the run. */
#include "ompt_tool/process/modelled.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/machine/machines.h"
#include "analysis/machine/model_text.h"
#include "ompt_tool/process/own_paths.h"

static uint32_t nodes_of(struct arena *arena, const char *name)
{
	const char *folder = arena_printf(arena, "%s/" MACHINES_FOLDER, paths_properties());
	const struct model_file *file = model_read(arena, machines_path(arena, folder, name));

	return file && !model_tell_mistakes(arena, file) ? file->model.nodes : 0;
}

uint32_t modelled_nodes(const char *name)
{
	struct arena *arena = *name && strcmp(name, MACHINES_HOST) ? arena_new() : NULL;
	uint32_t nodes = arena ? nodes_of(arena, name) : 0;

	arena_free(arena);
	return nodes;
}
