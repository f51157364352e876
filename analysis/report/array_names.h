/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAY_NAMES_H
#define MEMSEARCH_ARRAY_NAMES_H

#include <stdint.h>

#include "analysis/record/run.h"

/*
 * Names and declarations of data structures. Not here: first touches (arrays.h) and use
 * (array_use.h).
 */
struct arena;

/*
 * Its name; without one, the line of its allocation; never NULL. `array` NULL: it is not known
 * which.
 */
const char *arrays_name(struct arena *arena, const struct run *run, const struct run_array *array);
/*
 * A name of more than ARRAYS_SHORT_NAME bytes without its first members: "..%field%energy1", which
 * tells arrays of one structure apart. As it is where it has no members; an address without its
 * module.
 */
#define ARRAYS_SHORT_NAME 26
const char *arrays_short_name(struct arena *arena, const char *name);
/*
 * "u[0:9], u[20:29]": ranges of the array that count apart from it; RUN_ARRAY_NONE: of any. NULL:
 * there are none.
 */
const char *arrays_ranges(struct arena *arena, const struct run *run, uint32_t array);
/*
 * "swim.c:12" of the declaration or allocation; of small heap blocks "list.c:7, tree.c:9" if no place
 * allocated most of them; NULL: not known.
 */
const char *arrays_declared(struct arena *arena, const struct run_array *array);
/* The same of the allocation of a heap array, whether a variable has given it a name or not. */
const char *arrays_allocated(struct arena *arena, const struct run_array *array);
/* "swim.c:12", or the file alone; NULL: not known. */
const char *array_file_line(struct arena *arena, const char *file, int line);

#endif
