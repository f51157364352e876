/* SPDX-License-Identifier: Apache-2.0 */
/* The strategy loader: what it accepts, and what it says of the files it refuses. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/search/strategies.h"
#include "memsearch/strategy.h"
#include "tests/host/scratch.h"
#include "tests/unit/test.h"

/* The strategies of the build this test program belongs to: BUILD/tests/unit/.. → BUILD/lib. */
static const char *built(struct arena *arena, const char *file)
{
	char self[4096];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	CHECK_THAT(length, >, 0);
	for (int i = 0; i < 3; i++) {
		while (length > 0 && self[--length] != '/')
			;
	}
	self[length] = 0;
	return arena_printf(arena, "%s/lib/memsearch/strategies%s", self, file);
}

struct folder {
	char path[64];
	char output[4096]; /* what the loader wrote to stderr */
};

static void folder_make(struct folder *folder)
{
	*folder = (struct folder){ .path = "/tmp/memsearch-test-XXXXXX" };
	CHECK(mkdtemp(folder->path) != NULL);
}

static void folder_write(const struct folder *folder, const char *name, const void *bytes,
			 size_t nr)
{
	char path[128];
	int file;

	snprintf(path, sizeof(path), "%s/%s", folder->path, name);
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
	CHECK(file >= 0 && write(file, bytes, nr) == (ssize_t)nr);
	close(file);
}

/* Loads with stderr going to a file, then removes the folder. */
static struct strategy_list *folder_load(struct arena *arena, struct folder *folder)
{
	struct strategy_list *list;
	char command[128];
	int kept = dup(2), file = memfd_create("stderr", 0);

	CHECK_THAT(file, >=, 0);
	dup2(file, 2);
	list = strategies_load(arena, folder->path);
	dup2(kept, 2);
	CHECK_THAT(pread(file, folder->output, sizeof(folder->output) - 1, 0), >=, 0);
	close(file);
	snprintf(command, sizeof(command), "rm -r %s", folder->path);
	CHECK_INT(system(command), 0);
	return list;
}

static size_t lines(const char *text)
{
	size_t nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

static char *file_bytes(struct arena *arena, const char *path, size_t *nr_out)
{
	int file = open(path, O_RDONLY);
	struct stat status;
	char *bytes;

	CHECK(file >= 0 && fstat(file, &status) == 0);
	*nr_out = (size_t)status.st_size;
	bytes = arena_alloc(arena, *nr_out);
	CHECK(bytes && read(file, bytes, *nr_out) == status.st_size);
	close(file);
	return bytes;
}

/* Where in a 64-bit object's file the bytes of a symbol's address are. */
static size_t file_offset(const char *bytes, uint64_t address)
{
	const Elf64_Ehdr *header = (const void *)bytes;
	const Elf64_Phdr *segments = (const void *)(bytes + header->e_phoff);

	for (int i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD && address >= segments[i].p_vaddr &&
		    address < segments[i].p_vaddr + segments[i].p_filesz)
			return segments[i].p_offset + address - segments[i].p_vaddr;
	test_fail(__FILE__, __LINE__, "no segment has the strategy");
}

/* property_refine.so with other numbers for abi and size. */
static void patch(struct arena *arena, const struct folder *folder, const char *name, uint32_t abi,
		  uint32_t size)
{
	const char *path = built(arena, "/property_refine.so");
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL), *symbol;
	uint32_t numbers[2] = { abi, size };
	size_t nr, at;
	char *bytes;
	Dl_info info;

	CHECK(object != NULL);
	symbol = dlsym(object, MS_STRATEGY_SYMBOL);
	CHECK(symbol && dladdr(symbol, &info));
	bytes = file_bytes(arena, path, &nr);
	at = file_offset(bytes, (uint64_t)((char *)symbol - (char *)info.dli_fbase));
	CHECK_INT(*(uint32_t *)(bytes + at), MS_STRATEGY_ABI);
	memcpy(bytes + at, numbers, sizeof(numbers));
	folder_write(folder, name, bytes, nr);
	dlclose(object);
}

TEST(strategies__the_shipped_ones)
{
	struct arena *arena = arena_new();
	struct strategy_list *list = strategies_load(arena, built(arena, ""));
	const struct ms_strategy *strategy = strategies_find(list, "property_refine");

	CHECK(strategy != NULL);
	CHECK(strlen(strategy->summary) < 100 && strategy->describe[0]);
	CHECK(strstr(list->files[0], ".so") != NULL);
	CHECK(strategies_find(list, "no such strategy") == NULL);
	arena_free(arena);
}

TEST(strategies__files_that_are_none)
{
	struct arena *arena = arena_new();
	struct folder folder;
	struct strategy_list *list;

	folder_make(&folder);
	folder_write(&folder, "empty.so", "", 0);
	folder_write(&folder, "text.so", "hello", 5);
	folder_write(&folder, "README", "not looked at", 13);
	list = folder_load(arena, &folder);
	CHECK_INT(list->nr, 0);
	CHECK_INT(lines(folder.output), 2);
	CHECK(strstr(folder.output, "empty.so' left out: ") != NULL);
	CHECK(strstr(folder.output, "text.so' left out: ") != NULL);
	arena_free(arena);
}

TEST(strategies__made_for_another_version)
{
	struct arena *arena = arena_new();
	struct folder folder;
	struct strategy_list *list;

	folder_make(&folder);
	patch(arena, &folder, "a.so", 99, sizeof(struct ms_strategy));
	patch(arena, &folder, "b.so", MS_STRATEGY_ABI, 16);
	/* a later one: it appends */
	patch(arena, &folder, "c.so", MS_STRATEGY_ABI, sizeof(struct ms_strategy) + 8);
	/* the same name again */
	patch(arena, &folder, "d.so", MS_STRATEGY_ABI, sizeof(struct ms_strategy));
	list = folder_load(arena, &folder);
	CHECK_INT(list->nr, 1);
	CHECK(strstr(list->files[0], "c.so") != NULL);
	CHECK_INT(lines(folder.output), 3);
	CHECK(strstr(folder.output, "a.so' left out: made for interface version 99, expected 2") !=
	      NULL);
	CHECK(strstr(folder.output,
		     "b.so' left out: its struct ms_strategy has 16 bytes, expected at least") !=
	      NULL);
	CHECK(strstr(folder.output,
		     "d.so' left out: there already is a strategy 'property_refine', expected another name") !=
	      NULL);
	arena_free(arena);
}

TEST(strategies__an_object_without_one)
{
	struct arena *arena = arena_new();
	struct folder folder;
	Dl_info info;
	size_t nr;
	char *bytes;

	folder_make(&folder);
	/* libm: a good object, no strategy */
	CHECK(dladdr(dlsym(RTLD_DEFAULT, "cos"), &info));
	bytes = file_bytes(arena, info.dli_fname, &nr);
	folder_write(&folder, "other.so", bytes, nr);
	CHECK_INT(folder_load(arena, &folder)->nr, 0);
	CHECK(strstr(folder.output,
		     "other.so' left out: it has no symbol 'ms_strategy', expected") != NULL);
	arena_free(arena);
}

TEST(strategies__no_such_folder)
{
	struct arena *arena = arena_new();
	struct strategy_list *list;

	scratch_enter();
	list = strategies_load(arena, "missing");
	CHECK(list && list->nr == 0);
	arena_free(arena);
}
