/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_BASE_NAME_H
#define MEMSEARCH_BASE_BASE_NAME_H

#include <string.h>

/*
 * A path's part behind the last "/"; `path` is not NULL. As GNU's basename(3), which the POSIX one
 * of <libgen.h> hides.
 */
static inline const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

#endif
