/* SPDX-License-Identifier: Apache-2.0 */
/* What terminals show and what they obey. */
#include "analysis/base/plain.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include "analysis/base/arena.h"
#include "analysis/report/csv.h"
#include "analysis/report/json.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"
#include "tests/unit/test.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

TEST(plain__only_what_is_shown_stays)
{
	static const struct {
		int line;
		const char *before, *after;
	} rows[] = {
		{ __LINE__, "", "" },
		{ __LINE__, "calc2 (swim.c:117)", "calc2 (swim.c:117)" },
		{ __LINE__, "größer — 漢 𝄞", "größer — 漢 𝄞" },
		{ __LINE__, "a\033[2Jb\nc\td\re\177", "a?[2Jb?c?d?e?" },
		/* C1: CSI as UTF-8; a no-break space is none */
		{ __LINE__, "\302\233m\302\240", "??m\302\240" },
		{ __LINE__, "\233m\377", "?m?" }, /* CSI of 8 bits */
		{ __LINE__, "\303", "?" },        /* cut */
		{ __LINE__, "\342\200x", "??x" },
		/* longer than need be, surrogates, too large */
		{ __LINE__, "\300\233 \340\200\233 \355\240\200 \364\220\200\200",
		  "?? ??? ??? ????" },
	};

	for (size_t i = 0; i < NR(rows); i++) {
		char bytes[64];

		snprintf(bytes, sizeof(bytes), "%s", rows[i].before);
		plain_bytes(bytes, strlen(bytes));
		CHECK_STR(bytes, rows[i].after);
	}
}

static const char evil[] = "x\033]0;t\007\ny\302\233z";

/* Whatever is added to a text, however. */
TEST(plain__no_emitter_lets_control_characters_through)
{
	static const struct table_column columns[] = { { "name", NULL }, { "last", NULL } };
	static const char *const formats[] = { "text", "csv", "json" };
	struct arena *arena = arena_new();
	struct table table;
	struct text text;
	struct json json;

	text_init(&text, arena);
	text_add_plain(&text, evil);
	text_printf(&text, "%s|%-20s|%.*s|%c", evil, evil, 9, evil, 7);
	text_wrap(&text, evil, 0, 1000);
	csv_string(&text, 0, evil);
	csv_string(&text, 0, "a,\"\033\r\n");
	json_init(&json, &text);
	json_string(&json, evil, evil);
	table_init(&table, arena, "evil", columns, NR(columns));
	table_string(&table, evil);
	table_string(&table, evil);
	table_note(&table, "note", evil);
	for (size_t i = 0; i < NR(formats); i++)
		table_print(&text, &table, formats[i]);
	for (size_t at = 0; at < text.length; at++)
		CHECK(text.bytes[at] == '\n' || (text.bytes[at] & 0xe0));
	CHECK(!strstr(text.bytes, "\302\233") && !strstr(text.bytes, "\ny") &&
	      strstr(text.bytes, "\\u001b]0;t\\u0007\\ny\\u009bz"));
}

TEST(plain__formats_are_those_of_printf)
{
	struct arena *arena = arena_new();
	struct text text;
	char expected[200];

	text_init(&text, arena);
#define BOTH(...) \
	do { \
		text.length = 0; \
		text_printf(&text, __VA_ARGS__); \
		snprintf(expected, sizeof(expected), __VA_ARGS__); \
		CHECK_STR(text.bytes, expected); \
	} while (0)
	BOTH("plain\n\033[1m%%");
	BOTH("%d %5d|%-5d|%05d %+d", -3, 42, 42, 42, 42);
	BOTH("%u %lu %zu %ju %x %02x %#lx", 4000000000u, 1ul << 63, (size_t)-1, UINTMAX_MAX, 255u,
	     7u, 255ul);
	BOTH("%ld %zd %jd", -1l, (ssize_t)-2, INTMAX_MIN);
	BOTH("%s|%10s|%-10s|%.2s|%*s|%-*s|%.*s|%*.*s", "abc", "abc", "abc", "abc", 6, "abc", 6,
	     "abc", 1, "abc", 5, 2, "abc");
	BOTH("%f %.0f %.3g %.*g %*.*f %e", 1.5, 2.5, 1234.5, 17, 0.1, 9, 2, 3.14159, 1e300);
	BOTH("%c%c", 'a', 'b');
}
