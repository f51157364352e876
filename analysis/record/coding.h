/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_CODING_H
#define MEMSEARCH_RECORD_CODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analysis/base/arena.h"

/*
 * Numbers as bytes: little-endian words and varints. A buffer grows in its arena; a cursor
 * never passes its end. Both remember a failure (`failed`, `bad`), so that it is asked for
 * once, at the end.
 */
struct buffer {
	struct arena *arena;
	uint8_t *bytes;
	size_t nr, room;
	bool failed; /* no memory: what was put since is not there */
};

struct cursor {
	const uint8_t *at, *end;
	/* something was not there or impossible; numbers read since are 0 */
	bool bad;
};

#define VARINT_BYTES 10

/* Room for `nr` more bytes; false sets `failed`. */
static inline bool buffer_need(struct buffer *buffer, size_t nr)
{
	size_t room = buffer->room ? buffer->room : 4096;
	uint8_t *bytes;

	if (buffer->room - buffer->nr >= nr)
		return true;
	while (room - buffer->nr < nr && room < SIZE_MAX / 4)
		room *= 2;
	bytes = arena_alloc(buffer->arena, room);
	if (!bytes) {
		buffer->failed = true;
		return false;
	}
	if (buffer->nr)
		memcpy(bytes, buffer->bytes, buffer->nr);
	buffer->bytes = bytes;
	buffer->room = room;
	return true;
}

static inline void put_bytes(struct buffer *buffer, const void *bytes, size_t nr)
{
	if (!nr || !buffer_need(buffer, nr))
		return;
	memcpy(buffer->bytes + buffer->nr, bytes, nr);
	buffer->nr += nr;
}

static inline void put_byte(struct buffer *buffer, uint8_t byte)
{
	put_bytes(buffer, &byte, 1);
}

/* Into memory that has room. */
static inline void store_u32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static inline void store_u64(uint8_t *at, uint64_t value)
{
	store_u32(at, (uint32_t)value);
	store_u32(at + 4, (uint32_t)(value >> 32));
}

static inline uint32_t load_u32(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

static inline uint64_t load_u64(const uint8_t *at)
{
	return load_u32(at) | (uint64_t)load_u32(at + 4) << 32;
}

static inline void put_varint(struct buffer *buffer, uint64_t value)
{
	uint8_t *at;

	if (!buffer_need(buffer, VARINT_BYTES))
		return;
	at = buffer->bytes + buffer->nr;
	for (; value >= 128; value >>= 7)
		*at++ = (uint8_t)(value | 128);
	*at++ = (uint8_t)value;
	buffer->nr = (size_t)(at - buffer->bytes);
}

static inline uint64_t get_varint(struct cursor *cursor)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; cursor->at < cursor->end && shift < 64; shift += 7) {
		uint8_t byte = *cursor->at++;

		value |= (uint64_t)(byte & 127) << shift;
		if (!(byte & 128))
			return value;
	}
	cursor->bad = true;
	cursor->at = cursor->end;
	return 0;
}

/* Small for small numbers of either sign. */
static inline uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline int64_t unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1 ^ -(value & 1));
}

static inline uint8_t get_byte(struct cursor *cursor)
{
	if (cursor->at < cursor->end)
		return *cursor->at++;
	cursor->bad = true;
	return 0;
}

#endif
