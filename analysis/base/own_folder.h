/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_OWN_FOLDER_H
#define MEMSEARCH_BASE_OWN_FOLDER_H

#include <stdbool.h>

/*
 * Folders of this user. HOME, XDG_CACHE_HOME's parent and XDG_RUNTIME_DIR are never created. All
 * strings are in the arena. No stdio streams: also inside programs; programs with another user's
 * rights have none of these folders.
 */
struct arena;

/* "$XDG_CACHE_HOME/memsearch", or "$HOME/.cache/memsearch"; it need not exist. NULL: *why_out. */
const char *own_folder_cache(struct arena *arena, const char **why_out);

/*
 * Makes `path`, of whose components the last `levels` may be missing, readable by this user alone.
 * False: errno.
 */
bool own_folder_make(const char *path, int levels);

/* The canonical `path` and every folder it is in can be changed by this user and root alone. */
bool own_folder_is_private(const char *path);

/*
 * A folder `name` of memsearch, made where missing, that stays and that no other user can change:
 * in the cache, else in XDG_RUNTIME_DIR. Its canonical path; NULL: there is none.
 */
const char *own_folder_private(struct arena *arena, const char *name);

#endif
