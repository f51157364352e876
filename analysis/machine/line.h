/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_MACHINE_LINE_H
#define MEMSEARCH_MACHINE_LINE_H

#include <stdbool.h>

/* One line of a machine file, taken word by word from the left. A comment, from "//" on, is as if the line ended there. */
struct arena;

struct line {
	const char *at, *end;
};

bool line_ended(struct line *line);
bool line_at(struct line *line, char c);         /* is it next, after blanks? */
bool line_take(struct line *line, char c);       /* … then it is taken */
/* Letters, digits, "_", "-" and "."; "": something else is there. NULL: no memory. */
const char *line_word(struct line *line, struct arena *arena);
/* From the quote that is next to the one after it; NULL: there is none, or a zero byte between, or no memory. */
const char *line_quoted(struct line *line, struct arena *arena);
/* Digits with a decimal point, whatever the locale of the program around us; false: no digit. */
bool line_number(struct line *line, double *out);
/* What is left, up to a blank, for messages; nothing is taken. */
const char *line_rest(const struct line *line, struct arena *arena);

#endif
