/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_MACHINE_MACHINES_H
#define MEMSEARCH_MACHINE_MACHINES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The available modelled machines. To add one: properties/machines/NAME.machine, nothing else.
 */
struct arena;

#define MACHINES_FOLDER "machines" /* below the folder of the properties */
#define MACHINES_HOST "host"       /* the name of this machine (model_host.h) */

/*
 * Names of a folder's machines, sorted. 0: none, or no such folder. Not inside programs: opendir(3)
 * calls malloc.
 */
size_t machines_names(struct arena *arena, const char *folder, const char *const **out);
/* Whether it names a file: it has a slash or the suffix. */
bool machines_is_path(const char *name);
/*
 * The file of a machine: `name` itself where it is a path, else NAME.machine in the folder. NULL:
 * no memory.
 */
const char *machines_path(struct arena *arena, const char *folder, const char *name);

#endif
