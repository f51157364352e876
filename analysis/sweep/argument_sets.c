/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of arguments, by the simplest of a shell's rules for words. */
#include "analysis/sweep/argument_sets.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/whole_file.h"
#include "analysis/sweep/plan.h"

static const char no_memory[] = "out of memory";

static bool is_blank(char letter)
{
	return letter == ' ' || letter == '\t' || letter == '\r';
}

/*
 * Takes one word from *at to `out`, which has room for the rest of the line. False: a quote is not
 * closed; it is at *at then. In single quotes all letters are literal; outside a backslash makes
 * the next one literal, in double quotes only before " and \.
 */
static bool take_word(const char **at, const char *end, char *out)
{
	const char *quote = NULL;

	for (const char *letter = *at; letter < end && (quote || !is_blank(*letter));
	     *at = ++letter) {
		bool escapes = *letter == '\\' && letter + 1 < end &&
			       (!quote ||
				(*quote == '"' && (letter[1] == '"' || letter[1] == '\\')));

		if (escapes)
			*out++ = *++letter;
		else if (quote && *letter == *quote)
			quote = NULL;
		else if (!quote && (*letter == '\'' || *letter == '"'))
			quote = letter;
		else
			*out++ = *letter;
	}
	*out = '\0';
	if (quote)
		*at = quote;
	return !quote;
}

static bool add_word(struct arena *arena, struct sweep_arguments *set, const char *word)
{
	if (!word || !ARENA_GROW(arena, set->words.items, set->words.nr, set->words.room))
		return false;
	set->words.items[set->words.nr++] = word;
	return true;
}

/*
 * In double quotes where it would be another word, or none, without them. No two words become the
 * same text.
 */
static const char *quoted(struct arena *arena, const char *word)
{
	char *text, *end;

	if (*word && *word != '#' && !strpbrk(word, " \t\r\n'\"\\"))
		return word;
	text = end = arena_alloc(arena, 2 * strlen(word) + 3);
	if (!text)
		return NULL;
	*end++ = '"';
	for (; *word; word++) {
		if (*word == '"' || *word == '\\')
			*end++ = '\\';
		*end++ = *word;
	}
	*end = '"';
	return text;
}

static const char *add_set(struct arena *arena, struct sweep_plan *plan, struct sweep_arguments set)
{
	set.text = "";
	for (size_t i = 0; i < set.words.nr && set.text; i++) {
		const char *word = quoted(arena, set.words.items[i]);

		set.text = word ? arena_printf(arena, "%s%s%s", set.text, i ? " " : "", word)
				: NULL;
	}
	if (!set.text ||
	    !ARENA_GROW(arena, plan->arguments, plan->nr_arguments, plan->room_arguments))
		return no_memory;
	plan->arguments[plan->nr_arguments++] = set;
	return NULL;
}

static const char *begin_set(struct arena *arena, struct sweep_arguments *set, char *const *words,
			     size_t nr)
{
	*set = (struct sweep_arguments){ 0 };
	for (size_t i = 0; i < nr; i++)
		if (!add_word(arena, set, words[i]))
			return no_memory;
	return NULL;
}

static const char *parse_line(struct arena *arena, struct sweep_arguments *set, const char *path,
			      size_t line, const char *text, const char *end)
{
	for (;;) {
		char *word = arena_alloc(arena, (size_t)(end - text) + 1);

		while (text < end && is_blank(*text))
			text++;
		if (text == end)
			return NULL;
		if (!word)
			return no_memory;
		if (!take_word(&text, end, word))
			return arena_printf(arena, "%s:%zu: the quote %c is not closed", path, line,
					    *text);
		if (!add_word(arena, set, word))
			return no_memory;
	}
}

static bool is_skipped(const char *text, const char *end)
{
	while (text < end && is_blank(*text))
		text++;
	return text == end || *text == '#';
}

static const char *check_new(struct arena *arena, const struct sweep_plan *plan, const char *path,
			     size_t line)
{
	const struct sweep_arguments *last = &plan->arguments[plan->nr_arguments - 1];

	for (const struct sweep_arguments *set = plan->arguments; set < last; set++)
		if (!strcmp(set->text, last->text))
			return arena_printf(arena, "%s:%zu: these arguments are there twice", path,
					    line);
	return NULL;
}

const char *arguments_parse(struct arena *arena, struct sweep_plan *plan, const char *path,
			    const char *text, size_t length, char *const *words, size_t nr_words)
{
	const char *wrong = NULL, *end = text + length;

	if (memchr(text, '\0', length))
		return arena_printf(arena, "%s is no text", path);
	for (size_t line = 1; text < end && !wrong; line++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text)),
			   *stop = newline ? newline : end;
		struct sweep_arguments set;

		if (!is_skipped(text, stop)) {
			wrong = begin_set(arena, &set, words, nr_words);
			wrong = wrong ? wrong : parse_line(arena, &set, path, line, text, stop);
			wrong = wrong ? wrong : add_set(arena, plan, set);
			wrong = wrong ? wrong : check_new(arena, plan, path, line);
		}
		text = newline ? newline + 1 : end;
	}
	return !wrong && !plan->nr_arguments
		       ? arena_printf(arena, "%s has no line with arguments", path)
		       : wrong;
}

const char *arguments_read(struct arena *arena, struct sweep_plan *plan, const char *path,
			   char *const *words, size_t nr_words)
{
	size_t length;
	const char *text = whole_file_read(arena, path, SWEEP_ARGUMENTS_BYTES, &length);

	if (!text)
		return arena_printf(arena, "cannot read '%s': %s", path, strerror(errno));
	return arguments_parse(arena, plan, path, text, length, words, nr_words);
}

const char *arguments_of(struct arena *arena, struct sweep_plan *plan, char *const *words,
			 size_t nr_words)
{
	struct sweep_arguments set;
	const char *wrong = begin_set(arena, &set, words, nr_words);

	return wrong ? wrong : add_set(arena, plan, set);
}
