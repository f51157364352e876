/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_SOURCE_PATH_H
#define MEMSEARCH_CMDS_SOURCE_PATH_H

/*
 * Where in a repository a source file is: records have its name without folders, and what marks
 * lines of a change needs them.
 */
struct arena;

/*
 * "src/solver.c": the one file of that name in the current folder and below, without hidden folders
 * and symbolic links, among the first SOURCE_PATH_ENTRIES that are there. NULL: there is none, or
 * there are several.
 */
#define SOURCE_PATH_ENTRIES 200000
const char *source_path(struct arena *arena, const char *file);

#endif
