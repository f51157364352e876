/* SPDX-License-Identifier: Apache-2.0 */
/* Locations of memsearch's own files. */
#define _GNU_SOURCE
#include "ompt_tool/process/own_paths.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct paths {
	char strategies[PATH_MAX], properties[PATH_MAX], program[PATH_MAX];
};

static void find(struct paths *paths)
{
	char folder[PATH_MAX], *slash;
	Dl_info info;

	if (!dladdr((void *)paths_strategies, &info) || !realpath(info.dli_fname, folder))
		return;
	slash = strrchr(folder, '/');
	if (!slash || slash - folder > PATH_MAX - 64)
		return;
	*slash = '\0';
	snprintf(paths->strategies, sizeof(paths->strategies), "%s/strategies", folder);
	snprintf(paths->properties, sizeof(paths->properties),
		 "%s/../../share/memsearch/properties", folder);
	snprintf(paths->program, sizeof(paths->program), "%s/../../bin/memsearch", folder);
}

static const struct paths *paths(void)
{
	static struct paths known;

	if (!known.strategies[0])
		find(&known);
	return &known;
}

const char *paths_strategies(void)
{
	return paths()->strategies;
}

const char *paths_properties(void)
{
	return paths()->properties;
}

const char *paths_program(void)
{
	return paths()->program;
}
