/* SPDX-License-Identifier: Apache-2.0 */
/* What programs print alone and with varied numbers of threads. */
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/sweep/outputs.h"
#include "tests/unit/test.h"

static struct outputs_difference compare(struct arena *arena, const char *first, const char *second,
					 const char *varied)
{
	const struct output alone[] = { { first, strlen(first) }, { second, strlen(second) } },
			    third = { varied, strlen(varied) };

	return outputs_compare(arena, alone, &third);
}

TEST(outputs__what_counts)
{
	static const struct {
		int line;
		const char *first, *second, *varied, *want;
		size_t unsteady;
	} cases[] = {
		{ __LINE__, "", "", "", NULL, 0 },
		{ __LINE__, "sum 1\n", "sum 1\n", "sum 1\n", NULL, 0 },
		{ __LINE__, "sum 1\n", "sum 1\n", "sum 2\n",
		  "line 1 has '1' without memsearch, and '2' where the number of threads varies",
		  0 },
		{ __LINE__, "a\nsum 1\n", "a\nsum 1\n", "a\nsum none\n",
		  "line 2 has '1' without memsearch, and 'none' where the number of threads varies",
		  0 },
		{ __LINE__, "a b\n", "a b\n", "a b c\n",
		  "line 1 has 'a b' without memsearch, and 'a b c' where the number of threads varies",
		  0 },
		{ __LINE__, "a\n", "a\n", "a\nb\n",
		  "it has 1 line without memsearch, and 2 where the number of threads varies", 0 },
		{ __LINE__, "a\nb\n", "a\nb\n", "",
		  "it has 2 lines without memsearch, and 0 where the number of threads varies", 0 },
		{ __LINE__, "a\n", "a\nb\n", "a\n",
		  "it has 1 line in one run without memsearch and 2 in another, and so cannot be compared",
		  0 },
		/* times */
		{ __LINE__, "t 1.5 s\nx 3", "t 1.6 s\nx 3", "t 2.5 s\nx 3", NULL, 1 },
		{ __LINE__, "t 1.5 s\nx 3", "t 1.6 s\nx 3", "t 2.5 s\nx 4",
		  "line 2 has '3' without memsearch, and '4' where the number of threads varies",
		  1 },
		{ __LINE__, "on 2 of 4\n", "on 2\n", "on 7 of 9 of 11\n", NULL, 1 },
		/* blanks do not count, the end of the last line does not either */
		{ __LINE__, "a  b \r\nc", "a b\nc", "\ta b\nc\n", NULL, 0 },
	};
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct outputs_difference have = compare(arena, cases[i].first, cases[i].second,
							 cases[i].varied);

		if (!have.wrong != !cases[i].want ||
		    (have.wrong && strcmp(have.wrong, cases[i].want) != 0) ||
		    have.unsteady != cases[i].unsteady)
			test_fail(__FILE__, cases[i].line, "%s; %zu unsteady",
				  have.wrong ? have.wrong : "no difference", have.unsteady);
	}
	arena_free(arena);
}

TEST(outputs__sums_in_another_order)
{
	static const struct {
		int line;
		const char *alone, *varied;
		double rounding; /* -1: wrong */
	} cases[] = {
		{ __LINE__, "1.000000000001", "1.000000000002", 1e-12 },
		{ __LINE__, "-1.5D+03", "-1.5E+03", 0 },
		{ __LINE__, "1.000000001D+20", "1.0000000011D+20", 1e-10 },
		{ __LINE__, "1.00000001", "1.00000002", -1 },
		{ __LINE__, "0", "-0.0", 0 },
		{ __LINE__, "0", "1e-30", -1 },
		{ __LINE__, "1", "-1", -1 },
		{ __LINE__, "nan", "1", -1 },
		{ __LINE__, "inf", "1", -1 },
		{ __LINE__, "sum=1.000000000001", "sum=1.000000000002", -1 },
	};
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct outputs_difference have = compare(arena, cases[i].alone, cases[i].alone,
							 cases[i].varied);
		bool right = cases[i].rounding < 0
				     ? have.wrong != NULL
				     : !have.wrong && have.rounding >= 0.9 * cases[i].rounding &&
					       have.rounding <= 1.1 * cases[i].rounding;

		if (!right)
			test_fail(__FILE__, cases[i].line, "%s, %g",
				  have.wrong ? have.wrong : "no difference", have.rounding);
	}
	arena_free(arena);
}

/* Bytes after a zero count, and long lines are shortened in messages. */
TEST(outputs__any_bytes)
{
	static char line[5000];
	const struct output zeros = { "a\0b\n", 4 }, others = { "a\0c\n", 4 },
			    alone[] = { zeros, zeros };
	struct arena *arena = arena_new();
	struct outputs_difference have;

	CHECK(!outputs_compare(arena, alone, &zeros).wrong);
	CHECK(outputs_compare(arena, alone, &others).wrong != NULL);
	memset(line, 'x', sizeof(line) - 1);
	have = compare(arena, line, line, "y");
	CHECK(have.wrong != NULL);
	CHECK_THAT(strlen(have.wrong), <, 200);
	arena_free(arena);
}
