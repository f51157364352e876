/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_OWN_HEAP_H
#define MEMSEARCH_BASE_OWN_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A heap for the libraries that read debugging information and for libhwloc. A large block freed in
 * the program's heap would move glibc's mmap threshold: later blocks of the program would get other
 * addresses and other page faults.
 *
 *     libdw ──malloc──▶ wrapper ──reading thread──▶ own pages, released when reading ends
 *                          └──────other threads────▶ the program's malloc
 *
 * ompt_tool/process/own_libraries.h redirects the libraries' calls; without it they use the
 * program's malloc.
 */

/*
 * Until the matching leave this thread allocates here; may be nested. One thread at a time: a
 * second one keeps the program's malloc.
 */
void own_heap_enter(void);
void own_heap_leave(void);

/*
 * For files that stay open between uses. `depth`: calls of enter on this thread that leave has not
 * ended. `pause` ends `depth` of them, so that calls from the program use its own malloc; `resume`
 * repeats them. False: another thread reads now.
 */
unsigned int own_heap_depth(void);
void own_heap_pause(unsigned int depth);
bool own_heap_resume(unsigned int depth);

/* Frees a block that a library allocated for the caller; NULL is allowed. */
void own_heap_free(void *block);

/* qsort(3), stable, with its memory from here. */
void own_heap_sort(void *items, size_t nr, size_t bytes,
		   int (*order)(const void *a, const void *b));

/* The wrapper for each allocating function, by name. */
struct own_heap_function {
	const char *name;
	uintptr_t with;
};
size_t own_heap_functions(const struct own_heap_function **out);

/* Whether calls of the file at `path` are redirected here; no other code may change its tables. */
typedef bool own_heap_chooser(const char *path);
void own_heap_serve(own_heap_chooser *is_served);
bool own_heap_serves(const char *path);

/* For tests: memory it has now, and the most it had since the process began. */
struct own_heap_use {
	size_t bytes, most;
};
struct own_heap_use own_heap_use(void);

#endif
