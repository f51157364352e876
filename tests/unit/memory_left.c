/* SPDX-License-Identifier: Apache-2.0 */
/* What limits leave the program, and what memsearch takes of it. */
#define _GNU_SOURCE
#include "analysis/base/memory_left.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/base/own_memory.h"
#include "ompt_tool/measurements/summary.h"
#include "tests/host/scratch.h"
#include "tests/unit/test.h"

#define MIB ((size_t)1 << 20)

/* In the test's own process. */
static void limit_to(size_t bytes)
{
	struct rlimit limit;

	CHECK(!getrlimit(RLIMIT_AS, &limit));
	limit.rlim_cur = bytes;
	if (setrlimit(RLIMIT_AS, &limit))
		test_skip("there is a limit already");
}

TEST(memory_left__what_is_left_is_what_can_be_mapped)
{
	size_t before;

	if (SANITIZED)
		test_skip("sanitizers take all address space");
	limit_to(RLIM_INFINITY);
	CHECK_THAT(memory_left_to_map().bytes, ==, SIZE_MAX);
	limit_to(1024 * MIB);
	before = memory_left_to_map().bytes;
	CHECK(before > 512 * MIB && before < 1024 * MIB);
	CHECK(mmap(NULL, before + MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
	      MAP_FAILED);
	CHECK(mmap(NULL, before - MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	      MAP_FAILED);
	CHECK_THAT(memory_left_to_map().bytes, <=, MIB);
	limit_to(4096);
	CHECK_THAT(memory_left_to_map().bytes, ==, 0);
}

TEST(memory_left__summaries_leave_most_of_it)
{
	size_t before;

	if (SANITIZED)
		test_skip("sanitizers take all address space");
	limit_to(256 * MIB);
	before = memory_left_to_map().bytes;
	CHECK(summary_new() != NULL);
	CHECK_THAT(memory_left_to_map().bytes, >=, before - before / 16);
}

/* ------------------------------------------------------------------- cgroups */

static void file(const char *path, const char *text)
{
	char folder[256];

	snprintf(folder, sizeof(folder), "%s", path);
	for (char *slash = strchr(folder, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(folder, 0700);
		*slash = '/';
	}
	file_write(path, text, strlen(text));
}

TEST(memory_left__version_2_with_a_limit_above)
{
	struct memory_left left;

	scratch_enter();
	file("./proc/self/cgroup", "0::/user.slice/job/task\n");
	file("./sys/fs/cgroup/user.slice/job/task/memory.max", "max\n");
	file("./sys/fs/cgroup/user.slice/job/task/memory.current", "1000000\n");
	CHECK_THAT(memory_left_to_touch(".").by, ==, MEMORY_UNLIMITED);
	file("./sys/fs/cgroup/user.slice/job/memory.max", "67108864\n");
	file("./sys/fs/cgroup/user.slice/job/memory.current", "30000000\n");
	left = memory_left_to_touch(".");
	CHECK(left.by == MEMORY_CGROUP && left.bytes == 67108864 - 30000000);
	file("./sys/fs/cgroup/user.slice/job/memory.stat",
	     "anon 10000000\nfile 20000000\nkernel 1\nshmem 4000000\n");
	/* files go before anything is killed, shared memory does not */
	CHECK_THAT(memory_left_to_touch(".").bytes, ==, 67108864 - 14000000);
	file("./sys/fs/cgroup/user.slice/job/memory.high", "16000000\n");
	CHECK_THAT(memory_left_to_touch(".").bytes, ==, 2000000);
	file("./sys/fs/cgroup/user.slice/job/memory.high", "1000\n");
	CHECK_THAT(memory_left_to_touch(".").bytes, ==, 0);
}

TEST(memory_left__version_1_in_a_container)
{
	scratch_enter();
	file("./proc/self/cgroup", "9:cpu:/\n4:memory:/docker/0123\n0::/\n");
	file("./sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	file("./sys/fs/cgroup/memory/memory.usage_in_bytes", "50000000\n");
	CHECK_THAT(memory_left_to_touch(".").by, ==, MEMORY_UNLIMITED);
	file("./sys/fs/cgroup/memory/memory.limit_in_bytes", "60000000\n");
	file("./sys/fs/cgroup/memory/memory.stat",
	     "cache 1\ntotal_cache 7000000\ntotal_rss 5\ntotal_shmem 1000000\n");
	CHECK_THAT(memory_left_to_touch(".").bytes, ==, 60000000 - 50000000 + 6000000);
}

TEST(memory_left__no_cgroups_no_limit)
{
	scratch_enter();
	CHECK_THAT(memory_left_to_touch(".").bytes, ==, SIZE_MAX);
	file("./proc/self/cgroup", "nonsense");
	CHECK_THAT(memory_left_to_touch(".").bytes, ==, SIZE_MAX);
}

TEST(memory_left__the_core_stays_away)
{
	struct memory_left why;

	if (SANITIZED)
		test_skip("sanitizers take all address space");
	limit_to(400 * MIB);
	CHECK(!memory_left_for_core(&why) && why.by == MEMORY_ADDRESSES);
	CHECK(strstr(memory_limit_name(why.by), "ulimit -v"));
}

/* ---------------------------------------------------------------- own memory */

TEST(own_memory__all_together_take_a_part)
{
	size_t before, taken = 0;

	if (SANITIZED)
		test_skip("sanitizers take all address space");
	limit_to(1024 * MIB);
	before = memory_left_to_map().bytes;
	while (own_memory(MIB, 0))
		taken += MIB;
	CHECK(taken > 32 * MIB && taken <= before / MEMORY_SHARE / 2);
	CHECK(own_memory_for_work(MIB, 0)); /* what reports needs is still there */
	while (own_memory_for_work(MIB, 0))
		;
	CHECK_THAT(memory_left_to_map().bytes, >=, before - before / MEMORY_SHARE - MIB);
}

TEST(own_memory__tables_have_a_most_under_a_limit)
{
	if (SANITIZED)
		test_skip("sanitizers take all address space");
	limit_to(8192 * MIB);
	CHECK_INT(own_memory_for_a_table(), MEMORY_TABLE_MOST);
}

TEST(own_memory__is_all_where_the_process_is_alone)
{
	size_t before, taken = 0;

	if (SANITIZED)
		test_skip("sanitizers take all address space");
	limit_to(1024 * MIB);
	before = memory_left_to_map().bytes;
	own_memory_alone();
	while (own_memory_for_work(MIB, 0))
		taken += MIB;
	CHECK_THAT(taken, >=, before - 2 * MIB);
}

static size_t resident(void)
{
	size_t all, pages = 0;
	FILE *statm = fopen("/proc/self/statm", "r");

	CHECK(statm && fscanf(statm, "%zu %zu", &all, &pages) == 2);
	fclose(statm);
	return pages * 4096;
}

static size_t locked(void)
{
	char line[256];
	size_t kib = 0;
	FILE *status = fopen("/proc/self/status", "r");

	CHECK(status);
	while (fgets(line, sizeof(line), status))
		sscanf(line, "VmLck: %zu", &kib);
	fclose(status);
	return kib << 10;
}

TEST(own_memory__is_not_populated_by_what_comes)
{
	char *table, *others;
	size_t before;

	if (SANITIZED || mlockall(MCL_FUTURE))
		test_skip("memory cannot be locked");
	before = locked();
	table = own_memory(512 * MIB, 0);
	CHECK(table && own_memory(64 * MIB, MAP_SHARED));
	table[0] = table[300 * MIB] = 1;
	CHECK(locked() <= before + MIB && resident() < 64 * MIB);
	others = mmap(NULL, 16 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(others != MAP_FAILED && locked() >= before + 16 * MIB && resident() > 16 * MIB);
}

TEST(own_memory__is_not_populated_by_mlockall)
{
	char *table = own_memory(512 * MIB, 0);
	char *others = mmap(NULL, 16 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	unsigned char there[1];

	CHECK(table && others != MAP_FAILED);
	table[0] = 1;
	errno = 0;
	/* as mlockall's own */
	CHECK(own_memory_lock_all(MCL_CURRENT | 0x100) == -1 && errno == EINVAL);
	if (SANITIZED || own_memory_lock_all(MCL_CURRENT | MCL_FUTURE))
		test_skip("memory cannot be locked");
	CHECK(resident() > 16 * MIB && resident() < 100 * MIB);
	CHECK(!mincore(others + 15 * MIB, 1, there) && there[0] & 1);
	CHECK_THAT(own_memory_resident(), <, MIB);
	others = mmap(NULL, 16 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(others != MAP_FAILED && !mincore(others + 15 * MIB, 1, there) && there[0] & 1);
	munlockall();
}

TEST(own_memory__leaves_what_the_program_limits)
{
	size_t all, data;

	CHECK(own_memory(512 * MIB, 0) && own_memory(64 * MIB, MAP_SHARED));
	all = own_memory_leave(false);
	data = own_memory_leave(true);
	CHECK_THAT(all, >=, 576 * MIB + OWN_MEMORY_ROOM);
	CHECK_THAT(all, <, 640 * MIB + OWN_MEMORY_ROOM);
	CHECK_THAT(all - data, ==, 64 * MIB);
	CHECK(!own_memory(MIB, 0)); /* tables no longer grow */
	CHECK(own_memory_for_work(OWN_MEMORY_ROOM - MIB, 0));
	CHECK(!own_memory_for_work(2 * MIB, 0) && errno == ENOMEM);
	CHECK_THAT(own_memory_leave(false), ==, all);
}

TEST(own_memory__what_is_touched_is_resident)
{
	size_t before = own_memory_resident();
	char *table = own_memory(256 * MIB, 0);

	CHECK(table);
	CHECK_THAT(own_memory_resident(), ==, before);
	memset(table + 100 * MIB, 1, 3 * MIB);
	CHECK(own_memory_resident() >= before + 3 * MIB &&
	      own_memory_resident() <= before + 5 * MIB);
	own_memory_give_back(table, 256 * MIB);
	CHECK_THAT(own_memory_resident(), ==, before);
}

/* Addresses are unmapped; 2000 rows make each critical section long. */
static void *take_and_give(void *ctx)
{
	char *at = (char *)(UINT64_C(1) << 33);

	for (int i = 0; i < 2000; i++)
		own_memory_note(at + (size_t)i * MIB, 4096);
	while (!__atomic_load_n((bool *)ctx, __ATOMIC_RELAXED)) {
		own_memory_note(at + 3000 * MIB, 4096);
		own_memory_give_back(at + 3000 * MIB, 4096);
	}
	return NULL;
}

/* The other thread holds the lock during some of the forks. */
TEST(own_memory__a_forks_child_need_not_wait)
{
	pthread_t thread;
	bool done = false;
	int status;

	CHECK(!pthread_create(&thread, NULL, take_and_give, &done));
	for (int i = 0; i < 300; i++) {
		pid_t child = fork();

		if (!child) {
			alarm(10);
			own_memory_in_child();
			own_memory_resident();
			_exit(0);
		}
		CHECK(child > 0 && waitpid(child, &status, 0) == child);
		CHECK_INT(status, 0);
	}
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
}

/*
 * Copies of code must find room within 2 GiB of libraries, whatever memsearch reserves; small
 * memory may lie anywhere.
 */
TEST(own_memory__large_reservations_lie_away_from_libraries)
{
	uintptr_t here = (uintptr_t)own_memory_resident;
	char *memory[3];

	for (int i = 0; i < 3; i++) {
		memory[i] = own_memory(300 * MIB, 0);
		if (!memory[i])
			test_skip("no 900 MiB of addresses to be had");
		CHECK(here - (uintptr_t)memory[i] > 4096 * MIB &&
		      (uintptr_t)memory[i] - here > 4096 * MIB);
		memory[i][300 * MIB - 1] = 1;
	}
	for (int i = 0; i < 3; i++)
		own_memory_give_back(memory[i], 300 * MIB);
}
