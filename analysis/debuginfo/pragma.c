/* SPDX-License-Identifier: Apache-2.0 */
/* Directives in source files, by line. */
#include "analysis/debuginfo/pragma.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "analysis/base/arena.h"
#include "analysis/debuginfo/source_text.h"

#define DIRECTIVE_BYTES 256

struct directive {
	int line;
	char text[DIRECTIVE_BYTES]; /* behind "omp", lower case */
};

struct directive_list {
	struct directive_list *next;
	const char *path;
	int64_t modified;
	struct directive *directives;
	size_t nr, room;
};

struct pragmas {
	struct arena *arena;
	struct directive_list *texts;
};

/* Which words begin or make a construct; gcc runs sections as a dynamic loop. */
static const struct {
	enum ms_region_kind kind;
	const char *words[5];
} constructs[] = {
	{ MS_PARALLEL_REGION, { "parallel" } },
	{ MS_DO_REGION, { "for", "do", "sections", "taskloop" } },
	{ MS_SECTIONS_REGION, { "sections" } },
	{ MS_SINGLE_REGION, { "single" } },
	{ MS_WORKSHARE_REGION, { "workshare" } },
	{ MS_MASTER_REGION, { "master", "masked" } },
	{ MS_TASK_REGION, { "task", "taskloop" } },
	{ MS_TASKWAIT_REGION, { "taskwait", "taskgroup" } },
	{ MS_BARRIER_REGION, { "barrier" } },
	{ MS_CRITICAL_REGION, { "critical" } },
};

struct pragmas *pragmas_new(struct arena *arena)
{
	struct pragmas *pragmas = arena_alloc(arena, sizeof(*pragmas));

	if (pragmas)
		pragmas->arena = arena;
	return pragmas;
}

static const char *skip_blanks(const char *text, const char *end)
{
	while (text < end && (*text == ' ' || *text == '\t'))
		text++;
	return text;
}

/*
 * Behind "#pragma omp", "!$omp", "c$omp", "*$omp"; NULL: another line, or a continuation "!$omp&".
 */
static const char *behind_sentinel(const char *line, const char *end)
{
	const char *at = skip_blanks(line, end);

	if (end - at > 5 && strchr("!cC*", *at) && !strncasecmp(at + 1, "$omp", 4)) {
		at += 5;
	} else if (at < end && *at == '#') {
		at = skip_blanks(at + 1, end);
		if (end - at < 6 || strncmp(at, "pragma", 6))
			return NULL;
		at = skip_blanks(at + 6, end);
		if (end - at < 4 || strncmp(at, "omp", 3))
			return NULL;
		at += 3;
	} else {
		return NULL;
	}
	return at < end && (*at == ' ' || *at == '\t') ? at : NULL;
}

static void add_directive(struct pragmas *pragmas, struct directive_list *text, int line,
			  const char *at, const char *end)
{
	struct directive *directive;
	size_t length = 0;

	if (!ARENA_GROW(pragmas->arena, text->directives, text->nr, text->room))
		return;
	directive = &text->directives[text->nr++];
	directive->line = line;
	for (at = skip_blanks(at, end); at < end && length < DIRECTIVE_BYTES - 1; at++)
		directive->text[length++] = (char)tolower((unsigned char)*at);
	directive->text[length] = 0;
}

static void parse(struct pragmas *pragmas, struct directive_list *text, const char *content,
		  size_t bytes)
{
	const char *end = content + bytes;
	int line = 1;

	for (const char *at = content; at < end; line++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = newline ? newline : end;
		const char *words = behind_sentinel(at, line_end);

		if (words)
			add_directive(pragmas, text, line, words, line_end);
		at = line_end + 1;
	}
}

static void read_source(struct pragmas *pragmas, struct directive_list *text)
{
	struct arena *scratch = arena_new();
	size_t bytes;
	const char *content = scratch ? source_text_read(scratch, text->path, &bytes,
							 &text->modified)
				      : NULL;

	if (content)
		parse(pragmas, text, content, bytes);
	arena_free(scratch);
}

static struct directive_list *find_text(struct pragmas *pragmas, const char *path)
{
	struct directive_list *text = pragmas->texts;

	while (text && strcmp(text->path, path))
		text = text->next;
	if (text)
		return text;
	text = arena_alloc(pragmas->arena, sizeof(*text));
	if (!text)
		return NULL;
	text->path = arena_strdup(pragmas->arena, path);
	if (!text->path)
		return NULL;
	text->next = pragmas->texts;
	pragmas->texts = text;
	read_source(pragmas, text);
	return text;
}

/* Is the word among those of the directive that stand before its first clause in parentheses? */
static bool has_word(const char *directive, const char *word)
{
	size_t length = strlen(word);

	while (*directive && *directive != '(') {
		size_t next = strspn(directive, "abcdefghijklmnopqrstuvwxyz_");

		if (next == length && !strncmp(directive, word, length))
			return true;
		directive += next ? next : 1;
	}
	return false;
}

/*
 * Loops have a clause of that name, and the directive is no construct where it only orders
 * iterations.
 */
static bool is_ordered(const char *directive)
{
	return !strncmp(directive, "ordered", 7) && !has_word(directive, "depend") &&
	       !has_word(directive, "doacross");
}

static bool is_construct(const char *directive, enum ms_region_kind kind)
{
	if (!strncmp(directive, "end", 3) || !strncmp(directive, "declare", 7) ||
	    !strncmp(directive, "cancel", 6))
		return false;
	if (kind == MS_ORDERED_REGION)
		return is_ordered(directive);
	for (size_t i = 0; i < sizeof(constructs) / sizeof(constructs[0]); i++) {
		if (constructs[i].kind != kind)
			continue;
		for (size_t word = 0; constructs[i].words[word]; word++)
			if (has_word(directive, constructs[i].words[word]))
				return true;
	}
	return false;
}

int pragmas_find(struct pragmas *pragmas, const char *path, int64_t binary_modified,
		 enum ms_region_kind kind, int low, int high, int after, bool *unique_out)
{
	const struct directive_list *text = path[0] == '/' ? find_text(pragmas, path) : NULL;
	int found = 0, nr = 0;

	*unique_out = false;
	if (!text || text->modified > binary_modified)
		return 0;
	for (size_t i = 0; i < text->nr; i++) {
		const struct directive *directive = &text->directives[i];

		if (directive->line < low || directive->line > high ||
		    !is_construct(directive->text, kind))
			continue;
		nr++;
		if (!found || found <= after)
			found = directive->line;
	}
	*unique_out = nr == 1;
	return found;
}

/* Constructs that are open at a time; of more, the last ones. */
#define OPEN_MOST 16

static bool ends(const char *directive, enum ms_region_kind kind)
{
	const char *at = directive + 3;

	if (strncmp(directive, "end", 3))
		return false;
	return is_construct(at + strspn(at, " \t"), kind);
}

/* Whether an END directive follows before the next construct of that kind. */
static bool has_end(const struct directive_list *text, size_t begin, enum ms_region_kind kind)
{
	for (size_t i = begin + 1; i < text->nr; i++) {
		if (ends(text->directives[i].text, kind))
			return true;
		if (is_construct(text->directives[i].text, kind))
			return false;
	}
	return false;
}

int pragmas_open_at(struct pragmas *pragmas, const char *path, int64_t binary_modified,
		    enum ms_region_kind kind, int line)
{
	const struct directive_list *text = path[0] == '/' ? find_text(pragmas, path) : NULL;
	int open[OPEN_MOST], last = 0;
	size_t nr = 0;

	if (!text || text->modified > binary_modified)
		return 0;
	for (size_t i = 0; i < text->nr && text->directives[i].line <= line; i++) {
		const struct directive *directive = &text->directives[i];

		last = 0;
		if (ends(directive->text, kind))
			nr -= nr > 0;
		else if (!is_construct(directive->text, kind))
			continue;
		else if (!has_end(text, i, kind) &&
			 (has_word(directive->text, "do") || has_word(directive->text, "taskloop")))
			last = directive->line; /* it ends with its loop */
		else
			open[nr++ % OPEN_MOST] = directive->line;
	}
	return last ? last : nr ? open[(nr - 1) % OPEN_MOST] : 0;
}
