/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions in texts. */
#include "analysis/report/source_words.h"

#include "analysis/base/arena.h"
#include "tests/unit/test.h"

TEST(source_words__long_names_lose_template_arguments)
{
	static const struct {
		int line;
		const char *name, *want;
	} rows[] = {
		{ __LINE__, "std::vector<double>::at", "std::vector<double>::at" },
		{ __LINE__,
		  "std::_Hashtable<int, std::pair<int const, double>, std::allocator<std::pair<int const, double>>>::find",
		  "std::_Hashtable<…>::find" },
		{ __LINE__,
		  "mesh::sorted<std::pair<int const, double>, mesh::by_number>::operator<<std::pair<int, int>>",
		  "mesh::sorted<…>::operator<<…>" },
		{ __LINE__,
		  "a_function_with_a_very_long_name_and_no_template_arguments_at_all_of_the_program",
		  "a_function_with_a_very_long_name_and_no_template_arguments_at_all_of_the_program" },
		{ __LINE__,
		  "a_function_with_a_very_long_name_that_was_cut_off_within_its_template_arguments<int, st",
		  "a_function_with_a_very_long_name_that_was_cut_off_within_its_template_arguments<int, st" },
	};
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(source_function(arena, rows[i].name), rows[i].want) != 0)
			test_fail(__FILE__, rows[i].line, "%s",
				  source_function(arena, rows[i].name));
	CHECK(!source_function(arena, NULL));
	arena_free(arena);
}
