/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_TEXT_H
#define MEMSEARCH_REPORT_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/*
 * A growing string in an arena. Always terminated; on failed growth it keeps what it has and `cut` is set, as for a
 * string that is NULL because there was no memory for it.
 */
struct arena;

struct text {
	struct arena *arena;
	char *bytes;
	size_t length, room;
	int cut;
};

void text_init(struct text *text, struct arena *arena);
void text_add(struct text *text, const char *string);
void text_add_bytes(struct text *text, const char *bytes, size_t nr);
/* Numbers get a decimal point whatever the locale of the program around us. */
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* As it is, but control characters become "?": names from a program never reach a terminal raw. */
void text_add_plain(struct text *text, const char *string);
/*
 * Breaks `string` at blanks so that no line passes `width`; every line but the first starts with
 * `indent` blanks. A newline in it is kept; other control characters become "?". Blanks in a row
 * become one, at the begin too if text stands before.
 */
void text_wrap(struct text *text, const char *string, int indent, int width);

#endif
