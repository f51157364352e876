/* SPDX-License-Identifier: Apache-2.0 */
/* The environment of a program to be started. */
#include "analysis/cmds/environment.h"

#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"

static void append(struct environment *environment, char *variable)
{
	if (!variable || !ARENA_GROW(environment->arena, environment->variables,
				     environment->nr + 1, environment->room))
		return;
	environment->variables[environment->nr++] = variable;
	environment->variables[environment->nr] = NULL;
}

void environment_init(struct environment *environment, struct arena *arena, char *const *variables)
{
	*environment = (struct environment){ .arena = arena };
	environment->variables = arena_alloc(arena, 8 * sizeof(*environment->variables));
	environment->room = environment->variables ? 8 : 0;
	while (*variables)
		append(environment, *variables++);
}

static char **find(const struct environment *environment, const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < environment->nr; i++)
		if (!strncmp(environment->variables[i], name, length) &&
		    environment->variables[i][length] == '=')
			return &environment->variables[i];
	return NULL;
}

const char *environment_get(const struct environment *environment, const char *name)
{
	char **variable = find(environment, name);

	return variable ? *variable + strlen(name) + 1 : NULL;
}

void environment_set(struct environment *environment, const char *name, const char *value)
{
	char **variable = find(environment, name);
	char *text = arena_printf(environment->arena, "%s=%s", name, value);

	if (variable && text)
		*variable = text;
	else
		append(environment, text);
}

void environment_prepend(struct environment *environment, const char *name, const char *value)
{
	const char *before = environment_get(environment, name);

	environment_set(environment, name,
			before && *before ? arena_printf(environment->arena, "%s:%s", value, before)
					  : value);
}

/* Bytes of the strings and of the pointers to them; adds to how many there are. */
static size_t bytes_on_stack(char *const *strings, size_t *nr)
{
	size_t bytes = 0;

	for (; *strings; strings++, ++*nr)
		bytes += strlen(*strings) + 1 + sizeof(*strings);
	return bytes;
}

/* Sets the variable, or removes it. */
static void toggle(struct environment *environment, const char *name)
{
	char **variable = find(environment, name);

	if (variable)
		memmove(variable, variable + 1,
			(environment->nr-- - (size_t)(variable - environment->variables)) *
				sizeof(*variable));
	else
		environment_set(environment, name, "");
}

/* A pair of pointers keeps the stack aligned: an even number of them. */
void environment_fill_pages(struct environment *environment, char *const *argv, const char *path,
			    const char *name)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), nr = 0, bytes;

	environment_set(environment, name, "");
	bytes_on_stack(argv, &nr);
	bytes_on_stack(environment->variables, &nr);
	if (nr % 2)
		toggle(environment, arena_printf(environment->arena, "%s_EVEN", name));
	bytes = strlen(path) + 1 + bytes_on_stack(argv, &nr) +
		bytes_on_stack(environment->variables, &nr);
	environment_set(environment, name,
			arena_printf(environment->arena, "%0*d", (int)(page - bytes % page), 0));
}
