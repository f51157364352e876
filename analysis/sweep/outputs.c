/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the output of a run with varied numbers of threads with that of runs alone. */
#include "analysis/sweep/outputs.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"

#define NUMBER_BYTES 64 /* a longer word is no number */
#define SHOWN 60        /* bytes of a word or line in a message */

enum { FIRST, SECOND, VARIED, RUNS };

/* False: there is no further line. */
static bool next_line(struct output *rest, struct output *line_out)
{
	const char *end = rest->nr ? memchr(rest->bytes, '\n', rest->nr) : NULL;
	size_t nr = end ? (size_t)(end - rest->bytes) : rest->nr;

	if (!rest->nr)
		return false;
	*line_out = (struct output){ rest->bytes, nr };
	rest->bytes += nr + (end != NULL);
	rest->nr -= nr + (end != NULL);
	return true;
}

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r';
}

/* False: there is no further word. */
static bool next_word(struct output *rest, struct output *word_out)
{
	size_t begin = 0, end;

	while (begin < rest->nr && is_blank(rest->bytes[begin]))
		begin++;
	for (end = begin; end < rest->nr && !is_blank(rest->bytes[end]);)
		end++;
	*word_out = (struct output){ rest->bytes + begin, end - begin };
	rest->bytes += end;
	rest->nr -= end;
	return end > begin;
}

static bool is_same(const struct output *a, const struct output *b)
{
	return a->nr == b->nr && !memcmp(a->bytes, b->bytes, a->nr);
}

static size_t count(struct output of, bool (*next)(struct output *rest, struct output *out))
{
	struct output one;
	size_t nr = 0;

	while (next(&of, &one))
		nr++;
	return nr;
}

/* NAN: it is no number. Fortran's 1.5D+03 is one. */
static double number_of(const struct output *word)
{
	char text[NUMBER_BYTES], *end;
	double value;

	if (!word->nr || word->nr >= sizeof(text))
		return NAN;
	memcpy(text, word->bytes, word->nr);
	text[word->nr] = '\0';
	for (char *at = text; *at; at++)
		if (*at == 'D' || *at == 'd')
			*at = 'e';
	value = strtod(text, &end);
	return *end ? NAN : value;
}

/* Part of the value; INFINITY: they are not both numbers. */
static double distance(const struct output *a, const struct output *b)
{
	double one = number_of(a), other = number_of(b);
	double size = fmax(fabs(one), fabs(other));

	if (isnan(one) || isnan(other) || !isfinite(size))
		return INFINITY;
	return size > 0 ? fabs(one - other) / size : 0;
}

static const char *shown(struct arena *arena, const struct output *text)
{
	const char *copy = arena_strndup(arena, text->bytes, text->nr < SHOWN ? text->nr : SHOWN);

	return text->nr > SHOWN && copy ? arena_printf(arena, "%s…", copy) : copy;
}

static const char *difference(struct arena *arena, size_t line, const struct output *alone,
			      const struct output *varied)
{
	return arena_printf(
		arena,
		"line %zu has '%s' without memsearch, and '%s' where the number of threads varies",
		line, shown(arena, alone), shown(arena, varied));
}

static void compare_word(struct arena *arena, size_t line, const struct output words[RUNS],
			 struct outputs_difference *out)
{
	double apart;

	if (!is_same(&words[FIRST], &words[SECOND])) {
		out->unsteady++;
		return;
	}
	if (is_same(&words[FIRST], &words[VARIED]))
		return;
	apart = distance(&words[FIRST], &words[VARIED]);
	if (apart <= OUTPUTS_ROUNDING)
		out->rounding = fmax(out->rounding, apart);
	else
		out->wrong = difference(arena, line, &words[FIRST], &words[VARIED]);
}

static void compare_line(struct arena *arena, size_t line, const struct output lines[RUNS],
			 struct outputs_difference *out)
{
	struct output rest[RUNS], words[RUNS];
	size_t nr = count(lines[FIRST], next_word);

	if (nr != count(lines[SECOND], next_word)) {
		out->unsteady++;
		return;
	}
	if (nr != count(lines[VARIED], next_word)) {
		out->wrong = difference(arena, line, &lines[FIRST], &lines[VARIED]);
		return;
	}
	memcpy(rest, lines, sizeof(rest));
	for (size_t i = 0; i < nr && !out->wrong; i++) {
		for (int run = 0; run < RUNS; run++)
			next_word(&rest[run], &words[run]);
		compare_word(arena, line, words, out);
	}
}

struct outputs_difference outputs_compare(struct arena *arena, const struct output alone[2],
					  const struct output *varied)
{
	struct output rest[RUNS] = { alone[0], alone[1], *varied }, lines[RUNS];
	struct outputs_difference out = { 0 };
	size_t nr = count(rest[FIRST], next_line), second = count(rest[SECOND], next_line),
	       third = count(rest[VARIED], next_line);

	if (nr != second)
		out.wrong = arena_printf(
			arena,
			"it has %zu line%s in one run without memsearch and %zu in another, and so cannot be compared",
			nr, nr == 1 ? "" : "s", second);
	else if (nr != third)
		out.wrong = arena_printf(
			arena,
			"it has %zu line%s without memsearch, and %zu where the number of threads varies",
			nr, nr == 1 ? "" : "s", third);
	for (size_t i = 0; i < nr && !out.wrong; i++) {
		for (int run = 0; run < RUNS; run++)
			next_line(&rest[run], &lines[run]);
		compare_line(arena, i + 1, lines, &out);
	}
	return out;
}
