/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer, the CSV fields and the table: structure, quoting, numbers. */
#include "analysis/report/json.h"

#include <math.h>

#include "analysis/report/csv.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"
#include "tests/unit/json_value.h"

static struct text new_text(void)
{
	struct text text;

	text_init(&text, arena_new());
	return text;
}

TEST(json__structure)
{
	struct text out = new_text();
	struct json json;

	json_init(&json, &out);
	json_open(&json, NULL, '{');
	json_string(&json, "a", "x");
	json_open(&json, "b", '[');
	json_close(&json);
	json_open(&json, "c", '[');
	json_unsigned(&json, NULL, UINT64_MAX);
	json_bool(&json, NULL, true);
	json_null(&json, NULL);
	json_close(&json);
	json_close(&json);
	CHECK_STR(
		out.bytes,
		"{\n  \"a\": \"x\",\n  \"b\": [],\n  \"c\": [\n    18446744073709551615,\n    true,\n    null\n  ]\n}\n");
}

TEST(json__numbers_read_back_to_the_same_double)
{
	static const double numbers[] = { 0,       1,      -1,     0.1,
					  1.0 / 3, 1e300,  5e-324, 123456789.125,
					  1e15,    262144, 2.5e-7, 0.31 };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct text out = new_text();
		const char *error;
		struct json json;

		json_init(&json, &out);
		json_number(&json, NULL, numbers[i]);
		CHECK(json_parse(out.bytes, &error) != NULL);
		CHECK_THAT(json_parse(out.bytes, &error)->number, ==, numbers[i]);
	}
}

TEST(json__numbers_are_short)
{
	static const struct {
		int line;
		double number;
		const char *text;
	} rows[] = {
		{ __LINE__, 0.31, "0.31" },
		{ __LINE__, 1234567, "1234567" },
		{ __LINE__, NAN, "null" },
		{ __LINE__, -INFINITY, "null" },
		{ __LINE__, 1e14, "100000000000000" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct text out = new_text();
		struct json json;

		json_init(&json, &out);
		json_number(&json, NULL, rows[i].number);
		if (strcmp(out.bytes, rows[i].text) != 0)
			test_fail(__FILE__, rows[i].line, "%s, not %s", out.bytes, rows[i].text);
	}
}

/* Is all of it UTF-8 by RFC 3629? Decodes and compares with the least length, unlike the writer. */
static bool is_utf8(const unsigned char *bytes)
{
	while (*bytes) {
		unsigned int nr = *bytes < 0x80 ? 0 : *bytes < 0xe0 ? 1 : *bytes < 0xf0 ? 2 : 3;
		unsigned int code = nr ? *bytes & (0x3fu >> nr) : *bytes;
		static const unsigned int least[] = { 0, 0x80, 0x800, 0x10000 };

		if (*bytes >= 0xf8 || (*bytes & 0xc0) == 0x80)
			return false;
		bytes++;
		for (unsigned int i = 0; i < nr; i++, bytes++) {
			if ((*bytes & 0xc0) != 0x80)
				return false;
			code = code << 6 | (*bytes & 0x3f);
		}
		if (code < least[nr] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
			return false;
	}
	return true;
}

/* Every string of up to three bytes out of those at the borders of the UTF-8 table. */
TEST(json__any_bytes_give_valid_utf8)
{
	static const unsigned char bytes[] = { 'a',  '"',  '\\', 0x01, 0x1f, 0x7f, 0x80,
					       0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1,
					       0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee,
					       0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff };
	size_t nr = sizeof(bytes);

	for (size_t i = 0; i < nr * nr * nr; i++) {
		char string[5] = { (char)bytes[i % nr], (char)bytes[i / nr % nr],
				   (char)bytes[i / nr / nr], (char)0x80 };
		struct arena *arena = arena_new();
		struct text out;
		struct json json;
		const char *error;

		text_init(&out, arena);
		json_init(&json, &out);
		json_string(&json, NULL, string);
		if (!is_utf8((unsigned char *)out.bytes) || !json_parse(out.bytes, &error))
			test_fail(__FILE__, __LINE__, "%02x %02x %02x: %s", string[0] & 255,
				  string[1] & 255, string[2] & 255, out.bytes);
		arena_free(arena);
	}
}

TEST(json__too_deep_is_said_and_harmless)
{
	struct text out = new_text();
	struct json json;

	json_init(&json, &out);
	for (int i = 0; i < 2 * JSON_DEPTH_MAX; i++)
		json_open(&json, NULL, '[');
	for (int i = 0; i < 3 * JSON_DEPTH_MAX; i++)
		json_close(&json);
	CHECK(out.cut);
}

TEST(json__the_reader_of_the_tests_refuses_what_is_not_json)
{
	static const char *const wrong[] = { "",    "{",     "[1,]",     "{\"a\" 1}", "01x",  "\"a",
					     "nul", "[1] 2", "\"\x01\"", "\"\\x\"",   "{1:2}" };
	const char *error;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (json_parse(wrong[i], &error))
			test_fail(__FILE__, __LINE__, "accepted: %s", wrong[i]);
}

TEST(csv__quotes_what_needs_it)
{
	struct text out = new_text();

	csv_string(&out, 1, "plain");
	csv_string(&out, 0, "a,b");
	csv_string(&out, 0, "say \"no\"");
	csv_string(&out, 0, "two\nlines");
	csv_string(&out, 0, NULL);
	csv_number(&out, 0, 0.25);
	csv_number(&out, 0, NAN);
	csv_number(&out, 0, 1234567890);
	CHECK_STR(out.bytes, "plain,\"a,b\",\"say \"\"no\"\"\",\"two lines\",,0.25,,1234567890");
}

static struct text print_table(const char *format)
{
	static const struct table_column columns[] = { { "name", NULL },
						       { "time", "ns" },
						       { "meaning", NULL } };
	struct text out = new_text();
	struct table table;

	table_init(&table, out.arena, "things", columns, 3);
	table_string(&table, "a");
	table_number(&table, 1500);
	table_string(&table, "short");
	table_string(&table, "longer name");
	table_number(&table, NAN);
	table_string(
		&table,
		"a text that is so long that it has to be broken at a blank, because a line has one hundred columns");
	table_print(&out, &table, format);
	return out;
}

TEST(table__text_is_aligned_and_wrapped)
{
	CHECK_STR(
		print_table("text").bytes,
		"name            time  meaning\n"
		"a            1.50 us  short\n"
		"longer name        -  a text that is so long that it has to be broken at a blank, because a line has\n"
		"                      one hundred columns\n");
}

static const char *print_late(struct text *out, const char *last)
{
	static const struct table_column columns[] = {
		{ "a name that fills the line more than half and more than that", NULL },
		{ "meaning", NULL }
	};
	struct table table;

	table_init(&table, out->arena, "things", columns, 2);
	table_string(&table, "x");
	table_string(&table, last);
	table_print(out, &table, "text");
	return out->bytes;
}

TEST(table__a_late_last_column_gets_its_own_lines)
{
	struct text out = new_text(), fits = new_text();

	CHECK(strstr(print_late(&out, "what it means in more words than a line has"),
		     "\n    what it means in more words than a line has\n"));
	CHECK(strstr(out.bytes, "\n    meaning\n"));
	CHECK(strstr(print_late(&fits, "what it means"), "  what it means\n") &&
	      strstr(fits.bytes, "that  meaning\n"));
}

TEST(table__headings_and_footer_are_for_people)
{
	static const struct table_column columns[] = { { "measured_time", "ns" },
						       { "place", NULL } };
	static const char *const headings[] = { "time", "place" };
	struct text out = new_text();
	struct table table;

	table_init(&table, out.arena, "things", columns, 2);
	table.headings = headings;
	table.footer = "time: while measured";
	table_number(&table, 1500);
	table_string(&table, "x");
	table_print(&out, &table, "text");
	CHECK_STR(out.bytes, "   time  place\n1.50 us  x\n\ntime: while measured\n");
	out = new_text();
	table_print(&out, &table, "csv");
	CHECK_STR(out.bytes, "measured_time,place\n1500,x\n");
}

TEST(table__machine_formats)
{
	const char *error;
	const struct json_value *rows = json_member(json_parse(print_table("json").bytes, &error),
						    "things");

	CHECK_INT(json_count(rows), 2);
	CHECK_INT(json_member(json_element(rows, 0), "time")->number, 1500);
	CHECK_INT(json_member(json_element(rows, 1), "time")->type, JSON_NULL);
	CHECK_STR(json_member(json_element(rows, 1), "name")->string, "longer name");
	CHECK(strstr(print_table("csv").bytes,
		     "name,time,meaning\na,1500,short\nlonger name,,\"a text") != NULL);
}
