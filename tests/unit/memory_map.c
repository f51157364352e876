/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mappings of this process: rights, names with blanks and without end, order; what cannot be read
 * is said to be.
 */
#define _GNU_SOURCE /* memfd_create */
#include "analysis/base/memory_map.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/test.h"

struct search {
	uintptr_t address, last_high;
	size_t nr, nr_disordered, nr_found;
	struct memory_mapping found;
	char name[PATH_MAX];
};

static bool look_at(void *ctx, const struct memory_mapping *mapping)
{
	struct search *search = ctx;

	search->nr++;
	search->nr_disordered += mapping->low < search->last_high || mapping->high <= mapping->low;
	search->last_high = mapping->high;
	if (search->address < mapping->low || search->address >= mapping->high)
		return true;
	search->nr_found++;
	search->found = *mapping;
	snprintf(search->name, sizeof(search->name), "%s", mapping->name);
	return true;
}

static struct search search_for(const void *address)
{
	struct search search = { .address = (uintptr_t)address };

	errno = 7;
	CHECK_INT(memory_map_visit(look_at, &search), 0);
	CHECK_INT(errno, 7);
	CHECK_THAT(search.nr, >, 10);
	CHECK_INT(search.nr_disordered, 0);
	return search;
}

TEST(memory_map__rights)
{
	static const int rights[] = { PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE,
				      PROT_READ | PROT_EXEC };
	char *pages = mmap(NULL, 3 * 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(pages != MAP_FAILED);
	for (size_t i = 0; i < sizeof(rights) / sizeof(*rights); i++) {
		struct search search;

		CHECK_THAT(mprotect(pages + 65536, 65536, rights[i]), ==, 0);
		search = search_for(pages + 65536);
		CHECK_INT(search.nr_found, 1);
		CHECK_INT(search.found.protection, rights[i]);
		CHECK(search.found.is_private && !search.found.inode);
		if (rights[i] == PROT_NONE)
			continue;
		CHECK(search.found.low == (uintptr_t)pages + 65536 &&
		      search.found.high == (uintptr_t)pages + 2 * 65536);
	}
	CHECK_THAT(munmap(pages + 65536, 65536), ==, 0);
	CHECK_INT(search_for(pages + 65536).nr_found, 0);
}

TEST(memory_map__files)
{
	int fd = memfd_create("a name  of some words", 0);
	char *shared;
	struct search search;
	struct stat status;

	CHECK(fd >= 0 && ftruncate(fd, 65536) == 0 && fstat(fd, &status) == 0);
	shared = mmap(NULL, 65536, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(shared != MAP_FAILED);
	search = search_for(shared);
	CHECK_INT(search.nr_found, 1);
	CHECK(!search.found.is_private);
	CHECK_INT(search.found.inode, status.st_ino);
	CHECK_STR(search.name, "/memfd:a name  of some words (deleted)");
	CHECK(strncmp(search_for(__builtin_frame_address(0)).name, "[stack]", 7) == 0);
}

/*
 * Folders below folders, until the path is longer than PATH_MAX: its begin is told, and the next
 * mapping is right.
 */
TEST(memory_map__endless_names)
{
	char top[] = "/tmp/memory_map_XXXXXX", name[251];
	char *page;
	FILE *file;
	struct search search;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	CHECK(mkdtemp(top) && chdir(top) == 0);
	for (int i = 0; i < 18; i++)
		CHECK(mkdir(name, 0700) == 0 && chdir(name) == 0);
	file = fopen("file", "w+");
	CHECK(file && ftruncate(fileno(file), 65536) == 0);
	page = mmap(NULL, 65536, PROT_READ, MAP_PRIVATE, fileno(file), 0);
	CHECK(page != MAP_FAILED && unlink("file") == 0);
	for (int i = 0; i < 18; i++)
		CHECK(chdir("..") == 0 && rmdir(name) == 0);
	CHECK_THAT(rmdir(top), ==, 0);
	search = search_for(page);
	CHECK_INT(search.nr_found, 1);
	CHECK(search.found.inode && search.found.protection == PROT_READ);
	CHECK_THAT(strlen(search.name), >, 0);
}

static bool look_once(void *ctx, const struct memory_mapping *mapping)
{
	++*(size_t *)ctx;
	CHECK_THAT(mapping->low, <, mapping->high);
	return false;
}

TEST(memory_map__ends_when_told)
{
	size_t nr = 0;

	CHECK_INT(memory_map_visit(look_once, &nr), 0);
	CHECK_INT(nr, 1);
}

TEST(memory_map__no_descriptor)
{
	struct rlimit limit, none;
	size_t nr = 0;
	int error;

	CHECK_THAT(getrlimit(RLIMIT_NOFILE, &limit), ==, 0);
	none = (struct rlimit){ 0, limit.rlim_max };
	CHECK_THAT(setrlimit(RLIMIT_NOFILE, &none), ==, 0);
	error = memory_map_visit(look_once, &nr);
	CHECK_THAT(setrlimit(RLIMIT_NOFILE, &limit), ==, 0);
	CHECK_INT(error, EMFILE);
	CHECK_INT(nr, 0);
}
