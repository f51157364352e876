/* SPDX-License-Identifier: Apache-2.0 */
/* A growing string in an arena, and breaking lines at blanks. */
#include "analysis/report/text.h"

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/plain.h"

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

/*
 * Room for `more` bytes and the final 0. The old bytes stay in the arena: doubling keeps that below
 * the size of the result.
 */
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

/* Whether the string is NULL, as there was no memory for it; sets `cut` then. */
static int is_cut(struct text *text, const char *string)
{
	text->cut |= !string;
	return !string;
}

static void add_plain_bytes(struct text *text, const char *bytes, size_t nr)
{
	size_t start = text->length;

	text_add_bytes(text, bytes, nr);
	if (text->length > start) /* there was room */
		plain_bytes(text->bytes + start, text->length - start);
}

void text_add_plain(struct text *text, const char *string)
{
	if (is_cut(text, string))
		return;
	add_plain_bytes(text, string, strlen(string));
}

/* One conversion of a format: "%-*.3lu". */
struct conversion {
	char flags[6];
	int width, precision; /* 0, -1: none */
	char size;            /* 'l', 'z', 'j', or 0 */
	char type;
};

struct arguments {
	va_list list;
};

/* A number, or "*": the next argument. */
static int read_number(const char **at, struct arguments *arguments)
{
	int number = 0;

	if (**at == '*') {
		*at += 1;
		return va_arg(arguments->list, int);
	}
	for (; **at >= '0' && **at <= '9'; *at += 1)
		number = number * 10 + (**at - '0');
	return number;
}

/* `at` is behind the "%"; returns what is behind the conversion. */
static const char *conversion_read(const char *at, struct arguments *arguments,
				   struct conversion *out)
{
	size_t nr = strspn(at, "-+ #0");

	*out = (struct conversion){ .precision = -1 };
	memcpy(out->flags, at, nr < sizeof(out->flags) ? nr : sizeof(out->flags) - 1);
	at += nr;
	out->width = read_number(&at, arguments);
	if (*at == '.') {
		at++;
		out->precision = read_number(&at, arguments);
	}
	for (; *at == 'l' || *at == 'z' || *at == 'j'; at++)
		out->size = *at;
	out->type = *at;
	return at + (*at != '\0');
}

/* What the conversion makes of its argument, without control characters. */
static void add_converted(struct text *text, const struct conversion *conversion, const char *size,
			  ...)
{
	size_t start = text->length;
	char format[16];
	va_list args, again;
	int length;

	snprintf(format, sizeof(format), "%%%s*.*%s%c", conversion->flags, size, conversion->type);
	va_start(args, size);
	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length > 0 && reserve(text, (size_t)length)) {
		vsnprintf(text->bytes + text->length, (size_t)length + 1, format, args);
		text->length += (size_t)length;
		plain_bytes(text->bytes + start, (size_t)length);
	}
	va_end(args);
}

static intmax_t next_signed(struct arguments *arguments, char size)
{
	return size == 'l' || size == 'z' ? va_arg(arguments->list, long)
	       : size == 'j'              ? va_arg(arguments->list, intmax_t)
					  : va_arg(arguments->list, int);
}

static uintmax_t next_unsigned(struct arguments *arguments, char size)
{
	return size == 'l' || size == 'z' ? va_arg(arguments->list, unsigned long)
	       : size == 'j'              ? va_arg(arguments->list, uintmax_t)
					  : va_arg(arguments->list, unsigned int);
}

static void add_argument(struct text *text, const struct conversion *conversion,
			 struct arguments *arguments)
{
	int width = conversion->width, precision = conversion->precision;

	switch (conversion->type) {
	case '%': text_add(text, "%"); break;
	case 'c':
		add_converted(text, conversion, "", width, precision, va_arg(arguments->list, int));
		break;
	case 'd':
	case 'i':
		add_converted(text, conversion, "j", width, precision,
			      next_signed(arguments, conversion->size));
		break;
	case 'u':
	case 'x':
		add_converted(text, conversion, "j", width, precision,
			      next_unsigned(arguments, conversion->size));
		break;
	case 's':
		add_converted(text, conversion, "", width, precision,
			      va_arg(arguments->list, const char *));
		break;
	default: /* e, f, g */
		add_converted(text, conversion, "", width, precision,
			      va_arg(arguments->list, double));
	}
}

void text_printf(struct text *text, const char *format, ...)
{
	/* a constant of libc, nothing is allocated */
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	locale_t before = uselocale(plain);
	struct arguments arguments;

	va_start(arguments.list, format);
	while (*format) {
		size_t literal = strcspn(format, "%");
		struct conversion conversion;

		text_add_bytes(text, format, literal);
		format += literal;
		if (!*format)
			break;
		format = conversion_read(format + 1, &arguments, &conversion);
		add_argument(text, &conversion, &arguments);
	}
	va_end(arguments.list);
	uselocale(before);
}

/*
 * Columns a piece of UTF-8 takes: every byte but continuation bytes and our colours. Wide letters
 * count as one.
 */
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

int text_column(const struct text *text)
{
	size_t start = text->length;

	while (start > 0 && text->bytes[start - 1] != '\n')
		start--;
	return columns(text->bytes + start, text->length - start);
}

/* Does a word that is to be added now need a blank before it? */
static int follows_text(const struct text *text)
{
	return text->length && text->bytes[text->length - 1] != ' ' &&
	       text->bytes[text->length - 1] != '\n';
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

static void wrap(struct text *text, const char *string, int indent, int width, bool lines)
{
	int column, fresh;

	if (is_cut(text, string))
		return;
	column = text_column(text);
	/* nothing before the next word that a blank must part it from */
	fresh = *string != ' ' || !follows_text(text);
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
		if (*string == '\n' && lines) {
			new_line(text, indent, &column);
			fresh = 1;
		}
		string += *string != '\0';
	}
}

void text_wrap(struct text *text, const char *string, int indent, int width)
{
	wrap(text, string, indent, width, false);
}

void text_wrap_lines(struct text *text, const char *string, int indent, int width)
{
	wrap(text, string, indent, width, true);
}
