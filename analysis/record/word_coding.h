/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_WORD_CODING_H
#define MEMSEARCH_RECORD_WORD_CODING_H

#include "analysis/record/coding.h"

/*
 * A word with zero bytes at either end, as doubles and their differences are: one byte
 * that says how many bytes follow (low four bits) and how many zero bytes stand below
 * them (high four bits), then these.
 */
static inline void put_word(struct buffer *buffer, uint64_t word)
{
	unsigned int below = word ? (unsigned int)__builtin_ctzll(word) / 8 : 0;
	unsigned int nr = word ? 8 - (unsigned int)__builtin_clzll(word) / 8 - below : 0;

	if (!buffer_need(buffer, 9))
		return;
	buffer->bytes[buffer->nr] = (uint8_t)(below << 4 | nr);
	store_u64(buffer->bytes + buffer->nr + 1, word >> 8 * below);
	buffer->nr += 1 + nr;
}

/* `control` has been read; it must not name more than eight bytes. */
static inline uint64_t get_word_of(struct cursor *cursor, uint8_t control)
{
	unsigned int below = control >> 4, nr = control & 15;
	uint64_t word = 0;

	if (nr + below > 8 || (size_t)(cursor->end - cursor->at) < nr) {
		cursor->bad = true;
		cursor->at = cursor->end;
		return 0;
	}
	if (!nr)
		return 0;
	if (cursor->end - cursor->at >= 8)
		word = load_u64(cursor->at) & UINT64_MAX >> (64 - 8 * nr);
	else
		for (unsigned int i = 0; i < nr; i++)
			word |= (uint64_t)cursor->at[i] << 8 * i;
	cursor->at += nr;
	return word << 8 * below;
}

static inline uint64_t get_word(struct cursor *cursor)
{
	return get_word_of(cursor, get_byte(cursor));
}

static inline uint64_t word_of_double(double value)
{
	uint64_t word;

	memcpy(&word, &value, sizeof(word));
	return word;
}

static inline double double_of_word(uint64_t word)
{
	double value;

	memcpy(&value, &word, sizeof(value));
	return value;
}

#endif
