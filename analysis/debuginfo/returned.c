/* SPDX-License-Identifier: Apache-2.0 */
/* Which of a function's variables it returns, read from the source. */
#include "analysis/debuginfo/returned.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/debuginfo/code_text.h"

#define FUNCTION_BYTES 65536

/* Braces that `text` opens; *closed_out: one of its ends the function. */
static int opens(const char *text, size_t nr, int depth, bool *closed_out)
{
	for (size_t i = 0; i < nr && !*closed_out; i++) {
		depth += (text[i] == '{') - (text[i] == '}');
		*closed_out = text[i] == '}' && depth <= 0;
	}
	return depth;
}

/* From `line` to the end of the function, lines joined, comments blank. NULL: no end is found. */
static const char *body_of(struct arena *arena, const char *text, int line)
{
	const char *from = code_line_start(text, line), *end;
	char *body = arena_alloc(arena, FUNCTION_BYTES);
	bool closed = false;
	size_t nr = 0;
	int depth = 0;

	for (; body && *from && !closed; from = end + (*end != 0)) {
		size_t bytes;

		end = code_line_end(from);
		bytes = (size_t)(end - from);
		if (nr + bytes + 2 > FUNCTION_BYTES)
			return NULL;
		code_copy(body + nr, from, bytes, SOURCE_C);
		depth = opens(body + nr, bytes, depth, &closed);
		nr += bytes;
		body[nr++] = ' ';
		body[nr] = 0;
	}
	return closed ? body : NULL;
}

/* The next word at `at` or behind it that is `word`; NULL: none. */
static const char *find_word(const char *at, const char *end, const char *word, size_t nr)
{
	for (bool begins = true; at + nr <= end; begins = !code_is_word_sign(*at), at++)
		if (begins && !memcmp(at, word, nr) && !code_is_word_sign(at[nr]))
			return at;
	return NULL;
}

static const char *statement_end(const char *at)
{
	return at + strcspn(at, ";");
}

static bool allocates(const char *at, const char *end)
{
	for (; at < end; at++)
		if (!strncmp(at, "alloc", 5) ||
		    (!strncmp(at, "new", 3) && !code_is_word_sign(at[3])))
			return true;
	return false;
}

/* Whether a statement of the body assigns memory to the word. */
static bool is_allocated(const char *body, const char *word, size_t nr)
{
	const char *end = body + strlen(body);

	for (const char *at = body; (at = find_word(at, end, word, nr)); at += nr) {
		const char *sign = at + nr + strspn(at + nr, " "), *last = statement_end(at);

		if (sign[0] == '=' && sign[1] != '=' && allocates(sign, last))
			return true;
	}
	return false;
}

static bool names_allocated(const char *body, const char *at, const char *end)
{
	for (size_t nr; at < end; at += nr ? nr : 1) {
		for (nr = 0; code_is_word_sign(at[nr]);)
			nr++;
		if (nr && is_allocated(body, at, nr))
			return true;
	}
	return false;
}

static bool returns(const char *body, const char *variable)
{
	const char *end = body + strlen(body);
	bool others = false;

	for (const char *at = body; (at = find_word(at, end, "return", 6));) {
		const char *last = statement_end(at += 6);

		if (find_word(at, last, variable, strlen(variable)))
			return true;
		others |= names_allocated(body, at, last);
	}
	return !others;
}

bool returned_by_function(const char *text, int line, const char *variable)
{
	struct arena *scratch = line > 0 ? arena_new() : NULL;
	const char *body = scratch ? body_of(scratch, text, line) : NULL;
	bool returned = !body || returns(body, variable);

	arena_free(scratch);
	return returned;
}
