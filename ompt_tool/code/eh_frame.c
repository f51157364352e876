/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths, pointers, CIEs and FDEs of .eh_frame. */
#define _GNU_SOURCE
#include "ompt_tool/code/eh_frame.h"

#include <link.h>

/* Fields of a CIE that apply to its FDEs. */
struct cie {
	uint8_t code_encoding, lsda_encoding;
	uintptr_t personality;
	bool has_sizes; /* 'z': augmentation data have a length */
	bool signal_frame;
};

bool eh_segment_around(const struct dl_phdr_info *module, uintptr_t address, uint32_t permissions,
		       uintptr_t *start_out, uintptr_t *end_out)
{
	for (unsigned int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
		uintptr_t start = module->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || (segment->p_flags & permissions) != permissions ||
		    address - start >= segment->p_memsz)
			continue;
		*start_out = start;
		*end_out = start + segment->p_memsz;
		return true;
	}
	return false;
}

bool eh_is_loaded(const struct dl_phdr_info *module, uintptr_t address, size_t bytes,
		  uint32_t permissions)
{
	uintptr_t start, end;

	return eh_segment_around(module, address, permissions, &start, &end) &&
	       bytes <= end - address;
}

struct eh_cursor eh_cursor_at(const struct dl_phdr_info *module, uintptr_t address)
{
	uintptr_t start, end;

	if (!eh_segment_around(module, address, PF_R, &start, &end))
		return (struct eh_cursor){ module, { .bad = true } };
	return (struct eh_cursor){
		module, { (const unsigned char *)address, (const unsigned char *)end, false }
	};
}

/* The base of a pointer of this encoding that is read from `place`. */
static uint64_t base_of(struct bytes *in, uint8_t encoding, const unsigned char *place,
			uintptr_t data_base)
{
	switch (encoding & BYTES_RELATIVE) {
	case BYTES_ABSOLUTE:
	case BYTES_ALIGNED: return 0;
	case BYTES_PC_RELATIVE: return (uintptr_t)place;
	case BYTES_DATA_RELATIVE: in->bad = in->bad || !data_base; return data_base;
	default: in->bad = true; return 0;
	}
}

uint64_t eh_read_pointer(struct eh_cursor *cursor, uint8_t encoding, uintptr_t data_base)
{
	struct bytes *in = &cursor->bytes;
	const unsigned char *place;
	uint64_t value;

	if ((encoding & ~BYTES_INDIRECT) == BYTES_ALIGNED)
		bytes_take(in, -(uintptr_t)in->at % sizeof(uintptr_t));
	place = in->at;
	value = bytes_number(in, encoding);
	if (!value || in->bad)
		return 0;
	value += base_of(in, encoding, place, data_base);
	if (!in->bad && (encoding & BYTES_INDIRECT)) {
		struct eh_cursor there = eh_cursor_at(cursor->module, value);

		value = bytes_fixed(&there.bytes, sizeof(uintptr_t));
		in->bad = there.bytes.bad;
	}
	return in->bad ? 0 : value;
}

/*
 * Records above 4 GiB, with a length of 8 bytes, are not read: no compiler writes them into
 * .eh_frame.
 */
bool eh_read_record(struct eh_cursor *cursor, struct eh_record *out)
{
	struct bytes *in = &cursor->bytes;
	uint64_t length;

	*out = (struct eh_record){ .start = in->at };
	length = bytes_fixed(in, 4);
	if (!in->bad && !length) {
		out->last = true;
		return true;
	}
	out->body = (struct eh_cursor){ cursor->module, bytes_take(in, length) };
	if (length < 4 || length == UINT32_MAX || in->bad)
		return false;
	out->cie_pointer = (uint32_t)bytes_fixed(&out->body.bytes, 4);
	return true;
}

static void read_augmentation(struct eh_cursor *data, const char *letters, struct cie *out)
{
	struct bytes *in = &data->bytes;

	for (; *letters; letters++) {
		switch (*letters) {
		case 'R': out->code_encoding = (uint8_t)bytes_fixed(in, 1); break;
		case 'L': out->lsda_encoding = (uint8_t)bytes_fixed(in, 1); break;
		case 'P':
			out->personality = eh_read_pointer(data, (uint8_t)bytes_fixed(in, 1), 0);
			break;
		case 'S': out->signal_frame = true; break;
		default: in->bad = true;
		}
	}
}

static bool read_cie(struct eh_cursor body, struct cie *out)
{
	struct bytes *in = &body.bytes;
	uint8_t version = (uint8_t)bytes_fixed(in, 1);
	const char *letters = bytes_text(in);

	*out = (struct cie){ .code_encoding = BYTES_ABSOLUTE, .lsda_encoding = BYTES_OMITTED };
	if (in->bad || (version != 1 && version != 3))
		return false;
	bytes_uleb(in); /* code and data alignment */
	bytes_sleb(in);
	if (version == 1)
		bytes_fixed(in, 1); /* the return address's column */
	else
		bytes_uleb(in);
	if (!letters[0])
		return !in->bad;
	if (letters[0] != 'z')
		return false;
	out->has_sizes = true;
	*in = bytes_take(in, bytes_uleb(in));
	read_augmentation(&body, letters + 1, out);
	return !in->bad;
}

/* The CIE that an FDE names by its distance. */
static bool cie_of(const struct eh_record *fde, struct eh_record *record_out, struct cie *out)
{
	const unsigned char *place = fde->start + 4;
	struct eh_cursor at = eh_cursor_at(fde->body.module, (uintptr_t)place - fde->cie_pointer);

	return !at.bytes.bad && eh_read_record(&at, record_out) && !record_out->last &&
	       !record_out->cie_pointer && read_cie(record_out->body, out);
}

bool eh_read_function(const struct eh_record *fde, struct eh_function *out)
{
	struct eh_cursor body = fde->body;
	struct bytes *in = &body.bytes;
	struct eh_record record;
	struct cie cie;

	if (fde->last || !fde->cie_pointer || !cie_of(fde, &record, &cie))
		return false;
	*out = (struct eh_function){ .fde = fde->start, .cie = record.start };
	out->personality = cie.personality;
	out->signal_frame = cie.signal_frame;
	out->start = eh_read_pointer(&body, cie.code_encoding, 0);
	out->end = out->start + bytes_number(in, cie.code_encoding);
	if (cie.has_sizes) {
		*in = bytes_take(in, bytes_uleb(in));
		if (cie.lsda_encoding != BYTES_OMITTED)
			out->lsda = eh_read_pointer(&body, cie.lsda_encoding, 0);
	}
	return !in->bad && out->end >= out->start;
}
