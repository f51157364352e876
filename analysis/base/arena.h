/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_ARENA_H
#define MEMSEARCH_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

/*
 * Memory that is freed all at once. Chunks come from mmap, never from malloc,
 * because most of the analysis also runs inside the user's program, whose heap
 * is not ours to use. Not thread-safe: one arena, one thread at a time.
 */
struct arena;

struct arena *arena_new(void); /* NULL: no memory */
/* with all its allocations; NULL is allowed */
void arena_free(struct arena *arena);
size_t arena_bytes(const struct arena *arena); /* mapped so far */
/*
 * Frees all allocations. At most `keep` bytes, and the first chunk, stay mapped for later
 * allocations: for frequent work, as a fresh page costs more than clearing one.
 */
void arena_reset(struct arena *arena, size_t keep);

/* Zeroed, aligned to 16 bytes. NULL only when mmap fails. */
void *arena_alloc(struct arena *arena, size_t bytes);
char *arena_strdup(struct arena *arena, const char *text); /* NULL stays NULL */
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list args);

/*
 * Makes room for one more element at the end of a growing array in the arena:
 *     ARENA_GROW(arena, v->items, v->nr, v->room);
 *     v->items[v->nr++] = item;
 * On failure `items` stays as it was and the macro yields 0.
 */
#define ARENA_GROW(arena, items, nr, room) \
	arena_grow((arena), (void **)&(items), sizeof(*(items)), (nr), &(room))
int arena_grow(struct arena *arena, void **items, size_t item_bytes, size_t nr, size_t *room);

#endif
