/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heap of the libraries that read debugging information. No lock: one thread allocates and
 * frees.
 */
#define _GNU_SOURCE
#include "analysis/base/own_heap.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/hash.h"
#include "analysis/base/own_blocks.h"
#include "analysis/base/own_memory.h"

static struct {
	pthread_t reader; /* atomic; 0: none */
	unsigned int depth;
	/* inside of the lines below: a signal handler must not begin again */
	bool busy;
	struct own_blocks blocks;
	size_t most;                 /* bytes that it had since the process began */
	own_heap_chooser *is_served; /* NULL: none is */
} heap;

static void *map_piece(size_t bytes)
{
	return own_memory_for_work(bytes, 0);
}

/* ------------------------------------------------------------------ who reads */

static bool is_reader(void)
{
	return pthread_equal(__atomic_load_n(&heap.reader, __ATOMIC_RELAXED), pthread_self());
}

unsigned int own_heap_depth(void)
{
	return is_reader() ? heap.depth : 0;
}

bool own_heap_resume(unsigned int depth)
{
	pthread_t reader = 0, self = pthread_self();

	if (!depth)
		return true;
	if (!__atomic_compare_exchange_n(&heap.reader, &reader, self, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED) &&
	    !pthread_equal(reader, self))
		return false;
	heap.depth += depth;
	return true;
}

void own_heap_enter(void)
{
	own_heap_resume(1);
}

void own_heap_pause(unsigned int depth)
{
	if (!depth || !is_reader() || (heap.depth -= depth))
		return;
	__atomic_store_n(&heap.reader, 0, __ATOMIC_RELEASE);
}

/* What is still in use, by a library's own tables perhaps, stays. */
void own_heap_leave(void)
{
	if (!is_reader() || --heap.depth)
		return;
	if (!heap.blocks.nr)
		own_blocks_release(&heap.blocks, own_memory_give_back);
	__atomic_store_n(&heap.reader, 0, __ATOMIC_RELEASE);
}

struct own_heap_use own_heap_use(void)
{
	return (struct own_heap_use){ heap.blocks.bytes, heap.most };
}

/* False: the heap is not for this call. */
static bool begin(void)
{
	if (!is_reader() || heap.busy)
		return false;
	heap.busy = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return true;
}

static void end(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	heap.busy = false;
}

/* ------------------------------------------------------------------ libc's functions */

/* NULL: the caller must use the program's malloc. */
static void *take(size_t alignment, size_t bytes)
{
	void *block;

	if (bytes > PTRDIFF_MAX / 8 || !begin())
		return NULL;
	block = own_blocks_take(&heap.blocks, alignment, bytes, map_piece);
	if (heap.blocks.bytes > heap.most)
		heap.most = heap.blocks.bytes;
	end();
	return block;
}

static void *our_malloc(size_t bytes)
{
	void *block = take(1, bytes);

	return block ? block : malloc(bytes);
}

static void *our_calloc(size_t nr, size_t bytes)
{
	size_t all;
	void *block = __builtin_mul_overflow(nr, bytes, &all) ? NULL : take(1, all);

	return block ? memset(block, 0, all) : calloc(nr, bytes);
}

/*
 * Blocks that libc itself allocated (such as getdelim's) go to libc's free. A block of this heap
 * that another thread frees stays in use.
 */
static void our_free(void *block)
{
	if (!own_blocks_has(&heap.blocks, block)) {
		free(block);
	} else if (begin()) {
		own_blocks_give_back(&heap.blocks, block);
		end();
	}
}

static void *our_realloc(void *block, size_t bytes)
{
	size_t before;
	void *new;

	if (!block)
		return our_malloc(bytes);
	if (!own_blocks_has(&heap.blocks, block))
		return realloc(block, bytes);
	before = own_blocks_bytes(block);
	if (bytes && bytes <= before)
		return block;
	new = bytes ? our_malloc(bytes) : NULL;
	if (new)
		memcpy(new, block, before);
	if (new || !bytes)
		our_free(block);
	return new;
}

static void *our_reallocarray(void *block, size_t nr, size_t bytes)
{
	size_t all;

	if (!__builtin_mul_overflow(nr, bytes, &all))
		return our_realloc(block, all);
	errno = ENOMEM;
	return NULL;
}

static int our_posix_memalign(void **out, size_t alignment, size_t bytes)
{
	void *block = take(alignment, bytes);

	if (!block)
		return posix_memalign(out, alignment, bytes);
	*out = block;
	return 0;
}

static void *our_aligned_alloc(size_t alignment, size_t bytes)
{
	void *block = NULL;
	int error = our_posix_memalign(
		&block, alignment < sizeof(void *) ? sizeof(void *) : alignment, bytes);

	errno = error ? error : errno;
	return error ? NULL : block;
}

static char *our_strndup(const char *text, size_t most)
{
	size_t length = strnlen(text, most);
	char *copy = our_malloc(length + 1);

	if (copy) {
		memcpy(copy, text, length);
		copy[length] = '\0';
	}
	return copy;
}

static char *our_strdup(const char *text)
{
	return our_strndup(text, strlen(text));
}

static int our_vasprintf(char **out, const char *format, va_list values)
{
	va_list again;
	int length;

	va_copy(again, values);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	*out = length < 0 ? NULL : our_malloc((size_t)length + 1);
	return *out ? vsnprintf(*out, (size_t)length + 1, format, values) : -1;
}

static int our_asprintf(char **out, const char *format, ...)
{
	va_list values;
	int length;

	va_start(values, format);
	length = our_vasprintf(out, format, values);
	va_end(values);
	return length;
}

static int our_asprintf_chk(char **out, int level, const char *format, ...)
{
	va_list values;
	int length;

	(void)level;
	va_start(values, format);
	length = our_vasprintf(out, format, values);
	va_end(values);
	return length;
}

static char *our_realpath(const char *path, char *resolved)
{
	char *room = resolved ? NULL : our_malloc(PATH_MAX), *found;

	if (resolved || !room)
		return realpath(path, resolved);
	found = realpath(path, room);
	if (!found)
		our_free(room);
	return found;
}

/* ------------------------------------------------------------------ sorting */

typedef int order_function(const void *a, const void *b);

/* Merges two consecutive sorted ranges. */
static void merge(const char *from, size_t middle, size_t nr, size_t bytes, order_function *order,
		  char *to)
{
	size_t left = 0, right = middle;

	for (size_t i = 0; i < nr; i++) {
		bool take_left = left < middle && (right >= nr || order(from + left * bytes,
									from + right * bytes) <= 0);

		memcpy(to + i * bytes, from + (take_left ? left++ : right++) * bytes, bytes);
	}
}

static void merge_sort(char *items, char *spare, size_t nr, size_t bytes, order_function *order)
{
	for (size_t width = 1; width < nr; width *= 2) {
		for (size_t at = 0; at < nr; at += 2 * width) {
			size_t left = nr - at < width ? nr - at : width,
			       both = nr - at < 2 * width ? nr - at : 2 * width;

			merge(items + at * bytes, left, both, bytes, order, spare + at * bytes);
		}
		memcpy(items, spare, nr * bytes);
	}
}

/* Instead of libc's qsort, which takes as much from the program's heap as it sorts. */
void own_heap_sort(void *items, size_t nr, size_t bytes, order_function *order)
{
	size_t all;
	char *spare;

	own_heap_enter();
	spare = nr > 1 && !__builtin_mul_overflow(nr, bytes, &all) ? take(1, all) : NULL;
	if (spare) {
		merge_sort(items, spare, nr, bytes, order);
		our_free(spare);
	} else {
		qsort(items, nr, bytes, order);
	}
	own_heap_leave();
}

static void our_qsort(void *items, size_t nr, size_t bytes, order_function *order)
{
	if (is_reader())
		own_heap_sort(items, nr, bytes, order);
	else
		qsort(items, nr, bytes, order);
}

/* ------------------------------------------------------------------ trees */

/*
 * tsearch(3) and its kin, whose nodes libc takes from the program's heap: treaps (Seidel and Aragon
 * 1996), the priorities being hashes of the nodes' addresses. The key comes first, as callers read
 * it through what tsearch returns.
 */
struct node {
	const void *key;
	struct node *sides[2];
};

static uint64_t priority(const struct node *node)
{
	return hash_bytes(HASH_START, &node, sizeof(node));
}

static struct node *lift(struct node *root, int side)
{
	struct node *child = root->sides[side];

	root->sides[side] = child->sides[!side];
	child->sides[!side] = root;
	return child;
}

static struct node *insert(struct node *root, const void *key, order_function *order,
			   struct node **found)
{
	int which, side;

	if (!root) {
		*found = our_malloc(sizeof(**found));
		if (*found)
			**found = (struct node){ .key = key };
		return *found;
	}
	which = order(key, root->key);
	if (!which) {
		*found = root;
		return root;
	}
	side = which > 0;
	root->sides[side] = insert(root->sides[side], key, order, found);
	return root->sides[side] && priority(root->sides[side]) > priority(root) ? lift(root, side)
										 : root;
}

static void *our_tsearch(const void *key, void **root, order_function *order)
{
	struct node *found = NULL;

	if (root)
		*root = insert(*root, key, order, &found);
	return found;
}

static void *our_tfind(const void *key, void *const *root, order_function *order)
{
	struct node *node = root ? *root : NULL;

	while (node) {
		int which = order(key, node->key);

		if (!which)
			return node;
		node = node->sides[which > 0];
	}
	return NULL;
}

static void our_tdestroy(void *root, void (*destroy)(void *key))
{
	struct node *node = root;

	if (!node)
		return;
	our_tdestroy(node->sides[0], destroy);
	our_tdestroy(node->sides[1], destroy);
	destroy((void *)node->key);
	our_free(node);
}

/* ------------------------------------------------------------------ the table */

void own_heap_serve(own_heap_chooser *is_served)
{
	heap.is_served = is_served;
}

bool own_heap_serves(const char *path)
{
	return heap.is_served && heap.is_served(path);
}

void own_heap_free(void *block)
{
	our_free(block);
}

size_t own_heap_functions(const struct own_heap_function **out)
{
	static const struct own_heap_function functions[] = {
		{ "malloc", (uintptr_t)our_malloc },
		{ "calloc", (uintptr_t)our_calloc },
		{ "realloc", (uintptr_t)our_realloc },
		{ "reallocarray", (uintptr_t)our_reallocarray },
		{ "free", (uintptr_t)our_free },
		{ "posix_memalign", (uintptr_t)our_posix_memalign },
		{ "aligned_alloc", (uintptr_t)our_aligned_alloc },
		{ "memalign", (uintptr_t)our_aligned_alloc },
		{ "strdup", (uintptr_t)our_strdup },
		{ "__strdup", (uintptr_t)our_strdup },
		{ "strndup", (uintptr_t)our_strndup },
		{ "vasprintf", (uintptr_t)our_vasprintf },
		{ "asprintf", (uintptr_t)our_asprintf },
		{ "__asprintf_chk", (uintptr_t)our_asprintf_chk },
		{ "realpath", (uintptr_t)our_realpath },
		{ "qsort", (uintptr_t)our_qsort },
		{ "tsearch", (uintptr_t)our_tsearch },
		{ "tfind", (uintptr_t)our_tfind },
		{ "tdestroy", (uintptr_t)our_tdestroy },
	};

	*out = functions;
	return sizeof(functions) / sizeof(functions[0]);
}
