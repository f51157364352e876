/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_OWN_HEAP_H
#define MEMSEARCH_BASE_OWN_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A heap beside the program's, for the libraries that read debugging information, and for libhwloc: one large block that they free in the
 * program's would move glibc's threshold of mmap, so that the program's later blocks lie elsewhere and take other page faults.
 *
 *     libdw ──malloc──▶ stand-in ──a thread that reads──▶ pages of our own, given back when the reading ends
 *                          └──────any other thread──────▶ the program's malloc
 *
 * What leads the libraries' calls here is ompt_tool/process/own_libraries.h; without it they stay with the program's malloc.
 */

/* From here to the matching leave, which may be nested, this thread reads. One thread at a time; a second one goes on as before. */
void own_heap_enter(void);
void own_heap_leave(void);

/* Of a block that a library left to us; NULL is allowed. */
void own_heap_free(void *block);

/* qsort(3), stable, with its memory from here. */
void own_heap_sort(void *items, size_t nr, size_t bytes, int (*order)(const void *a, const void *b));

/* What calls of the libraries are to be led to: the stand-in for each function that allocates, by name. */
struct own_heap_function { const char *name; uintptr_t with; };
size_t own_heap_functions(const struct own_heap_function **out);

/* Whether the file at `path` is one whose calls lead here: nobody else is to change its tables. */
typedef bool own_heap_chooser(const char *path);
void own_heap_serve(own_heap_chooser *is_served);
bool own_heap_serves(const char *path);

/* For tests: memory it has now, and the most it had since the process began. */
struct own_heap_use { size_t bytes, most; };
struct own_heap_use own_heap_use(void);

#endif
