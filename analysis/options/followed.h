/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_OPTIONS_FOLLOWED_H
#define MEMSEARCH_OPTIONS_FOLLOWED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Libraries that are not the program's own and whose accesses are recorded all the same, because
 * the user named them (--follow). A name fits up to the version: "libblas" is libblas.so.3. Never
 * the C library, the OpenMP runtime and memsearch itself: what records calls them.
 */

/* One name of `length` bytes that may not be followed. */
bool followed_is_refused(const char *name, size_t length);
/* Separated by commas; lives on with the caller. "": none. Before the first clone. */
void followed_set(const char *names);
/* Whether a file is one of those; any thread. */
bool followed_has(const char *path);
/*
 * The name to give for a file: "libblas" of /usr/lib/libblas.so.3; the length of it in `path`'s
 * last part, 0: it may not be followed.
 */
size_t followed_name(const char *path, const char **name_out);

#endif
