/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* mincore */
#include "analysis/base/read_words.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/test.h"

static uintptr_t page;

static uintptr_t *pages(size_t nr)
{
	void *memory;

	page = (uintptr_t)sysconf(_SC_PAGESIZE);
	memory = mmap(NULL, nr * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(memory != MAP_FAILED);
	return memory;
}

static bool is_touched(const uintptr_t *at)
{
	unsigned char there = 0;

	CHECK_INT(mincore((void *)((uintptr_t)at & ~(page - 1)), page, &there), 0);
	return there & 1;
}

TEST(read_words__untouched_pages_stay_untouched)
{
	uintptr_t *memory = pages(3), words[4] = { 1, 1, 1, 1 };
	size_t per_page = page / sizeof(*memory);

	memory[per_page] = 7;
	CHECK_INT(read_words((uintptr_t)(memory + per_page - 2), words, 4), 4);
	CHECK(words[0] == 0 && words[1] == 0 && words[2] == 7 && words[3] == 0);
	CHECK(!is_touched(memory) && is_touched(memory + per_page));
}

TEST(read_words__ends_at_memory_that_is_not_readable)
{
	uintptr_t *memory = pages(2), words[8];
	size_t per_page = page / sizeof(*memory);

	memory[per_page - 1] = 5;
	CHECK_INT(munmap(memory + per_page, page), 0);
	CHECK_INT(read_words((uintptr_t)(memory + per_page - 1), words, 8), 1);
	CHECK_INT(words[0], 5);
	CHECK_INT(mprotect(memory, page, PROT_NONE), 0);
	CHECK_INT(read_words((uintptr_t)memory, words, 8), 0);
}
