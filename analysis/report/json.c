/* SPDX-License-Identifier: Apache-2.0 */
/* Writes JSON into a text. */
#define _GNU_SOURCE /* strtod_l */
#include "analysis/report/json.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/plain.h"
#include "analysis/report/text.h"

void json_init(struct json *json, struct text *out)
{
	*json = (struct json){ .out = out };
}

/* A control character of C1 is two bytes of UTF-8. */
static int is_c1(const unsigned char *bytes)
{
	return bytes[0] == 0xc2 && bytes[1] >= 0x80 && bytes[1] <= 0x9f;
}

/* Escapes one character that is not plain; returns its bytes. */
static size_t add_escaped(struct text *out, const unsigned char *bytes)
{
	if (*bytes == '\n')
		text_add(out, "\\n");
	else if (*bytes < 0x20 || *bytes == 0x7f)
		text_printf(out, "\\u%04x", *bytes);
	else if (is_c1(bytes))
		text_printf(out, "\\u%04x", bytes[1]);
	else
		text_printf(out, "\\\\x%02x", *bytes);
	return is_c1(bytes) ? 2 : 1;
}

static void add_quoted(struct text *out, const char *string)
{
	size_t left = strlen(string);

	text_add(out, "\"");
	while (left) {
		size_t length = plain_length(string, left);

		if (*string == '"' || *string == '\\')
			text_add(out, "\\");
		if (length)
			text_add_bytes(out, string, length);
		else
			length = add_escaped(out, (const unsigned char *)string);
		string += length;
		left -= length;
	}
	text_add(out, "\"");
}

/* The comma before a member, its line and its key. */
static void begin_member(struct json *json, const char *key)
{
	if (json->depth) {
		bool *filled = &json->filled[json->depth - 1];

		text_printf(json->out, "%s\n%*s", *filled ? "," : "", 2 * json->depth, "");
		*filled = true;
	}
	if (key) {
		add_quoted(json->out, key);
		text_add(json->out, ": ");
	}
}

void json_open(struct json *json, const char *key, char bracket)
{
	begin_member(json, key);
	text_add_bytes(json->out, &bracket, 1);
	if (json->depth == JSON_DEPTH_MAX) {
		json->out->cut = 1; /* deeper than any report is */
		return;
	}
	json->open[json->depth] = bracket;
	json->filled[json->depth++] = false;
}

void json_close(struct json *json)
{
	if (!json->depth)
		return;
	json->depth--;
	if (json->filled[json->depth])
		text_printf(json->out, "\n%*s", 2 * json->depth, "");
	text_add_plain(json->out, json->open[json->depth] == '{' ? "}" : "]");
	if (!json->depth)
		text_add(json->out, "\n");
}

void json_string(struct json *json, const char *key, const char *value)
{
	begin_member(json, key);
	if (value)
		add_quoted(json->out, value);
	else
		text_add(json->out, "null");
}

static bool reads_back(const char *text, double value)
{
	return strtod_l(text, NULL, newlocale(LC_ALL_MASK, "C", (locale_t)0)) == value;
}

/* Whole numbers as such, others with as few digits as read back to the same double. */
void json_number(struct json *json, const char *key, double value)
{
	size_t start;

	begin_member(json, key);
	start = json->out->length;
	if (!isfinite(value)) {
		text_add(json->out, "null");
		return;
	}
	if (value == floor(value) && fabs(value) < 1e15) {
		text_printf(json->out, "%.0f", value);
		return;
	}
	for (int digits = 6; digits <= 17; digits++) {
		json->out->length = start;
		text_printf(json->out, "%.*g", digits, value);
		if (json->out->cut || reads_back(json->out->bytes + start, value))
			return;
	}
}

void json_unsigned(struct json *json, const char *key, uint64_t value)
{
	begin_member(json, key);
	text_printf(json->out, "%" PRIu64, value);
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin_member(json, key);
	text_add_plain(json->out, value ? "true" : "false");
}

void json_null(struct json *json, const char *key)
{
	begin_member(json, key);
	text_add(json->out, "null");
}
