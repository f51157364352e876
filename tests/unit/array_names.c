/* SPDX-License-Identifier: Apache-2.0 */
/* Names of data structures in narrow tables. */
#include "analysis/report/array_names.h"

#include "analysis/base/arena.h"
#include "tests/unit/test.h"

TEST(array_names__short)
{
	struct arena *arena = arena_new();

	CHECK_STR(arrays_short_name(arena, "rho"), "rho");
	CHECK_STR(arrays_short_name(arena, "mesh->cells[i].density.now"),
		  "mesh->cells[i].density.now");
	CHECK_STR(arrays_short_name(arena, "chunk%tiles(tile)%field%energy1"), "..%field%energy1");
	CHECK_STR(arrays_short_name(arena, "domain->element_data->pressure"),
		  "..->element_data->pressure");
	CHECK_STR(arrays_short_name(arena, "new_grid (0x1ba9 of multi-grid.x)"),
		  "new_grid (0x1ba9)");
	CHECK_STR(arrays_short_name(arena, "a_name_without_members_that_is_long"),
		  "a_name_without_members_that_is_long");
	arena_free(arena);
}
