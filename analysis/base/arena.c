/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is freed all at once, taken from mmap. */
#define _DEFAULT_SOURCE
#include "analysis/base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "analysis/base/own_memory.h"

#define CHUNK_BYTES ((size_t)64 << 10)
/*
 * an arena of this size will use its next chunk, too: one system call instead of 16 page faults …
 */
#define POPULATE_FROM ((size_t)1 << 20)
/* … where it is filled gradually; most pages of a large table may never be touched */
#define POPULATE_SMALL ((size_t)4 << 10)
/* from this size on huge pages pay off, where the system has them */
#define HUGE_BYTES ((size_t)8 << 20)
#define ALIGNMENT ((size_t)16)

struct chunk {
	struct chunk *next;
	size_t bytes, used; /* both count this header */
};

struct arena {
	/* the one allocated from comes first; the arena itself lives in the last */
	struct chunk *chunks;
	struct chunk *spare; /* kept by arena_reset, cleared */
	size_t mapped;
};

static size_t aligned(size_t bytes)
{
	return (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

static struct chunk *chunk_new(size_t payload, size_t mapped)
{
	size_t bytes = aligned(sizeof(struct chunk)) + payload;
	struct chunk *chunk;
	int populate;

	bytes = (bytes + CHUNK_BYTES - 1) / CHUNK_BYTES * CHUNK_BYTES;
	populate = payload <= POPULATE_SMALL && mapped >= POPULATE_FROM ? MAP_POPULATE : 0;
	chunk = own_memory_for_work(bytes, populate);
	if (!chunk)
		return NULL;
	if (bytes >= HUGE_BYTES)
		madvise(chunk, bytes, MADV_HUGEPAGE);
	chunk->bytes = bytes;
	chunk->used = aligned(sizeof(struct chunk));
	return chunk;
}

static void *chunk_take(struct chunk *chunk, size_t bytes)
{
	void *taken = (char *)chunk + chunk->used;

	chunk->used += bytes;
	return taken;
}

struct arena *arena_new(void)
{
	struct chunk *chunk = chunk_new(sizeof(struct arena), 0);
	struct arena *arena;

	if (!chunk)
		return NULL;
	arena = chunk_take(chunk, aligned(sizeof(*arena)));
	arena->chunks = chunk;
	arena->mapped = chunk->bytes;
	return arena;
}

static void chunks_free(struct chunk *chunk)
{
	while (chunk) {
		struct chunk *next = chunk->next;

		own_memory_give_back(chunk, chunk->bytes);
		chunk = next;
	}
}

void arena_free(struct arena *arena)
{
	if (!arena)
		return;
	chunks_free(arena->spare);
	chunks_free(arena->chunks);
}

static void chunk_clear(struct chunk *chunk, size_t keep)
{
	memset((char *)chunk + keep, 0, chunk->used - keep);
	chunk->used = keep;
}

void arena_reset(struct arena *arena, size_t keep)
{
	size_t header = aligned(sizeof(struct chunk)),
	       first = header + aligned(sizeof(struct arena));

	for (struct chunk *chunk = arena->chunks, *next; (next = chunk->next);
	     chunk = arena->chunks) {
		arena->chunks = next;
		if (arena->mapped > keep) {
			arena->mapped -= chunk->bytes;
			own_memory_give_back(chunk, chunk->bytes);
			continue;
		}
		chunk_clear(chunk, header);
		chunk->next = arena->spare;
		arena->spare = chunk;
	}
	chunk_clear(arena->chunks, first);
}

/* A kept chunk with this much room; NULL: none. */
static struct chunk *take_spare(struct arena *arena, size_t bytes)
{
	for (struct chunk **link = &arena->spare; *link; link = &(*link)->next) {
		struct chunk *chunk = *link;

		if (chunk->bytes - chunk->used < bytes)
			continue;
		*link = chunk->next;
		return chunk;
	}
	return NULL;
}

static struct chunk *another_chunk(struct arena *arena, size_t bytes)
{
	struct chunk *chunk = take_spare(arena, bytes);

	if (!chunk) {
		chunk = chunk_new(bytes, arena->mapped);
		arena->mapped += chunk ? chunk->bytes : 0;
	}
	return chunk;
}

size_t arena_bytes(const struct arena *arena)
{
	return arena->mapped;
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
	struct chunk *chunk = arena->chunks;

	if (bytes > SIZE_MAX / 2)
		return NULL;
	bytes = aligned(bytes ? bytes : 1);
	if (chunk->bytes - chunk->used >= bytes)
		return chunk_take(chunk, bytes);
	chunk = another_chunk(arena, bytes);
	if (!chunk)
		return NULL;
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	return chunk_take(chunk, bytes);
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);

	if (copy)
		memcpy(copy, text, length);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return text ? arena_strndup(arena, text, strlen(text)) : NULL;
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args)
{
	va_list again;
	char *text;
	int length;

	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0)
		return NULL;
	text = arena_alloc(arena, (size_t)length + 1);
	if (text)
		vsnprintf(text, (size_t)length + 1, format, args);
	return text;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = arena_vprintf(arena, format, args);
	va_end(args);
	return text;
}

int arena_grow(struct arena *arena, void **items, size_t item_bytes, size_t nr, size_t *room)
{
	size_t wanted = *room ? *room * 2 : 8;
	void *grown;

	if (nr < *room)
		return 1;
	grown = arena_alloc(arena, wanted * item_bytes);
	if (!grown)
		return 0;
	if (nr)
		memcpy(grown, *items, nr * item_bytes);
	*items = grown;
	*room = wanted;
	return 1;
}
