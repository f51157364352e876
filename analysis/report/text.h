/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_TEXT_H
#define MEMSEARCH_REPORT_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/*
 * A growing string in an arena. Always terminated; on failed growth it keeps what it has and `cut`
 * is set, as for a string that is NULL because there was no memory for it.
 */
struct arena;

struct text {
	struct arena *arena;
	char *bytes;
	size_t length, room;
	int cut;
};

void text_init(struct text *text, struct arena *arena);
/*
 * For what stands in our source only: it may hold newlines and colours, so that nothing else
 * compiles here.
 */
#define text_add(text, literal) text_add_bytes((text), "" literal, sizeof(literal) - 1)
void text_add_bytes(struct text *text, const char *bytes, size_t nr);
/*
 * Any other string. Here and in all that follow control characters become "?"
 * (analysis/base/plain.h).
 */
void text_add_plain(struct text *text, const char *string);
/*
 * Integers up to 64 bits, doubles, %c and %s with flags, width and precision; what %s brings is
 * made plain, the format is not. Numbers get a decimal point whatever the locale of the program
 * around us.
 */
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Columns of its last line. */
int text_column(const struct text *text);
/*
 * Breaks `string` at blanks so that no line passes `width`; every line but the first starts with
 * `indent` blanks. A newline in it is a blank. Blanks in a row become one, at the begin too if text
 * stands before.
 */
void text_wrap(struct text *text, const char *string, int indent, int width);
/* The same of a text that is written in lines, such as that of a property: they are kept. */
void text_wrap_lines(struct text *text, const char *string, int indent, int width);

#endif
