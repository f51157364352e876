/* SPDX-License-Identifier: Apache-2.0 */
/* A growing string in an arena, and breaking lines at blanks. */
#include "analysis/report/text.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "analysis/base/arena.h"

#define FIRST_ROOM ((size_t)1024)

void text_init(struct text *text, struct arena *arena)
{
	*text = (struct text){ .arena = arena };
	text->bytes = arena_alloc(arena, FIRST_ROOM);
	if (text->bytes)
		text->room = FIRST_ROOM;
	else
		text->cut = 1;
}

/* Room for `more` bytes and the final 0. The old bytes stay in the arena: doubling keeps that below the size of the result. */
static int reserve(struct text *text, size_t more)
{
	size_t room = text->room;
	char *grown;

	if (text->cut)
		return 0;
	while (room - text->length <= more)
		room *= 2;
	if (room == text->room)
		return 1;
	grown = arena_alloc(text->arena, room);
	if (!grown) {
		text->cut = 1;
		return 0;
	}
	memcpy(grown, text->bytes, text->length);
	text->bytes = grown;
	text->room = room;
	return 1;
}

void text_add_bytes(struct text *text, const char *bytes, size_t nr)
{
	if (!reserve(text, nr))
		return;
	memcpy(text->bytes + text->length, bytes, nr);
	text->length += nr;
	text->bytes[text->length] = '\0';
}

/* Of a string that there was no memory for. */
static int is_cut(struct text *text, const char *string)
{
	text->cut |= !string;
	return !string;
}

void text_add(struct text *text, const char *string)
{
	if (is_cut(text, string))
		return;
	text_add_bytes(text, string, strlen(string));
}

void text_printf(struct text *text, const char *format, ...)
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);      /* a constant of libc, nothing is allocated */
	locale_t before = uselocale(plain);
	va_list args, again;
	int length;

	va_start(args, format);
	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length > 0 && reserve(text, (size_t)length)) {
		vsnprintf(text->bytes + text->length, (size_t)length + 1, format, args);
		text->length += (size_t)length;
	}
	va_end(args);
	uselocale(before);
}

static void add_plain_bytes(struct text *text, const char *bytes, size_t nr)
{
	size_t start = text->length;

	text_add_bytes(text, bytes, nr);
	for (size_t i = start; i < text->length; i++)
		if ((unsigned char)text->bytes[i] < 0x20 || text->bytes[i] == 0x7f)
			text->bytes[i] = '?';
}

void text_add_plain(struct text *text, const char *string)
{
	if (is_cut(text, string))
		return;
	add_plain_bytes(text, string, strlen(string));
}

/* Columns a piece of UTF-8 takes: every byte but continuation bytes and our colours. Wide letters count as one. */
static int columns(const char *bytes, size_t nr)
{
	int nr_columns = 0;

	for (size_t i = 0; i < nr; i++) {
		if (bytes[i] == '\033')
			while (i + 1 < nr && bytes[i] != 'm')
				i++;
		else
			nr_columns += ((unsigned char)bytes[i] & 0xc0) != 0x80;
	}
	return nr_columns;
}

static int current_column(const struct text *text)
{
	size_t start = text->length;

	while (start > 0 && text->bytes[start - 1] != '\n')
		start--;
	return columns(text->bytes + start, text->length - start);
}

/* Does a word that is to be added now need a blank before it? */
static int follows_text(const struct text *text)
{
	return text->length && text->bytes[text->length - 1] != ' ' && text->bytes[text->length - 1] != '\n';
}

static void new_line(struct text *text, int indent, int *column)
{
	text_printf(text, "\n%*s", indent, "");
	*column = indent;
}

/* Length of the next word; "31 %" is one. */
static size_t word_length(const char *string)
{
	size_t nr = strcspn(string, " \n");

	if (nr && string[nr] == ' ' && string[nr + 1] == '%')
		nr += 1 + strcspn(string + nr + 1, " \n");
	return nr;
}

void text_wrap(struct text *text, const char *string, int indent, int width)
{
	int column, fresh;

	if (is_cut(text, string))
		return;
	column = current_column(text);
	fresh = *string != ' ' || !follows_text(text);   /* nothing before the next word that a blank must part it from */
	while (*string) {
		size_t nr = word_length(string);
		int wide = columns(string, nr);

		if (nr && !fresh && column + 1 + wide > width) {
			new_line(text, indent, &column);
			fresh = 1;
		}
		if (nr && !fresh) {
			text_add(text, " ");
			column++;
		}
		add_plain_bytes(text, string, nr);
		column += wide;
		fresh = nr ? 0 : fresh;
		string += nr;
		if (*string == '\n') {
			new_line(text, indent, &column);
			fresh = 1;
		}
		string += *string != '\0';
	}
}
