/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of this user: where they are, how much of them is made, and who can change them. */
#include "analysis/base/own_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "tests/unit/test.h"

static char base[] = "/tmp/memsearch-own-XXXXXX";

static const char *inside(struct arena *arena, const char *name)
{
	return arena_printf(arena, "%s/%s", base, name);
}

TEST(own_folder__home_is_never_made)
{
	struct arena *arena = arena_new();
	const char *why = NULL;

	CHECK(mkdtemp(base));
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", inside(arena, "home"), 1);
	CHECK(!own_folder_cache(arena, &why));
	CHECK_STR(why, "the folder that HOME names does not exist");
	CHECK(!own_folder_make(inside(arena, "home/.cache/memsearch"), 2));
	CHECK_INT(errno, ENOENT);
	CHECK_INT(access(inside(arena, "home"), F_OK), -1);

	CHECK_INT(mkdir(inside(arena, "home"), 0755), 0);
	CHECK_STR(own_folder_cache(arena, &why), inside(arena, "home/.cache/memsearch"));
	CHECK(own_folder_make(inside(arena, "home/.cache/memsearch"), 2));
	/* is there already */
	CHECK(own_folder_make(inside(arena, "home/.cache/memsearch"), 2));
	CHECK_INT(rmdir(inside(arena, "home/.cache/memsearch")) |
			  rmdir(inside(arena, "home/.cache")) | rmdir(inside(arena, "home")),
		  0);
	setenv("XDG_CACHE_HOME", inside(arena, "none/cache"), 1);
	CHECK(!own_folder_cache(arena, &why));
	setenv("XDG_CACHE_HOME", "relative", 1);
	unsetenv("HOME");
	CHECK(!own_folder_cache(arena, &why));
	CHECK_INT(rmdir(base), 0);
}

/*
 * Whatever its own rights are, a folder below one that others write to can be put in another's
 * place.
 */
TEST(own_folder__is_private_if_all_above_are)
{
	struct arena *arena = arena_new();
	char top[PATH_MAX], below[PATH_MAX + 8];

	strcpy(base, "/tmp/memsearch-own-XXXXXX");
	CHECK(mkdtemp(base));
	CHECK(!own_folder_is_private(base)); /* /tmp */
	CHECK_INT(rmdir(base), 0);
	CHECK(!own_folder_is_private("relative"));
	CHECK(!own_folder_is_private(inside(arena, "missing")));
	if (!getcwd(top, sizeof(top)) || !own_folder_is_private(top))
		test_skip("the current folder can be changed by others");
	snprintf(below, sizeof(below), "%s/XXXXXX", top);
	CHECK(mkdtemp(below));
	CHECK(own_folder_is_private(below));
	CHECK_INT(chmod(below, 0770), 0);
	CHECK(!own_folder_is_private(below));
	CHECK_INT(chmod(below, 01777), 0);
	CHECK(!own_folder_is_private(below));
	CHECK_INT(rmdir(below), 0);
}
