/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_GOMP_FILE_NAME_H
#define MEMSEARCH_GOMP_FILE_NAME_H

#include <stdbool.h>
#include <string.h>

/*
 * Whether a file is libgomp by its name: "libgomp.so.1", "libgomp-a34b3233.so.1.0.0" as Python's
 * modules bring it.
 */
static inline bool gomp_is_file_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	path = slash ? slash + 1 : path;
	return path && !strncmp(path, "libgomp", 7) && (path[7] == '.' || path[7] == '-');
}

#endif
