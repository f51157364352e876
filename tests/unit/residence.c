/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages in memory: those written and no others, also among all of the process; what cannot be read
 * is said to be.
 */
#define _GNU_SOURCE
#include "ompt_tool/arrays/residence.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "tests/unit/test.h"

static size_t page;
static const struct memory_ranges unknown; /* what is anonymous */

static char *fresh(size_t pages)
{
	char *memory;

	page = (size_t)sysconf(_SC_PAGESIZE);
	memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	CHECK(memory != MAP_FAILED);
	madvise(memory, pages * page, MADV_NOHUGEPAGE);
	return memory;
}

static size_t pages_of(const struct memory_ranges *ranges, const char *low, const char *high)
{
	size_t bytes = 0;

	for (size_t i = 0; i < ranges->nr; i++) {
		uintptr_t from = ranges->items[i].low > (uintptr_t)low ? ranges->items[i].low
								       : (uintptr_t)low;
		uintptr_t to = ranges->items[i].high < (uintptr_t)high ? ranges->items[i].high
								       : (uintptr_t)high;

		bytes += to > from ? to - from : 0;
	}
	return bytes / page;
}

TEST(residence__written_pages_are_found)
{
	enum { PAGES = 5000 }; /* more than one reading */
	struct arena *arena = arena_new();
	struct memory_ranges ranges = { 0 };
	char *memory = fresh(PAGES);
	enum ms_status status;

	for (size_t i = 100; i < 2100; i++)
		memory[i * page + 17] = 1;
	memory[4999 * page] = 1;
	status = residence_of(arena, &unknown, (uintptr_t)memory + 5,
			      (uintptr_t)memory + PAGES * page, &ranges);
	if (status == MS_ERR_PERMISSION)
		test_skip("/proc/self/pagemap is not permitted here");
	CHECK_INT(status, MS_OK);
	CHECK_INT(ranges.nr, 2);
	CHECK_INT(ranges.items[0].low, (uintptr_t)memory + 100 * page);
	CHECK_INT(ranges.items[0].high, (uintptr_t)memory + 2100 * page);
	CHECK_INT(ranges.items[1].low, (uintptr_t)memory + 4999 * page);
	CHECK_INT(pages_of(&ranges, memory, memory + PAGES * page), 2001);
}

/* More than the kernel tells at a time; what was never touched lies between and behind. */
TEST(residence__every_other_page_is_found)
{
	enum { PAGES = 1000, MORE = 100000 };
	struct arena *arena = arena_new();
	struct memory_ranges ranges = { 0 };
	char *memory = fresh(PAGES + MORE);

	for (size_t i = 0; i < PAGES; i += 2)
		memory[i * page] = 1;
	if (residence_of(arena, &unknown, (uintptr_t)memory,
			 (uintptr_t)memory + (PAGES + MORE) * page, &ranges) == MS_ERR_PERMISSION)
		test_skip("/proc/self/pagemap is not permitted here");
	CHECK_INT(ranges.nr, PAGES / 2);
	for (size_t i = 0; i < ranges.nr; i++) {
		CHECK_INT(ranges.items[i].low, (uintptr_t)memory + 2 * i * page);
		CHECK_INT(ranges.items[i].high, (uintptr_t)memory + (2 * i + 1) * page);
	}
}

/* Reading a file's pages is not writing them. */
TEST(residence__pages_of_files_are_not_written)
{
	struct arena *arena = arena_new();
	struct memory_ranges ranges = { 0 };
	int fd = open("/proc/self/exe", O_RDONLY);
	volatile char *file;

	page = (size_t)sysconf(_SC_PAGESIZE);
	file = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	CHECK(file != MAP_FAILED);
	CHECK_INT(file[1], 'E');
	file[3 * page] = 1;
	if (residence_of(arena, &unknown, (uintptr_t)file, (uintptr_t)file + 4 * page, &ranges) ==
	    MS_ERR_PERMISSION)
		test_skip("/proc/self/pagemap is not permitted here");
	CHECK_INT(ranges.nr, 1);
	CHECK_INT(ranges.items[0].low, (uintptr_t)file + 3 * page);
	close(fd);
}

/*
 * What is known to be anonymous is looked at in another way than what may be a file's: what is
 * found is the same.
 */
TEST(residence__anonymous_memory_around_a_file)
{
	struct arena *arena = arena_new();
	struct memory_ranges ranges = { 0 }, found = { 0 }, anonymous = { 0 };
	char *memory = fresh(30);
	int fd = open("/proc/self/exe", O_RDONLY);
	char *file = mmap(memory + 10 * page, 10 * page, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_FIXED, fd, 0);
	const int written[] = { 3, 4, 9, 10, 15, 20, 29 };

	CHECK_THAT(file, ==, memory + 10 * page);
	for (int i = 10; i < 20; i++)
		/* read: a page of the file */
		CHECK(((volatile char *)memory)[i * page] || i > 10);
	for (size_t i = 0; i < sizeof(written) / sizeof(*written); i++)
		memory[written[i] * page] = 1;
	residence_anonymous(arena, &anonymous);
	CHECK_INT(pages_of(&anonymous, memory, memory + 30 * page), 20);
	CHECK_INT(pages_of(&anonymous, file, file + 10 * page), 0);
	if (residence_of(arena, &anonymous, (uintptr_t)memory, (uintptr_t)memory + 30 * page,
			 &ranges) == MS_ERR_PERMISSION)
		test_skip("/proc/self/pagemap is not permitted here");
	CHECK_INT(residence_of(arena, &unknown, (uintptr_t)memory, (uintptr_t)memory + 30 * page,
			       &found),
		  MS_OK);
	CHECK_INT(ranges.nr, 5);
	CHECK_INT(found.nr, 5);
	for (size_t i = 0; i < 5; i++)
		CHECK(ranges.items[i].low == found.items[i].low &&
		      ranges.items[i].high == found.items[i].high);
	CHECK_INT(pages_of(&ranges, memory, memory + 30 * page), 7);
	close(fd);
}

TEST(residence__all_of_the_process)
{
	struct arena *arena = arena_new();
	struct memory_ranges ranges = { 0 };
	char *memory = fresh(300);
	enum ms_status status;

	for (size_t i = 0; i < 300; i += 3)
		memory[i * page] = 1;
	status = residence_all(arena, &ranges);
	if (status == MS_ERR_PERMISSION)
		test_skip("/proc/self/pagemap is not permitted here");
	CHECK(status == MS_OK || status == MS_ERR_FULL); /* sanitizers reserve terabytes */
	CHECK_INT(pages_of(&ranges, memory, memory + 300 * page), 100);
	for (size_t i = 1; i < ranges.nr; i++)
		CHECK_THAT(ranges.items[i - 1].high, <, ranges.items[i].low);
}

static struct memory_range around(const void *address)
{
	struct memory_ranges mappings = { 0 };
	struct arena *arena = arena_new();
	struct memory_range found;

	residence_mappings(arena, &mappings);
	found = residence_around(&mappings, (uintptr_t)address);
	arena_free(arena);
	return found;
}

TEST(residence__mapping_around_an_address)
{
	struct memory_range stack = around(&page), here = around(__builtin_frame_address(0));
	char *memory = fresh(3);

	CHECK(stack.high); /* the data segment */
	CHECK(here.low < (uintptr_t)__builtin_frame_address(0) &&
	      here.high > (uintptr_t)__builtin_frame_address(0));
	mprotect(memory + page, page, PROT_NONE);
	CHECK_INT(around(memory + page + 1).high, 0);
	CHECK_INT(around(memory + 3).high, (uintptr_t)memory + page);
}
