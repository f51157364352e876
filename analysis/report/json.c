/* SPDX-License-Identifier: Apache-2.0 */
/* Writes JSON into a text. */
#define _GNU_SOURCE              /* strtod_l */
#include "analysis/report/json.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/text.h"

void json_init(struct json *json, struct text *out)
{
	*json = (struct json){ .out = out };
}

/* Length of the valid UTF-8 sequence at `bytes`, 0 if there is none (RFC 3629, table of section 4). */
static size_t utf8_length(const unsigned char *bytes)
{
	static const struct {
		unsigned char first_low, first_high, second_low, second_high;
		size_t length;
	} forms[] = {
		{ 0x01, 0x7f, 0x00, 0xff, 1 },
		{ 0xc2, 0xdf, 0x80, 0xbf, 2 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		size_t at = 2;

		if (bytes[0] < forms[i].first_low || bytes[0] > forms[i].first_high)
			continue;
		if (forms[i].length == 1)
			return 1;
		if (bytes[1] < forms[i].second_low || bytes[1] > forms[i].second_high)
			return 0;
		while (at < forms[i].length && (bytes[at] & 0xc0) == 0x80)
			at++;
		return at == forms[i].length ? at : 0;
	}
	return 0;
}

static void add_quoted(struct text *out, const char *string)
{
	const unsigned char *bytes = (const unsigned char *)string;

	text_add(out, "\"");
	while (*bytes) {
		size_t length = utf8_length(bytes);

		if (*bytes == '"' || *bytes == '\\')
			text_printf(out, "\\%c", *bytes);
		else if (*bytes == '\n')
			text_add(out, "\\n");
		else if (*bytes < 0x20 || *bytes == 0x7f)
			text_printf(out, "\\u%04x", *bytes);
		else if (!length)
			text_printf(out, "\\\\x%02x", *bytes);
		else
			text_add_bytes(out, (const char *)bytes, length);
		bytes += length ? length : 1;
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
		json->out->cut = 1;      /* deeper than any report is */
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
	text_add(json->out, json->open[json->depth] == '{' ? "}" : "]");
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
	text_add(json->out, value ? "true" : "false");
}

void json_null(struct json *json, const char *key)
{
	begin_member(json, key);
	text_add(json->out, "null");
}
