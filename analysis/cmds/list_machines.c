/* SPDX-License-Identifier: Apache-2.0 */
/* The modelled machines there are, one line each. */
#include "analysis/cmds/list_machines.h"

#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/installation.h"
#include "analysis/machine/figure.h"
#include "analysis/machine/machines.h"
#include "analysis/machine/model_text.h"
#include "analysis/report/table.h"

#define NAMES_MAX 256 /* machines considered for "did you mean" */

const char *machines_folder(struct arena *arena)
{
	return installation_path(arena, INSTALLATION_PROPERTIES "/" MACHINES_FOLDER);
}

/* With the nearest name. */
static int unknown_machine(const struct command *self, struct arena *arena, const char *folder,
			   const char *name)
{
	const char *names[NAMES_MAX + 1] = { MACHINES_HOST };
	const char *const *found;
	size_t nr = machines_names(arena, folder, &found);

	if (nr > NAMES_MAX)
		nr = NAMES_MAX;
	for (size_t i = 0; i < nr; i++)
		names[i + 1] = found[i];
	return command_unknown(self, "machine", name, names, nr + 1);
}

int machines_find(const struct command *self, struct arena *arena, const char *name,
		  const char **path_out)
{
	const char *folder = machines_folder(arena),
		   *path = folder ? machines_path(arena, folder, name) : NULL;

	*path_out = path;
	if (!path)
		return COMMAND_BAD_DATA;
	return strcmp(path, name) != 0 && access(path, F_OK) != 0
		       ? unknown_machine(self, arena, folder, name)
		       : COMMAND_OK;
}

static void add_figure(struct table *table, const struct model_file *file, const char *key)
{
	table_string(table, figure_text(table->arena, figure_find(key), &file->model));
}

static void add_machine(struct table *table, const struct model_file *file)
{
	static const char *const sizes[] = { "clock", "l1.size", "l2.size", "l3.size" };

	table_string(table, file->model.name);
	table_number(table, file->model.cores);
	table_number(table, file->model.nodes);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		add_figure(table, file, sizes[i]);
	table_string(table, file->title);
}

int list_machines(struct arena *arena, struct table *table)
{
	static const struct table_column columns[] = {
		{ "machine", NULL }, { "cores", "1" }, { "nodes", "1" }, { "clock", NULL },
		{ "l1", NULL },      { "l2", NULL },   { "l3", NULL },   { "title", NULL },
	};
	const char *folder = machines_folder(arena);
	const char *const *names;
	size_t nr = folder ? machines_names(arena, folder, &names) : 0;
	int code = nr ? COMMAND_OK : COMMAND_BAD_DATA;

	table_init(table, arena, "machines", columns, sizeof(columns) / sizeof(*columns));
	table->schema = "memsearch-list-machines-1";
	if (!nr)
		log_warning("there are no machines in '%s'", folder ? folder : "");
	for (size_t i = 0; i < nr; i++) {
		const char *path = machines_path(arena, folder, names[i]);
		const struct model_file *file = path ? model_read(arena, path) : NULL;

		if (!file)
			return COMMAND_BAD_DATA;
		if (model_tell_mistakes(arena, file))
			code = COMMAND_BAD_DATA;
		else
			add_machine(table, file);
	}
	return code;
}
