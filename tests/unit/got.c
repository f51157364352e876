/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of the test program's own table of addresses, changed and restored. */
#define _GNU_SOURCE              /* dl_iterate_phdr */
#include "ompt_tool/code/got.h"

#include <link.h>
#include <unistd.h>

#include "tests/unit/test.h"

static pid_t stand_in(void)
{
	return -7;
}

static bool program_only(const char *path)
{
	return !*path;
}

static bool nothing(const char *path)
{
	(void)path;
	return false;
}

static const struct got_change changes[] = { { "getppid", (uintptr_t)stand_in } };

TEST(got__changes_and_restores)
{
	struct got_changes done = { 0 };
	pid_t parent = getppid();

	CHECK(got_change(changes, 1, program_only, &done) > 0);
	CHECK_INT(getppid(), -7);
	CHECK_INT(done.refused, 0);
	got_restore(changes, 1, program_only, &done);
	CHECK_INT(getppid(), parent);
	CHECK_INT(done.nr, 0);
}

TEST(got__again_changes_nothing)
{
	struct got_changes done = { 0 };
	unsigned int first = got_change(changes, 1, program_only, &done);

	CHECK(first > 0);
	CHECK_INT(got_change(changes, 1, program_only, &done), 0);
	CHECK_INT(done.nr, first);
}

TEST(got__only_chosen_files)
{
	struct got_changes done = { 0 };
	pid_t parent = getppid();

	CHECK_INT(got_change(changes, 1, nothing, &done), 0);
	CHECK_INT(getppid(), parent);
}

TEST(got__unknown_name)
{
	static const struct got_change missing[] = { { "no_such_function_anywhere", 1 } };
	struct got_changes done = { 0 };

	CHECK_INT(got_change(missing, 1, program_only, &done), 0);
	CHECK_INT(done.refused, 0);
}

/* Somebody else's change stays. */
TEST(got__restores_its_own_only)
{
	static const struct got_change other[] = { { "getppid", (uintptr_t)getpid } };
	struct got_changes done = { 0 }, others = { 0 };

	CHECK(got_change(changes, 1, program_only, &done) > 0);
	CHECK(got_change(other, 1, program_only, &others) > 0);
	got_restore(changes, 1, program_only, &done);
	CHECK_INT(getppid(), getpid());
}

static int find_read_only(struct dl_phdr_info *info, size_t bytes, void *range)
{
	uintptr_t *ends = range;

	(void)bytes;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) {
			ends[0] = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
			ends[1] = ends[0] + info->dlpi_phdr[i].p_memsz;
		}
	return 1;
}

static bool is_writable(uintptr_t address)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512], rights[8] = "";
	bool found = false;

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		unsigned long low, high;

		found = sscanf(line, "%lx-%lx %7s", &low, &high, rights) == 3 && address >= low && address < high;
	}
	if (maps)
		fclose(maps);
	CHECK(found);
	return rights[1] == 'w';
}

/* A table that was read-only is so again. */
TEST(got__read_only_stays_so)
{
	struct got_changes done = { 0 };
	uintptr_t range[2] = { 0, 0 };

	dl_iterate_phdr(find_read_only, range);
	CHECK(range[0] != 0);
	CHECK(got_change(changes, 1, program_only, &done) > 0);
	CHECK(!is_writable(range[0]));
	for (size_t i = 0; i < done.nr; i++)
		if (done.slots[i].slot >= range[0] && done.slots[i].slot < (range[1] & ~(uintptr_t)4095))
			CHECK(!is_writable(done.slots[i].slot));
}
