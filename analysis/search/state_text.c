/* SPDX-License-Identifier: Apache-2.0 */
/* Text that one run leaves for the next: writing and reading it, and finding damage. */
#include "analysis/search/state_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/hash.h"

uint64_t state_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

double state_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void put(struct state_writer *writer, const char *text, size_t length)
{
	for (; length--; text++) {
		if (!ARENA_GROW(writer->arena, writer->text, writer->nr, writer->room)) {
			writer->failed = true;
			return;
		}
		writer->text[writer->nr++] = *text;
	}
}

void state_begin(struct state_writer *writer, struct arena *arena, const char *header)
{
	*writer = (struct state_writer){ .arena = arena };
	put(writer, header, strlen(header));
	put(writer, "\n", 1);
}

void state_line(struct state_writer *writer, const char *format, ...)
{
	char line[STATE_LINE_MAX];
	va_list values;
	int length;

	va_start(values, format);
	length = vsnprintf(line, sizeof(line) - 1, format, values);
	va_end(values);
	if (length < 0 || (size_t)length >= sizeof(line) - 1) {
		writer->failed = true;
		return;
	}
	line[length++] = '\n';
	put(writer, line, (size_t)length);
	writer->lines++;
}

char *state_end(struct state_writer *writer)
{
	uint64_t sum = hash_bytes(HASH_START, writer->text, writer->nr);

	state_line(writer, "end %" PRIu64 " %" PRIx64, writer->lines, sum);
	put(writer, "", 1);
	return writer->failed ? NULL : writer->text;
}

bool state_is(const char *text, const char *header)
{
	size_t length = strlen(header);

	return !strncmp(text, header, length) && text[length] == '\n';
}

/* In a copy: sscanf looks for the end of its whole input each time. */
static bool hand_out(const char *line, size_t length, bool (*read)(void *ctx, const char *line),
		     void *ctx)
{
	char copy[STATE_LINE_MAX];

	if (length >= sizeof(copy))
		return false;
	memcpy(copy, line, length);
	copy[length] = 0;
	return read(ctx, copy);
}

bool state_read(const char *text, const char *header, bool (*read)(void *ctx, const char *line),
		void *ctx)
{
	const char *line = text + strlen(header) + 1, *next;
	uint64_t lines = 0, said, sum;
	int end = 0;

	if (!state_is(text, header))
		return false;
	for (; (next = strchr(line, '\n')) && strncmp(line, "end ", 4); line = next + 1, lines++)
		if (!hand_out(line, (size_t)(next - line), read, ctx))
			return false;
	return next && sscanf(line, "end %" SCNu64 " %" SCNx64 "%n", &said, &sum, &end) == 2 &&
	       !strcmp(line + end, "\n") && said == lines &&
	       sum == hash_bytes(HASH_START, text, (size_t)(line - text));
}
