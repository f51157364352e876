/* SPDX-License-Identifier: Apache-2.0 */
/* Where our own files are. */
#include "analysis/cmds/installation.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"

const char *installation_path(struct arena *arena, const char *relative)
{
	char *program = realpath("/proc/self/exe", NULL);
	const char *path = NULL;

	for (int level = 0; program && level < 2; level++) {
		char *slash = strrchr(program, '/');

		if (slash)
			*slash = '\0';
	}
	if (program)
		path = arena_printf(arena, "%s/%s", program, relative);
	free(program);
	return path;
}
