/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_MACHINE_LINE_H
#define MEMSEARCH_MACHINE_LINE_H

#include <stdbool.h>

/* One line of a machine file, parsed word by word. A comment, from "//" on, ends the line. */
struct arena;

struct line {
	const char *at, *end;
};

bool line_ended(struct line *line);
bool line_at(struct line *line, char c);   /* is it next, after blanks? */
bool line_take(struct line *line, char c); /* … then it is taken */
/* Letters, digits, "_", "-" and "."; "": another character follows. NULL: no memory. */
const char *line_word(struct line *line, struct arena *arena);
/*
 * The text between the next quote and the one after it; NULL: none, a zero byte inside, or no
 * memory.
 */
const char *line_quoted(struct line *line, struct arena *arena);
/* Digits with a decimal point, independent of the locale; false: no digit. */
bool line_number(struct line *line, double *out);
/* The next word, for messages; does not consume it. */
const char *line_rest(const struct line *line, struct arena *arena);

#endif
