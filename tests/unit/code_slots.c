/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of the test program's own table of addresses, changed and restored. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "ompt_tool/code/slots.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static const struct slots_change changes[] = { { .name = "getppid", .with = (uintptr_t)stand_in } };

TEST(code_slots__changed)
{
	struct slots_changed done;

	CHECK_THAT(getppid(), >, 0);
	done = slots_change(changes, 1, program_only);
	CHECK_THAT(done.nr, >, 0);
	CHECK_INT(done.refused, 0);
	CHECK_INT(getppid(), -7);
}

TEST(code_slots__again_changes_nothing)
{
	CHECK_THAT(slots_change(changes, 1, program_only).nr, >, 0);
	CHECK_INT(slots_change(changes, 1, program_only).nr, 0);
}

TEST(code_slots__only_chosen_files)
{
	pid_t parent = getppid();

	CHECK_INT(slots_change(changes, 1, nothing).nr, 0);
	CHECK_INT(getppid(), parent);
}

TEST(code_slots__unknown_name)
{
	static const struct slots_change missing[] = { { .name = "no_such_function_anywhere",
							 .with = 1 } };
	struct slots_changed done = slots_change(missing, 1, program_only);

	CHECK_INT(done.nr, 0);
	CHECK_INT(done.refused, 0);
}

/* A slot that leads elsewhere stays; one that is not bound yet is changed on request. */
TEST(code_slots__only_slots_that_lead_there)
{
	struct slots_change change = { .name = "getppid",
				       .with = (uintptr_t)stand_in,
				       .from = (uintptr_t)nothing };

	CHECK_THAT(getppid(), >, 0); /* bound from here on */
	change.unbound = true;
	CHECK_INT(slots_change(&change, 1, program_only).nr, 0);
	CHECK_THAT(getppid(), >, 0);
	change.from = (uintptr_t)dlsym(RTLD_DEFAULT, "getppid");
	change.unbound = false;
	CHECK_THAT(slots_change(&change, 1, program_only).nr, >, 0);
	CHECK_INT(getppid(), -7);
}

/* Not in a program whose calls are all bound at its start. */
TEST(code_slots__unbound_slots)
{
	struct slots_change change = { .name = "getsid",
				       .with = (uintptr_t)stand_in,
				       .from = (uintptr_t)dlsym(RTLD_DEFAULT, "getsid") };
	unsigned int bound = slots_change(&change, 1, program_only).nr;

	change.unbound = true;
	CHECK_THAT(bound + slots_change(&change, 1, program_only).nr, >, 0);
	CHECK_INT(getsid(0), -7);
}

static bool libraries(const char *path)
{
	return strstr(path, "libdw") || strstr(path, "libelf") || strstr(path, "libz");
}

static void hand_on(void *block)
{
	free(block);
}
static void hand_on_too(void *block)
{
	free(block);
}

/* As a guard is, which was put before an earlier change and leads on to it. */
TEST(code_slots__what_leads_to_us_stays)
{
	static const struct slots_change one[] = { { .name = "free", .with = (uintptr_t)hand_on } },
					 other[] = { { .name = "free",
						       .with = (uintptr_t)hand_on_too } };

	CHECK_THAT(slots_change(one, 1, libraries).nr, >, 0);
	CHECK_INT(slots_change(other, 1, libraries).nr, 0);
}

/* A pointer in data is the program's value, not a call. */
static pid_t (*volatile pointer)(void) = getppid;

TEST(code_slots__pointers_stay)
{
	pid_t (*before)(void) = pointer;

	CHECK_THAT(slots_change(changes, 1, program_only).nr, >, 0);
	CHECK_THAT(pointer, ==, before);
	CHECK_THAT(pointer(), >, 0);
}

struct found {
	uintptr_t places[8];
	size_t nr, nr_read_only, nr_pointers;
};

static void find(void *ctx, const struct slot *slot)
{
	struct found *found = ctx;

	if ((strcmp(slot->name, "getppid") && strcmp(slot->name, "getpgrp")) || found->nr == 8)
		return;
	found->places[found->nr++] = (uintptr_t)slot->place;
	found->nr_read_only += slot->read_only;
	found->nr_pointers += slot->kind == SLOT_POINTER;
}

static int find_in_program(struct dl_phdr_info *info, size_t bytes, void *found)
{
	(void)bytes;
	slots_of_module(info, find, found);
	return 1;
}

static void find_version(void *ctx, const struct slot *slot)
{
	const char **version = ctx;

	if (!strcmp(slot->name, "getppid") && slot->kind != SLOT_POINTER)
		*version = slots_version(slot);
}

static int find_version_in_program(struct dl_phdr_info *info, size_t bytes, void *version)
{
	(void)bytes;
	slots_of_module(info, find_version, version);
	return 1;
}

TEST(code_slots__version_of_a_symbol)
{
	const char *version = NULL;

	dl_iterate_phdr(find_version_in_program, &version);
	CHECK(version);
	CHECK(dlvsym(RTLD_DEFAULT, "getppid", version) == dlsym(RTLD_DEFAULT, "getppid"));
	CHECK(!slots_version(&(struct slot){ .name = "" })); /* chosen by the module itself */
}

static bool is_writable(uintptr_t address)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512], rights[8] = "";
	bool found = false;

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		unsigned long low, high;

		found = sscanf(line, "%lx-%lx %7s", &low, &high, rights) == 3 && address >= low &&
			address < high;
	}
	if (maps)
		fclose(maps);
	CHECK(found);
	return rights[1] == 'w';
}

/*
 * A function whose address is taken has a slot among those that are read-only, even where calls are
 * bound late.
 */
TEST(code_slots__read_only_stays_so)
{
	static const struct slots_change both[] = {
		{ .name = "getppid", .with = (uintptr_t)stand_in },
		{ .name = "getpgrp", .with = (uintptr_t)stand_in }
	};
	pid_t (*volatile taken)(void) = getpgrp;
	struct found found = { .nr = 0 };
	size_t nr_read_only = 0;
	bool writable[8];

	CHECK_THAT(taken(), >, 0);
	dl_iterate_phdr(find_in_program, &found);
	CHECK(found.nr > found.nr_pointers && found.nr_pointers > 0 && found.nr_read_only > 0);
	for (size_t i = 0; i < found.nr; i++) {
		writable[i] = is_writable(found.places[i]);
		nr_read_only += !writable[i];
	}
	CHECK_INT(nr_read_only, found.nr_read_only);
	CHECK_INT(slots_change(both, 2, program_only).nr, found.nr - found.nr_pointers);
	for (size_t i = 0; i < found.nr; i++)
		CHECK_INT(is_writable(found.places[i]), writable[i]);
	for (size_t i = 0; i < found.nr; i++)
		CHECK(writable[i] || *(uintptr_t *)found.places[i] == (uintptr_t)stand_in);
}

struct chosen {
	const struct dl_phdr_info *module;
	size_t nr, nr_inside;
};

static void look_at_chosen(void *ctx, const struct slot *slot)
{
	struct chosen *chosen = ctx;

	if (slot->kind != SLOT_CHOSEN)
		return;
	CHECK(!*slot->name && slot->defined);
	chosen->nr++;
	chosen->nr_inside += slots_module_has(chosen->module, *slot->place);
}

static int find_chosen(struct dl_phdr_info *info, size_t bytes, void *ctx)
{
	struct chosen *chosen = ctx;

	(void)bytes;
	chosen->module = info;
	slots_of_module(info, look_at_chosen, chosen);
	return 0;
}

/*
 * libc's own memcpy, say: one of several, by the CPU. They have no name, and are the module's own,
 * but for some that the kernel has (vDSO).
 */
TEST(code_slots__chosen_when_loaded)
{
	struct chosen chosen = { .nr = 0 };

	dl_iterate_phdr(find_chosen, &chosen);
#if defined(__x86_64__) && defined(__GLIBC__)
	CHECK_THAT(chosen.nr_inside, >, 0);
#endif
	CHECK_THAT(chosen.nr_inside, >=, chosen.nr / 2);
}
