/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heap of the libraries that read debugging information: its blocks, whose they are, and that
 * the program's is left alone.
 */
#define _GNU_SOURCE
#include "analysis/base/own_heap.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/debuginfo/declared.h"
#include "analysis/elf/binary.h"
#include "analysis/machine/model_text.h"
#include "ompt_tool/process/own_libraries.h"
#include "tests/unit/test.h"

typedef int order_function(const void *a, const void *b);

static uintptr_t function(const char *name)
{
	const struct own_heap_function *functions;
	size_t nr = own_heap_functions(&functions);

	for (size_t i = 0; i < nr; i++)
		if (!strcmp(functions[i].name, name))
			return functions[i].with;
	test_fail(__FILE__, __LINE__, "no stand-in for %s", name);
	return 0;
}

static void *heap_malloc(size_t bytes)
{
	return ((void *(*)(size_t))function("malloc"))(bytes);
}
static void *heap_calloc(size_t nr, size_t bytes)
{
	return ((void *(*)(size_t, size_t))function("calloc"))(nr, bytes);
}
static void *heap_realloc(void *block, size_t bytes)
{
	return ((void *(*)(void *, size_t))function("realloc"))(block, bytes);
}
static void heap_free(void *block)
{
	((void (*)(void *))function("free"))(block);
}

static uint32_t seed = 1;

static uint32_t random_below(uint32_t nr)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % nr;
}

static size_t random_bytes(void)
{
	return random_below(50) ? random_below(600) : random_below(3000000);
}

#define SLOTS 300

struct kept {
	unsigned char *bytes;
	size_t nr;
	unsigned char value;
};

static void check_kept(const struct kept *kept)
{
	for (size_t i = 0; i < kept->nr; i += kept->nr / 64 + 1)
		CHECK_INT(kept->bytes[i], kept->value);
	CHECK_INT((uintptr_t)kept->bytes % 16, 0);
}

static void renew(struct kept *kept)
{
	size_t nr = random_bytes(), both = nr < kept->nr ? nr : kept->nr;
	uint32_t how = random_below(3);

	check_kept(kept);
	if (how == 0) {
		kept->bytes = heap_realloc(kept->bytes, nr + 1);
		kept->nr = both;
		check_kept(kept);
	} else {
		heap_free(kept->bytes);
		kept->bytes = how == 1 ? heap_malloc(nr) : heap_calloc(nr, 1);
		kept->nr = nr;
		kept->value = 0;
		if (how == 2)
			check_kept(kept);
	}
	kept->nr = nr;
	kept->value = (unsigned char)random_below(256);
	memset(kept->bytes, kept->value, nr);
}

TEST(own_heap__blocks_keep_what_is_in_them)
{
	struct kept kept[SLOTS] = { { 0 } };

	own_heap_enter();
	for (int i = 0; i < 20000; i++)
		renew(&kept[random_below(SLOTS)]);
	CHECK_THAT(own_heap_use().bytes, >, 1000000);
	for (int i = 0; i < SLOTS; i++) {
		check_kept(&kept[i]);
		heap_free(kept[i].bytes);
	}
	own_heap_leave();
	CHECK_INT(own_heap_use().bytes, 0);
}

TEST(own_heap__is_given_back_when_the_last_reading_ends)
{
	char *block;

	own_heap_enter();
	own_heap_enter();
	block = heap_malloc(100);
	own_heap_leave();
	CHECK_THAT(own_heap_use().bytes, >, 0);
	memcpy(block, "kept", 5);
	own_heap_leave();
	CHECK_THAT(own_heap_use().bytes, >, 0); /* a block is in use */
	CHECK_STR(block, "kept");
	own_heap_enter();
	heap_free(block);
	own_heap_leave();
	CHECK_INT(own_heap_use().bytes, 0);
}

/* Blocks of the two heaps go back where they came from. */
TEST(own_heap__knows_the_programs_blocks)
{
	char *programs = heap_malloc(1000), *ours, *line = strdup("from libc");

	CHECK(programs && malloc_usable_size(programs) >= 1000);
	own_heap_enter();
	ours = heap_malloc(1000);
	memset(ours, 7, 1000);
	heap_free(line);
	programs = heap_realloc(programs, 2000);
	CHECK_THAT(malloc_usable_size(programs), >=, 2000);
	heap_free(programs);
	own_heap_leave();
	ours = heap_realloc(ours, 5000); /* nobody reads: it moves to the program's heap */
	CHECK(ours && ours[0] == 7 && ours[999] == 7 && malloc_usable_size(ours) >= 5000);
	heap_free(ours);
}

static void *others(void *ctx)
{
	void *block = heap_malloc(500);

	(void)ctx;
	/* another thread reads: this one goes on as before */
	own_heap_enter();
	CHECK_THAT(malloc_usable_size(block), >=, 500);
	heap_free(block);
	block = heap_malloc(600);
	CHECK_THAT(malloc_usable_size(block), >=, 600);
	heap_free(block);
	own_heap_leave();
	return NULL;
}

TEST(own_heap__is_one_threads)
{
	pthread_t thread;
	void *block;

	own_heap_enter();
	block = heap_malloc(10);
	CHECK_INT(pthread_create(&thread, NULL, others, NULL), 0);
	pthread_join(thread, NULL);
	CHECK_THAT(own_heap_use().bytes, >, 0);
	heap_free(block);
	own_heap_leave();
	CHECK_INT(own_heap_use().bytes, 0);
}

static void *reads(void *ctx)
{
	(void)ctx;
	own_heap_enter();
	CHECK_INT(own_heap_depth(), 1);
	own_heap_leave();
	return NULL;
}

/* A file stays open: what the libraries allocate meanwhile is the program's. */
TEST(own_heap__files_that_stay_open)
{
	void *ours, *programs;
	pthread_t thread;

	own_heap_enter();
	own_heap_enter();
	ours = heap_malloc(100);
	CHECK_INT(own_heap_depth(), 2);
	own_heap_pause(2);
	CHECK_INT(own_heap_depth(), 0);
	programs = heap_malloc(1000);
	CHECK_THAT(malloc_usable_size(programs), >=, 1000);
	free(programs);
	CHECK_INT(pthread_create(&thread, NULL, reads, NULL), 0);
	pthread_join(thread, NULL);
	own_heap_enter();
	own_heap_leave();
	CHECK_THAT(own_heap_use().bytes, >, 0);
	CHECK(own_heap_resume(2));
	heap_free(ours);
	own_heap_leave();
	own_heap_leave();
	CHECK_INT(own_heap_use().bytes, 0);
}

TEST(own_heap__aligned_blocks)
{
	int (*aligned)(void **, size_t,
		       size_t) = (int (*)(void **, size_t, size_t))function("posix_memalign");
	void *blocks[12];

	own_heap_enter();
	for (int i = 0; i < 12; i++) {
		CHECK_INT(aligned(&blocks[i], (size_t)8 << i, 1000), 0);
		CHECK_INT((uintptr_t)blocks[i] % ((size_t)8 << i), 0);
		memset(blocks[i], i, 1000);
	}
	for (int i = 0; i < 12; i++) {
		blocks[i] = heap_realloc(blocks[i], 20000);
		CHECK_INT(((char *)blocks[i])[999], i);
		heap_free(blocks[i]);
	}
	own_heap_leave();
	CHECK_INT(own_heap_use().bytes, 0);
}

TEST(own_heap__texts)
{
	char *(*duplicate)(const char *,
			   size_t) = (char *(*)(const char *, size_t))function("strndup");
	int (*print)(char **, int, const char *,
		     ...) = (int (*)(char **, int, const char *, ...))function("__asprintf_chk");
	char *(*resolve)(const char *,
			 char *) = (char *(*)(const char *, char *))function("realpath");
	char *text = NULL;

	own_heap_enter();
	text = duplicate("abcdef", 3);
	CHECK_STR(text, "abc");
	heap_free(text);
	CHECK_INT(print(&text, 1, "%s %d", "of", 42), 5);
	CHECK_STR(text, "of 42");
	heap_free(text);
	text = resolve("/proc/../proc", NULL);
	CHECK_STR(text, "/proc");
	heap_free(text);
	CHECK(!resolve("/no/such/file", NULL));
	own_heap_leave();
	CHECK_INT(own_heap_use().bytes, 0);
}

struct item {
	int key, place;
};

static int by_key(const void *a, const void *b)
{
	const struct item *left = a, *right = b;

	return (left->key > right->key) - (left->key < right->key);
}

TEST(own_heap__sorts_and_keeps_the_order_of_equals)
{
	struct item items[1000];

	for (int nr = 0; nr <= 1000; nr += nr < 20 ? 1 : 245) {
		for (int i = 0; i < nr; i++)
			items[i] = (struct item){ (int)random_below(50), i };
		own_heap_sort(items, (size_t)nr, sizeof(items[0]), by_key);
		for (int i = 1; i < nr; i++)
			CHECK(items[i - 1].key < items[i].key ||
			      (items[i - 1].key == items[i].key &&
			       items[i - 1].place < items[i].place));
	}
	CHECK_INT(own_heap_use().bytes, 0);
	CHECK_THAT(own_heap_use().most, >, 0);
}

static size_t destroyed;

static void destroy(void *key)
{
	destroyed++;
	((struct item *)key)->place = -1;
}

TEST(own_heap__trees)
{
	void *(*search)(const void *, void **,
			order_function *) = (void *(*)(const void *, void **,
						       order_function *))function("tsearch");
	void *(*find)(const void *, void *const *,
		      order_function *) = (void *(*)(const void *, void *const *,
						     order_function *))function("tfind");
	void (*end)(void *,
		    void (*)(void *)) = (void (*)(void *, void (*)(void *)))function("tdestroy");
	static struct item items[100000];
	struct item absent = { -1, 0 };
	void *root = NULL;

	own_heap_enter();
	for (int i = 0; i < 100000; i++) { /* in order, as a file's units come */
		items[i] = (struct item){ i, i };
		CHECK_THAT(*(struct item **)search(&items[i], &root, by_key), ==, &items[i]);
	}
	for (int i = 0; i < 100000; i += 77) {
		struct item same = { i, 0 };

		CHECK_THAT(*(struct item **)find(&same, &root, by_key), ==, &items[i]);
		CHECK_THAT(*(struct item **)search(&same, &root, by_key), ==, &items[i]);
	}
	CHECK(!find(&absent, &root, by_key));
	end(root, destroy);
	own_heap_leave();
	CHECK_INT(destroyed, 100000);
	CHECK_INT(own_heap_use().bytes, 0);
}

/* The very thing: this program's declarations and symbols are read, and its heap is as it was. */
TEST(own_heap__reading_leaves_the_programs_alone)
{
	struct arena *arena = arena_new();
	struct mallinfo2 before, after;
	struct declared_list list;
	struct binary binary;

	if (SANITIZED)
		test_skip("a sanitizer's malloc is in this file, and imports of it stay");
	own_libraries_lead();
	if (own_libraries_why())
		test_skip("libdw and libelf are not led to a heap of their own: %s",
			  own_libraries_why());
	before = mallinfo2();
	CHECK_INT(binary_open(&binary, arena, "/proc/self/exe", ""), MS_OK);
	list = declared_read(arena, &binary);
	CHECK_THAT(own_heap_use().bytes, >, 0);
	binary_close(&binary);
	after = mallinfo2();
	CHECK_THAT(list.nr, >, 10);
	CHECK_THAT(own_heap_use().most, >=, 1 << 20);
	CHECK_INT(own_heap_use().bytes, 0);
	CHECK(!memcmp(&before, &after, sizeof(before)));
}
