/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages watched for writes: written ones are found, by instructions and by system calls; what the
 * program does with its memory meanwhile has the same result as without; huge pages stay whole.
 */
#define _GNU_SOURCE
#include "ompt_tool/placement/page_writes.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/numa/page_map.h"
#include "analysis/numa/written_map.h"
#include "analysis/numa/written_pages.h"
#include "analysis/record/run.h"
#include "ompt_tool/arrays/array.h"
#include "tests/unit/test.h"

#define PAGES 16
#define HUGE_BYTES (2u << 20)

static struct run run;
static size_t page;

static char *map(size_t bytes)
{
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);

	CHECK(memory != MAP_FAILED);
	return memory;
}

static uint32_t array_of(const char *memory, size_t bytes)
{
	static uint64_t site;
	const struct array row = {
		.kind = ARRAY_HEAP, .name = "", .type = "", .file = "", .module = "", .site = ++site
	};
	uint32_t id = array_new(&row);

	CHECK(array_block_add(id, (uintptr_t)memory, bytes));
	return id;
}

/* An array of `pages` written small pages. */
static char *small_array(size_t pages)
{
	char *memory;

	page = (size_t)sysconf(_SC_PAGESIZE);
	memory = map(pages * page);
	madvise(memory, pages * page, MADV_NOHUGEPAGE);
	memset(memory, 1, pages * page);
	array_of(memory, pages * page);
	return memory;
}

static struct page_writes *begin(void)
{
	struct page_writes *writes;

	run = (struct run){ .machine.nodes = 1 };
	writes = page_writes_new(arena_new(), &run);
	CHECK(writes != NULL);
	if (!page_writes_begin(writes))
		test_skip("%s", run.writing.why);
	CHECK(page_writes_are_watched(writes));
	return writes;
}

static void end(struct page_writes *writes)
{
	static struct run_array arrays[8];

	page_writes_end(writes, 1);
	CHECK(!page_writes_are_watched(writes));
	run.arrays = arrays;
	run.nr_arrays = array_count();
	CHECK(page_writes_harvest(writes));
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Pages of array 0, as the report has them. */
static struct numa_written answer(void)
{
	const struct numa_writes *writes = numa_writes(arena_new(), &run);

	CHECK(writes != NULL);
	for (size_t i = 0; i < writes->nr; i++)
		if (!writes->arrays[i].array)
			return writes->arrays[i];
	return (struct numa_written){ 0 };
}

TEST(page_writes__written_pages_and_first_writers)
{
	char *memory = small_array(PAGES);
	struct page_writes *writes = begin();
	const struct numa_writes *all;
	struct numa_written of;
	struct numa_map map;

	CHECK_INT(run.writing.watched, PAGES);
	for (size_t i = 4; i < 8; i++)
		memory[i * page + 17] = 2;
	CHECK(page_writes_fault(writes, (uintptr_t)memory + 4 * page + 17, now_ns(), 1, 0));
	CHECK(page_writes_fault(writes, (uintptr_t)memory + 5 * page, now_ns(), 1, 0));
	CHECK(page_writes_fault(writes, (uintptr_t)memory + 6 * page, now_ns(), 3, 1));
	CHECK(page_writes_fault(writes, (uintptr_t)memory + 6 * page, now_ns(), 2, 0));
	/* a fault of a page that the kernel says was not written has no writer */
	CHECK(page_writes_fault(writes, (uintptr_t)memory + 9 * page, now_ns(), 1, 0));
	CHECK(!page_writes_fault(writes, (uintptr_t)memory + PAGES * page, now_ns(), 1, 0));
	CHECK(!page_writes_fault(writes, (uintptr_t)memory, 1, 1, 0)); /* before */
	end(writes);
	CHECK(!page_writes_fault(writes, (uintptr_t)memory, now_ns(), 1, 0)); /* afterwards */
	CHECK(run.writing.why == NULL);
	CHECK_INT(run.writing.executions, 1);
	of = answer();
	CHECK_INT(of.written, 4);
	CHECK_INT(of.unwritten, PAGES - 4);
	CHECK_INT(of.gone + of.huge + of.other, 0);
	CHECK_INT(of.nr_writers, 2);
	CHECK_INT(of.writers[0].thread, 1);
	CHECK_INT(of.writers[0].pages, 2);
	CHECK_INT(of.writers[1].thread, 3);
	CHECK_INT(of.writers[1].node, 1);
	CHECK_INT(of.unknown, 1);
	all = numa_writes(arena_new(), &run);
	numa_written_map(all, &all->arrays[0], &map);
	CHECK_INT(map.nr, PAGES);
	CHECK_INT(map.blocks[3].thread, NUMA_NOBODY);
	CHECK_INT(map.blocks[5].thread, 1);
	CHECK_INT(map.blocks[6].thread, 3);
	CHECK_INT(map.blocks[6].user, 1);
	CHECK_INT(map.blocks[7].thread, NUMA_UNKNOWN);
	CHECK_INT(map.blocks[9].thread, NUMA_NOBODY);
}

TEST(page_writes__system_calls_write_too)
{
	char *memory = small_array(PAGES);
	struct page_writes *writes = begin();
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	CHECK_INT(read(zero, memory + 2 * page, 3 * page), 3 * page);
	CHECK(mlock(memory + 10 * page, 2 * page) == 0); /* the kernel prepares them for writes */
	end(writes);
	close(zero);
	CHECK_INT(memory[2 * page], 0);
	CHECK_INT(memory[5 * page], 1);
	CHECK_INT(answer().written, 5);
	CHECK_INT(answer().unknown, 5);
	CHECK(answer().pattern == NULL);
}

/* The child has the parent's contents, and writes without effect on the parent's answer. */
TEST(page_writes__fork)
{
	char *memory = small_array(PAGES);
	struct page_writes *writes = begin();
	int status;
	pid_t child = fork();

	if (!child) {
		bool same = memory[3 * page] == 1;

		memset(memory, 7, PAGES * page);
		_exit(same && memory[15 * page] == 7 ? 3 : 4);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_INT(WEXITSTATUS(status), 3);
	memory[0] = 2;
	end(writes);
	CHECK_INT(memory[page], 1);
	CHECK_INT(answer().written, 1);
	memset(memory, 3, PAGES * page);
	CHECK_INT(memory[15 * page], 3);
}

TEST(page_writes__memory_that_changes)
{
	char *memory = small_array(PAGES), *moved = small_array(PAGES), *gone = small_array(PAGES);
	struct page_writes *writes = begin();

	CHECK(madvise(memory, 2 * page, MADV_DONTNEED) == 0);
	CHECK_INT(memory[page], 0);
	CHECK(mprotect(memory + 4 * page, page, PROT_READ) == 0);
	CHECK_INT(memory[4 * page], 1);
	CHECK(mprotect(memory + 4 * page, page, PROT_READ | PROT_WRITE) == 0);
	memory[4 * page] = 5;
	moved = mremap(moved, PAGES * page, 4 * PAGES * page, MREMAP_MAYMOVE);
	CHECK(moved != MAP_FAILED);
	CHECK_INT(moved[3 * page], 1);
	memset(moved, 4, 4 * PAGES * page);
	CHECK(munmap(gone, PAGES * page) == 0);
	end(writes);
	CHECK_INT(memory[4 * page], 5);
	CHECK_INT(moved[4 * PAGES * page - 1], 4);
	CHECK_INT(answer().written, 1 + 1); /* MADV_DONTNEED removes what the read then maps */
	CHECK_INT(answer().unwritten, PAGES - 3);
}

/* A whole mapping is registered: what begins in the middle of it can be remapped with the rest. */
TEST(page_writes__mappings_are_not_split)
{
	char *memory, *moved;
	struct page_writes *writes;

	page = (size_t)sysconf(_SC_PAGESIZE);
	memory = map(PAGES * page);
	madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
	memset(memory, 1, PAGES * page);
	array_of(memory + 4 * page, 4 * page);
	writes = begin();
	CHECK_INT(run.writing.watched, 4);
	moved = mremap(memory, PAGES * page, 2 * PAGES * page, MREMAP_MAYMOVE);
	CHECK(moved != MAP_FAILED);
	moved[5 * page] = 2;
	page_writes_stop(writes, "the program ended");
	CHECK_STR(run.writing.why, "the program ended");
	CHECK_INT(moved[5 * page + 1], 1);
	CHECK(page_writes_harvest(writes));
	CHECK_INT(run.nr_writes, 0);
}

/* Bytes of memory in huge pages, by the mapping's row of smaps. */
static long huge_kib(const char *memory)
{
	FILE *file = fopen("/proc/self/smaps", "r");
	char line[512];
	bool here = false;
	long kib = 0;

	while (file && fgets(line, sizeof(line), file)) {
		unsigned long low, high;

		if (sscanf(line, "%lx-%lx ", &low, &high) == 2)
			here = low <= (uintptr_t)memory && (uintptr_t)memory < high;
		else if (here)
			sscanf(line, "AnonHugePages: %ld", &kib);
	}
	if (file)
		fclose(file);
	return kib;
}

TEST(page_writes__huge_pages_are_left_alone)
{
	char *small = small_array(PAGES), *memory;
	struct page_writes *writes;

	memory = map(3 * HUGE_BYTES);
	memory += HUGE_BYTES - (uintptr_t)memory % HUGE_BYTES;
	madvise(memory, HUGE_BYTES, MADV_HUGEPAGE);
	memset(memory, 1, HUGE_BYTES);
	if (!huge_kib(memory))
		test_skip("no transparent huge pages");
	array_of(memory, HUGE_BYTES);
	writes = begin();
	small[0] = memory[5 * page] = 2;
	CHECK_INT(run.writing.watched, PAGES);
	end(writes);
	memory[6 * page] = 2;
	CHECK_INT(huge_kib(memory), HUGE_BYTES / 1024);
	CHECK_INT(answer().written, 1);
	for (size_t i = 0; i < run.nr_writes; i++)
		if (!strcmp(run.writes[i].state, RUN_PAGES_HUGE))
			CHECK_INT(run.writes[i].pages, HUGE_BYTES / page);
	CHECK_STR(run.writes[run.nr_writes - 1].state, RUN_PAGES_HUGE);
}

/* Of a large array a part of the pages is watched; each stands for its neighbours. */
TEST(page_writes__large_arrays_are_sampled)
{
	size_t pages = 4 * PAGE_WRITES_MOST;
	char *memory = small_array(pages);
	struct page_writes *writes = begin();
	struct numa_written of;

	CHECK_THAT(run.writing.watched, <=, PAGE_WRITES_MOST);
	CHECK_THAT(run.writing.watched, >, PAGE_WRITES_MOST * 9 / 10);
	memset(memory, 2, pages / 2 * page);
	end(writes);
	of = answer();
	CHECK_INT(of.every, 4);
	CHECK_NEAR((double)of.written / (double)pages, 0.5, 0.01);
	CHECK_NEAR((double)of.unwritten / (double)pages, 0.5, 0.01);
}

TEST(page_writes__nothing_to_watch)
{
	struct page_writes *writes;

	run = (struct run){ .machine.nodes = 1 };
	writes = page_writes_new(arena_new(), &run);
	CHECK(!page_writes_begin(writes));
	CHECK_THAT(strlen(run.writing.why), >, 10);
	page_writes_stop(writes, "not this");
	CHECK(page_writes_harvest(writes));
	CHECK(!page_writes_fault(NULL, 1, 1, 0, 0));
}

/* The program's later files do not get lower or higher numbers, and none stays open. */
TEST(page_writes__descriptors)
{
	int before = open("/dev/null", O_RDONLY | O_CLOEXEC), between, after;
	struct page_writes *writes;

	close(before);
	small_array(PAGES);
	writes = begin();
	between = open("/dev/null", O_RDONLY | O_CLOEXEC);
	CHECK_INT(between, before);
	end(writes);
	after = open("/dev/null", O_RDONLY | O_CLOEXEC);
	CHECK_INT(after, before + 1);
	close(between);
	close(after);
}

/* A program that closes everything meanwhile, and gets new files. */
TEST(page_writes__closed_by_the_program)
{
	char *memory = small_array(PAGES);
	struct page_writes *writes = begin();

	for (int fd = 3; fd < 4096; fd++)
		close(fd);
	memory[0] = 2;
	end(writes);
	CHECK_INT(memory[page], 1);
	memset(memory, 3, PAGES * page);
	CHECK_INT(answer().written, 0);
	CHECK_INT(answer().gone, PAGES);
}

/* They are read from the kernel's rings later. */
TEST(page_writes__faults_before_a_stop)
{
	char *memory = small_array(PAGES);
	struct page_writes *writes = begin();
	uint64_t written_ns;

	memory[0] = 2;
	written_ns = now_ns();
	page_writes_stop(writes, "the program ended");
	CHECK(page_writes_fault(writes, (uintptr_t)memory, written_ns, 1, 0));
	CHECK(!page_writes_fault(writes, (uintptr_t)memory, now_ns(), 1, 0));
	CHECK(page_writes_harvest(writes));
	CHECK_INT(run.nr_writes, 0);
}

/* The program's limit of open files leaves none to read the pages' states with. */
TEST(page_writes__states_cannot_be_read)
{
	char *memory = small_array(PAGES);
	struct page_writes *writes = begin();
	struct rlimit limit, none;

	CHECK(!getrlimit(RLIMIT_NOFILE, &limit));
	none = (struct rlimit){ .rlim_cur = 0, .rlim_max = limit.rlim_max };
	CHECK(!setrlimit(RLIMIT_NOFILE, &none));
	memory[0] = 2;
	end(writes);
	CHECK(!setrlimit(RLIMIT_NOFILE, &limit));
	CHECK_STR(run.writing.why, "not permitted: /proc/self/pagemap cannot be read");
	CHECK_INT(run.nr_writes, 0);
	CHECK_INT(memory[page], 1);
}
