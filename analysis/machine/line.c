/* SPDX-License-Identifier: Apache-2.0 */
/* The words of one line. */
#include "analysis/machine/line.h"

#include <string.h>

#include "analysis/base/arena.h"

#define REST_MAX 64 /* bytes of the user's text in a message */

static void skip_blanks(struct line *line)
{
	while (line->at < line->end && (*line->at == ' ' || *line->at == '\t' || *line->at == '\r'))
		line->at++;
}

bool line_ended(struct line *line)
{
	skip_blanks(line);
	return line->at == line->end || (line->end - line->at >= 2 && !memcmp(line->at, "//", 2));
}

bool line_at(struct line *line, char c)
{
	return !line_ended(line) && *line->at == c;
}

bool line_take(struct line *line, char c)
{
	bool there = line_at(line, c);

	line->at += there;
	return there;
}

static bool is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '-';
}

const char *line_word(struct line *line, struct arena *arena)
{
	const char *begin;

	skip_blanks(line);
	begin = line->at;
	while (line->at < line->end && is_word_byte(*line->at))
		line->at++;
	return arena_strndup(arena, begin, (size_t)(line->at - begin));
}

const char *line_quoted(struct line *line, struct arena *arena)
{
	const char *begin = line->at + 1, *close = memchr(begin, '"', (size_t)(line->end - begin));

	if (!close || memchr(begin, '\0', (size_t)(close - begin)))
		return NULL;
	line->at = close + 1;
	return arena_strndup(arena, begin, (size_t)(close - begin));
}

bool line_number(struct line *line, double *out)
{
	double number = 0, scale = 1;
	bool point = false, digits = false;

	skip_blanks(line);
	for (; line->at < line->end; line->at++) {
		char c = *line->at;

		if (c == '.' && !point) {
			point = true;
		} else if (c >= '0' && c <= '9') {
			digits = true;
			number = number * 10 + (c - '0');
			scale *= point ? 10 : 1;
		} else {
			break;
		}
	}
	*out = number / scale;
	return digits;
}

const char *line_rest(const struct line *line, struct arena *arena)
{
	size_t nr = 0;

	while (line->at + nr < line->end && nr < REST_MAX && (unsigned char)line->at[nr] > ' ')
		nr++;
	return arena_strndup(arena, line->at, nr);
}
