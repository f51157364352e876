/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_SUFFIX_H
#define MEMSEARCH_BASE_SUFFIX_H

#include <stdbool.h>
#include <string.h>

/*
 * Whether a file name ends with a suffix: "xeon-2s.machine" with ".machine". The suffix alone is no
 * such name.
 */
static inline bool has_suffix(const char *name, const char *suffix)
{
	size_t length = strlen(name), tail = strlen(suffix);

	return length > tail && !strcmp(name + length - tail, suffix);
}

#endif
