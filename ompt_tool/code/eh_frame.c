/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths, pointers, CIEs and FDEs of .eh_frame. */
#define _GNU_SOURCE
#include "ompt_tool/code/eh_frame.h"

#include <link.h>
#include <string.h>

/* LSB Core 5.0, 10.5.1. */
enum {
	FORM_ABSOLUTE = 0x0, FORM_ULEB = 0x1, FORM_UDATA2 = 0x2, FORM_UDATA4 = 0x3, FORM_UDATA8 = 0x4,
	FORM_SLEB = 0x9, FORM_SDATA2 = 0xa, FORM_SDATA4 = 0xb, FORM_SDATA8 = 0xc, FORM_BITS = 0x0f,
	RELATIVE_TO_PLACE = 0x10, RELATIVE_TO_DATA = 0x30, RELATIVE_BITS = 0x70, ALIGNED = 0x50, INDIRECT = 0x80,
};

#define ULEB_BITS 64

/* What a CIE says of its FDEs. */
struct cie {
	uint8_t code_encoding, lsda_encoding;
	uintptr_t personality;
	bool has_sizes;                      /* 'z': augmentation data have a length */
	bool signal_frame;
};

bool eh_segment_around(const struct dl_phdr_info *module, uintptr_t address, uint32_t permissions, uintptr_t *start_out, uintptr_t *end_out)
{
	for (unsigned int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
		uintptr_t start = module->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || (segment->p_flags & permissions) != permissions || address - start >= segment->p_memsz)
			continue;
		*start_out = start;
		*end_out = start + segment->p_memsz;
		return true;
	}
	return false;
}

bool eh_is_loaded(const struct dl_phdr_info *module, uintptr_t address, size_t bytes, uint32_t permissions)
{
	uintptr_t start, end;

	return eh_segment_around(module, address, permissions, &start, &end) && bytes <= end - address;
}

struct eh_cursor eh_cursor_at(const struct dl_phdr_info *module, uintptr_t address)
{
	uintptr_t start, end;

	if (!eh_segment_around(module, address, PF_R, &start, &end))
		return (struct eh_cursor){ .module = module, .bad = true };
	return (struct eh_cursor){ .module = module, .at = (const unsigned char *)address, .end = (const unsigned char *)end };
}

static const unsigned char *take(struct eh_cursor *cursor, uint64_t bytes)
{
	const unsigned char *at = cursor->at;

	if (cursor->bad || bytes > (uint64_t)(cursor->end - at)) {
		cursor->bad = true;
		return NULL;
	}
	cursor->at += bytes;
	return at;
}

/* Little-endian machines only use this: elsewhere no code can be read. */
uint64_t eh_read_fixed(struct eh_cursor *cursor, unsigned int bytes)
{
	const unsigned char *at = take(cursor, bytes);
	uint64_t value = 0;

	for (unsigned int i = 0; at && i < bytes; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

static uint64_t read_leb(struct eh_cursor *cursor, bool is_signed)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)eh_read_fixed(cursor, 1);
		if (shift >= ULEB_BITS)
			cursor->bad = true;
		else
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (!cursor->bad && (byte & 0x80));
	if (is_signed && (byte & 0x40) && shift < ULEB_BITS)
		value |= UINT64_MAX << shift;
	return value;
}

uint64_t eh_read_uleb(struct eh_cursor *cursor)
{
	return read_leb(cursor, false);
}

unsigned int eh_pointer_bytes(uint8_t encoding)
{
	switch (encoding & FORM_BITS) {
	case FORM_ABSOLUTE: return sizeof(uintptr_t);
	case FORM_UDATA2: case FORM_SDATA2: return 2;
	case FORM_UDATA4: case FORM_SDATA4: return 4;
	case FORM_UDATA8: case FORM_SDATA8: return 8;
	default: return 0;
	}
}

static uint64_t read_number(struct eh_cursor *cursor, uint8_t encoding)
{
	switch (encoding & FORM_BITS) {
	case FORM_ULEB: return read_leb(cursor, false);
	case FORM_SLEB: return read_leb(cursor, true);
	case FORM_SDATA2: return (uint64_t)(int16_t)eh_read_fixed(cursor, 2);
	case FORM_SDATA4: return (uint64_t)(int32_t)eh_read_fixed(cursor, 4);
	default: break;
	}
	if (!eh_pointer_bytes(encoding))
		cursor->bad = true;
	return cursor->bad ? 0 : eh_read_fixed(cursor, eh_pointer_bytes(encoding));
}

/* What a number of this encoding, read from `place`, is relative to. */
static uint64_t base_of(struct eh_cursor *cursor, uint8_t encoding, const unsigned char *place, uintptr_t data_base)
{
	switch (encoding & RELATIVE_BITS) {
	case 0: case ALIGNED:
		return 0;
	case RELATIVE_TO_PLACE:
		return (uintptr_t)place;
	case RELATIVE_TO_DATA:
		cursor->bad = cursor->bad || !data_base;
		return data_base;
	default:
		cursor->bad = true;
		return 0;
	}
}

static void align(struct eh_cursor *cursor)
{
	take(cursor, -(uintptr_t)cursor->at % sizeof(uintptr_t));
}

uint64_t eh_read_pointer(struct eh_cursor *cursor, uint8_t encoding, uintptr_t data_base)
{
	const unsigned char *place;
	uint64_t value;

	if ((encoding & ~INDIRECT) == ALIGNED)
		align(cursor);
	place = cursor->at;
	value = read_number(cursor, encoding);
	if (!value || cursor->bad)
		return 0;
	value += base_of(cursor, encoding, place, data_base);
	if (!cursor->bad && (encoding & INDIRECT)) {
		struct eh_cursor there = eh_cursor_at(cursor->module, value);

		value = eh_read_fixed(&there, sizeof(uintptr_t));
		cursor->bad = there.bad;
	}
	return cursor->bad ? 0 : value;
}

/* Records above 4 GiB, with a length of 8 bytes, are not read: nobody writes them into .eh_frame. */
bool eh_read_record(struct eh_cursor *cursor, struct eh_record *out)
{
	uint64_t length;

	*out = (struct eh_record){ .start = cursor->at };
	length = eh_read_fixed(cursor, 4);
	if (!cursor->bad && !length) {
		out->last = true;
		return true;
	}
	out->body = *cursor;
	if (length < 4 || length == UINT32_MAX || !take(cursor, length))
		return false;
	out->body.end = cursor->at;
	out->cie_pointer = (uint32_t)eh_read_fixed(&out->body, 4);
	return true;
}

static void read_augmentation(struct eh_cursor *data, const char *letters, struct cie *out)
{
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			out->code_encoding = (uint8_t)eh_read_fixed(data, 1);
			break;
		case 'L':
			out->lsda_encoding = (uint8_t)eh_read_fixed(data, 1);
			break;
		case 'P':
			out->personality = eh_read_pointer(data, (uint8_t)eh_read_fixed(data, 1), 0);
			break;
		case 'S':
			out->signal_frame = true;
			break;
		default:
			data->bad = true;
		}
	}
}

static bool read_cie(struct eh_cursor body, struct cie *out)
{
	uint8_t version = (uint8_t)eh_read_fixed(&body, 1);
	const char *letters = (const char *)body.at;
	uint64_t data_bytes;

	*out = (struct cie){ .code_encoding = FORM_ABSOLUTE, .lsda_encoding = EH_OMIT };
	if (body.bad || (version != 1 && version != 3) || !memchr(letters, 0, (size_t)(body.end - body.at)))
		return false;
	take(&body, strlen(letters) + 1);
	read_leb(&body, false);              /* code and data alignment */
	read_leb(&body, true);
	if (version == 1)
		eh_read_fixed(&body, 1);     /* the return address's column */
	else
		read_leb(&body, false);
	if (!letters[0])
		return !body.bad;
	if (letters[0] != 'z')
		return false;
	out->has_sizes = true;
	data_bytes = read_leb(&body, false);
	if (body.bad || data_bytes > (uint64_t)(body.end - body.at))
		return false;
	body.end = body.at + data_bytes;
	read_augmentation(&body, letters + 1, out);
	return !body.bad;
}

/* The CIE that an FDE names by its distance. */
static bool cie_of(const struct eh_record *fde, struct eh_record *record_out, struct cie *out)
{
	const unsigned char *place = fde->start + 4;
	struct eh_cursor at = eh_cursor_at(fde->body.module, (uintptr_t)place - fde->cie_pointer);

	return !at.bad && eh_read_record(&at, record_out) && !record_out->last && !record_out->cie_pointer &&
	       read_cie(record_out->body, out);
}

bool eh_read_function(const struct eh_record *fde, struct eh_function *out)
{
	struct eh_cursor body = fde->body;
	struct eh_record record;
	struct cie cie;
	uint64_t data_bytes;

	if (fde->last || !fde->cie_pointer || !cie_of(fde, &record, &cie))
		return false;
	*out = (struct eh_function){ .fde = fde->start, .cie = record.start };
	out->personality = cie.personality;
	out->signal_frame = cie.signal_frame;
	out->start = eh_read_pointer(&body, cie.code_encoding, 0);
	out->end = out->start + read_number(&body, cie.code_encoding & FORM_BITS);
	if (!cie.has_sizes)
		return !body.bad && out->end >= out->start;
	data_bytes = read_leb(&body, false);
	if (body.bad || data_bytes > (uint64_t)(body.end - body.at))
		return false;
	body.end = body.at + data_bytes;
	if (cie.lsda_encoding != EH_OMIT)
		out->lsda = eh_read_pointer(&body, cie.lsda_encoding, 0);
	return !body.bad && out->end >= out->start;
}
