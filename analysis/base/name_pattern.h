/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_NAME_PATTERN_H
#define MEMSEARCH_BASE_NAME_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether the name is `pattern`, or begins with what it has before a star. */
static inline bool name_matches(const char *pattern, const char *name)
{
	size_t length = strcspn(pattern, "*");

	return !strncmp(pattern, name, length) && (pattern[length] || !name[length]);
}

#endif
