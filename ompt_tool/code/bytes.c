/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and pointers as unwind tables store them. */
#include "ompt_tool/code/bytes.h"

#include <string.h>

#define LEB_BITS 7

static size_t left(const struct bytes *in)
{
	return in->bad ? 0 : (size_t)(in->end - in->at);
}

uint64_t bytes_fixed(struct bytes *in, size_t size)
{
	uint64_t value = 0;

	if (left(in) < size) {
		in->bad = true;
		return 0;
	}
	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)in->at[i] << (8 * i);
	in->at += size;
	return value;
}

/* Seven bits per byte; `bad` if the value does not fit into 64 bits. */
static uint64_t leb(struct bytes *in, unsigned int *bits_out, unsigned char *last_out)
{
	uint64_t value = 0;
	unsigned int bits = 0;
	unsigned char byte;

	do {
		byte = (unsigned char)bytes_fixed(in, 1);
		if (bits >= 64)
			in->bad = true;
		else
			value |= (uint64_t)(byte & 0x7f) << bits;
		bits += LEB_BITS;
	} while (byte & 0x80 && !in->bad);
	*bits_out = bits;
	*last_out = byte;
	return in->bad ? 0 : value;
}

uint64_t bytes_uleb(struct bytes *in)
{
	unsigned int bits;
	unsigned char last;

	return leb(in, &bits, &last);
}

int64_t bytes_sleb(struct bytes *in)
{
	unsigned int bits;
	unsigned char last;
	uint64_t value = leb(in, &bits, &last);

	if (last & 0x40 && bits < 64 && !in->bad)
		value |= UINT64_MAX << bits;
	return (int64_t)value;
}

const char *bytes_text(struct bytes *in)
{
	const char *start = (const char *)in->at;

	while (bytes_fixed(in, 1))
		;
	return in->bad ? "" : start;
}

struct bytes bytes_take(struct bytes *in, uint64_t size)
{
	struct bytes part = { in->at, in->at, in->bad };

	if (in->bad || left(in) < size) {
		in->bad = part.bad = true;
		return part;
	}
	in->at += size;
	part.end = in->at;
	return part;
}

enum {
	FORMAT_POINTER,
	FORMAT_ULEB,
	FORMAT_U2,
	FORMAT_U4,
	FORMAT_U8,
	FORMAT_SLEB = 9,
	FORMAT_S2,
	FORMAT_S4,
	FORMAT_S8
};

size_t bytes_pointer_size(unsigned int encoding)
{
	static const uint8_t sizes[16] = {
		[FORMAT_POINTER] = 8, [FORMAT_U2] = 2, [FORMAT_U4] = 4, [FORMAT_U8] = 8,
		[FORMAT_S2] = 2,      [FORMAT_S4] = 4, [FORMAT_S8] = 8
	};

	return sizes[encoding & 15];
}

static uint64_t widened(uint64_t value, unsigned int format)
{
	if (format == FORMAT_S2)
		return (uint64_t)(int64_t)(int16_t)value;
	if (format == FORMAT_S4)
		return (uint64_t)(int64_t)(int32_t)value;
	return value;
}

uint64_t bytes_number(struct bytes *in, unsigned int encoding)
{
	unsigned int format = encoding & 15;

	if (format == FORMAT_ULEB)
		return bytes_uleb(in);
	if (format == FORMAT_SLEB)
		return (uint64_t)bytes_sleb(in);
	if (!bytes_pointer_size(encoding))
		in->bad = true;
	return in->bad ? 0 : widened(bytes_fixed(in, bytes_pointer_size(encoding)), format);
}

uint64_t bytes_pointer(struct bytes *in, unsigned int encoding)
{
	unsigned int relative = encoding & BYTES_RELATIVE;
	uintptr_t at = (uintptr_t)in->at;
	uint64_t value;

	if (relative && relative != BYTES_PC_RELATIVE)
		in->bad = true;
	value = bytes_number(in, encoding);
	if (in->bad || !value)
		return 0;
	return relative ? value + at : value;
}

void pack_fill_fixed(struct packing *out, size_t offset, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (offset + i < out->room)
			out->bytes[offset + i] = (unsigned char)(value >> (8 * i));
}

void pack_fixed(struct packing *out, uint64_t value, size_t size)
{
	pack_fill_fixed(out, out->nr, value, size);
	out->nr += size;
}

void pack_copy(struct packing *out, const void *bytes, size_t size)
{
	if (size && out->nr < out->room)
		memcpy(out->bytes + out->nr, bytes,
		       size < out->room - out->nr ? size : out->room - out->nr);
	out->nr += size;
}

void pack_uleb(struct packing *out, uint64_t value)
{
	for (; value > 0x7f; value >>= LEB_BITS)
		pack_fixed(out, value | 0x80, 1);
	pack_fixed(out, value, 1);
}

void pack_sleb(struct packing *out, int64_t value)
{
	for (; value < -0x40 || value > 0x3f; value >>= LEB_BITS)
		pack_fixed(out, (uint64_t)value | 0x80, 1);
	pack_fixed(out, (uint64_t)value & 0x7f, 1);
}

void pack_align(struct packing *out, size_t to)
{
	while (out->nr % to)
		pack_fixed(out, 0, 1);
}

size_t pack_reserve_uleb(struct packing *out)
{
	size_t offset = out->nr;

	out->nr += PACK_RESERVED;
	return offset;
}

void pack_fill_uleb(struct packing *out, size_t offset, uint32_t value)
{
	for (size_t i = 0; i < PACK_RESERVED; i++, value >>= LEB_BITS)
		pack_fill_fixed(out, offset + i,
				(value & 0x7f) | (i + 1 < PACK_RESERVED ? 0x80 : 0), 1);
}
