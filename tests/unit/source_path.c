/* SPDX-License-Identifier: Apache-2.0 */
/* Source files below a folder. */
#include "analysis/cmds/source_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "tests/host/scratch.h"
#include "tests/unit/test.h"

TEST(source_path__the_one_file_of_a_name)
{
	struct arena *arena = arena_new();

	scratch_enter();
	CHECK(mkdir("src", 0700) == 0 && mkdir("src/deep", 0700) == 0 &&
	      mkdir("other", 0700) == 0 && mkdir(".git", 0700) == 0);
	file_write("top.c", "", 0);
	file_write("src/solver.c", "", 0);
	file_write("src/deep/mesh.c", "", 0);
	file_write(".git/solver.c", "", 0);
	file_write("src/twice.c", "", 0);
	file_write("other/twice.c", "", 0);
	CHECK(symlink("../src", "other/link") == 0 && symlink("..", "src/up") == 0);
	CHECK_STR(source_path(arena, "top.c"), "top.c");
	CHECK_STR(source_path(arena, "solver.c"), "src/solver.c");
	CHECK_STR(source_path(arena, "mesh.c"), "src/deep/mesh.c");
	CHECK(!source_path(arena, "twice.c"));
	CHECK(!source_path(arena, "none.c"));
	CHECK(!source_path(arena, "src"));
	CHECK(!source_path(arena, ""));
	arena_free(arena);
}
