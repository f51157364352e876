/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_STATE_TEXT_H
#define MEMSEARCH_SEARCH_STATE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Text that one run leaves for the next: a header, lines, and an end with a checksum. Not here: the
 * contents of the lines (engine_state.c, carry.c).
 *
 *     HEADER ... end LINES CHECKSUM
 *
 * Doubles are written as the hexadecimal of their bits, so that they come back exactly and whatever
 * the program's locale is.
 */
struct arena;

#define STATE_LINE_MAX 512

struct state_writer {
	struct arena *arena;
	char *text;
	size_t nr, room;
	uint64_t lines;
	bool failed; /* no memory */
};

/* both without a line end */
void state_begin(struct state_writer *writer, struct arena *arena, const char *header);
void state_line(struct state_writer *writer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
char *state_end(struct state_writer *writer); /* the text in the arena; NULL: no memory */

/*
 * Passes every line, without its end, to `read`; false: another header, damage, or `read` returned
 * false. Lines are passed before damage is found, so discard their contents unless this returns
 * true.
 */
bool state_read(const char *text, const char *header, bool (*read)(void *ctx, const char *line),
		void *ctx);
bool state_is(const char *text, const char *header);

uint64_t state_bits(double value);
double state_double(uint64_t bits);

#endif
