/* SPDX-License-Identifier: Apache-2.0 */
/* Growing strings, breaking lines, numbers with units. */
#include "analysis/report/text.h"

#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/report/units.h"
#include "tests/unit/test.h"

static struct text new_text(void)
{
	struct text text;

	text_init(&text, arena_new());
	return text;
}

TEST(text__grows)
{
	struct text text = new_text();

	for (int i = 0; i < 100000; i++)
		text_printf(&text, "%d,", i % 10);
	CHECK_INT(text.length, 200000);
	CHECK_INT(strlen(text.bytes), 200000);
	CHECK(!text.cut && !memcmp(text.bytes + 199990, "5,6,7,8,9,", 10));
}

TEST(text__without_memory_it_keeps_what_it_has)
{
	struct text text = new_text();

	text_add(&text, "kept");
	text_add_bytes(&text, "x", (size_t)1 << 62);
	CHECK(text.cut);
	text_add(&text, "lost");
	CHECK_STR(text.bytes, "kept");
}

TEST(text__wrap)
{
	static const struct {
		int line;
		const char *before, *string;
		int indent, width;
		const char *after;
	} rows[] = {
		{ __LINE__, "", "", 2, 10, "" },
		{ __LINE__, "", "one two three", 2, 9, "one two\n  three" },
		{ __LINE__, "a: ", "one two three", 3, 10, "a: one two\n   three" },
		{ __LINE__, "", "exactly10x 2", 0, 10, "exactly10x\n2" },
		{ __LINE__, "", "averyverylongword x", 1, 5, "averyverylongword\n x" },
		{ __LINE__, "", "  many   blanks ", 0, 80, "many blanks" },
		{ __LINE__, "a", " b", 0, 80, "a b" },
		{ __LINE__, "a", "b", 0, 80, "ab" },
		{ __LINE__, "a ", " b", 0, 80, "a b" },
		{ __LINE__, "\033[1mred\033[0m", " two three", 0, 7,
		  "\033[1mred\033[0m two\nthree" },
		{ __LINE__, "", "no\nline", 2, 80, "no line" },
		{ __LINE__, "", "about 31 % more", 0, 8, "about\n31 %\nmore" },
		{ __LINE__, "", "bad\033[1mword\a", 0, 80, "bad?[1mword?" },
		{ __LINE__, "", "\xc3\xa4\xc3\xb6\xc3\xbc \xc3\x9f", 0, 5,
		  "\xc3\xa4\xc3\xb6\xc3\xbc \xc3\x9f" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct text text = new_text();

		text_add_bytes(&text, rows[i].before, strlen(rows[i].before));
		text_wrap(&text, rows[i].string, rows[i].indent, rows[i].width);
		if (strcmp(text.bytes, rows[i].after) != 0)
			test_fail(__FILE__, rows[i].line, "\"%s\", not \"%s\"", text.bytes,
				  rows[i].after);
	}
}

TEST(units__have_three_digits_and_a_fitting_size)
{
	static const struct {
		int line;
		double value;
		const char *unit, *text;
	} rows[] = {
		{ __LINE__, 0, "ns", "0 ns" },
		{ __LINE__, 812, "ns", "812 ns" },
		{ __LINE__, 1234, "ns", "1.23 us" },
		{ __LINE__, 12345678, "ns", "12.3 ms" },
		{ __LINE__, 999.6e6, "ns", "1000 ms" },
		{ __LINE__, 1e9, "ns", "1 s" },
		{ __LINE__, 4.5678e12, "ns", "4568 s" },
		{ __LINE__, 0.25, "ns", "0.25 ns" },
		{ __LINE__, -1500, "ns", "-1.50 us" },
		{ __LINE__, 9999, "1", "9999" },
		{ __LINE__, 12345, "1", "12.3 k" },
		{ __LINE__, 0.0421, "1", "0.042" },
		{ __LINE__, 3e7, "1", "30 M" },
		{ __LINE__, 65536, "bytes", "64 KiB" },
		{ __LINE__, 100, "bytes", "100 bytes" },
		{ __LINE__, 31.2, "%", "31 %" },
		{ __LINE__, 0.42, "ratio", "0.42" },
		{ __LINE__, 3, "pages", "3 pages" },
		{ __LINE__, 7, NULL, "7" },
		{ __LINE__, NAN, "ns", "unknown" },
		{ __LINE__, INFINITY, "ratio", "unknown" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct text text = new_text();

		units_value(&text, rows[i].value, rows[i].unit);
		if (strcmp(text.bytes, rows[i].text) != 0)
			test_fail(__FILE__, rows[i].line, "\"%s\", not \"%s\"", text.bytes,
				  rows[i].text);
	}
}

TEST(units__ranges_of_shares)
{
	struct text out;

	text_init(&out, arena_new());
	units_share_range(&out, 0.061, 0.342);
	text_add(&out, " ");
	units_share_range(&out, 0.0001, 0.0099);
	text_add(&out, " ");
	units_share_range(&out, 0, 1);
	CHECK_STR(out.bytes, "6.1-34 % 0-1.0 % 0-100 %");
}

TEST(units__shares)
{
	static const struct {
		int line;
		double share;
		const char *text;
	} rows[] = {
		{ __LINE__, 0.312, "31 %" },  { __LINE__, 0.0312, "3.1 %" },
		{ __LINE__, 0, "0 %" },       { __LINE__, 0.0004, "less than 0.1 %" },
		{ __LINE__, 1, "100 %" },     { __LINE__, 0.0996, "10 %" },
		{ __LINE__, NAN, "unknown" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct text text = new_text();

		units_share(&text, rows[i].share);
		if (strcmp(text.bytes, rows[i].text) != 0)
			test_fail(__FILE__, rows[i].line, "\"%s\", not \"%s\"", text.bytes,
				  rows[i].text);
	}
}
