/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of the machine that is simulated after the run. */
#include "ompt_tool/process/modelled.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/machine/machines.h"
#include "analysis/machine/model_text.h"
#include "ompt_tool/process/own_paths.h"

static bool has_nodes(struct arena *arena, const char *name)
{
	const char *folder = arena_printf(arena, "%s/" MACHINES_FOLDER, paths_properties());
	const struct model_file *file = model_read_as_guest(arena,
							    machines_path(arena, folder, name));

	return file && (file->names_topology ||
			(!model_tell_mistakes(arena, file) && file->model.nodes > 1));
}

bool modelled_has_nodes(const char *name)
{
	struct arena *arena = *name && strcmp(name, MACHINES_HOST) ? arena_new() : NULL;
	bool has = arena && has_nodes(arena, name);

	arena_free(arena);
	return has;
}
