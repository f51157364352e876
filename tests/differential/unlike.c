/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/differential/unlike.h"

#include <Zydis/Zydis.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "tests/differential/prepare.h"

typedef void change(struct place *recorded, struct place *listed);

/*
 * -- atomic instructions read what is there, and once more when they put the new value in its place
 * if nobody has changed it
 */

static bool is_atomic(const ZydisDecodedInstruction *is)
{
	if (is->mnemonic == ZYDIS_MNEMONIC_CMPXCHG || is->mnemonic == ZYDIS_MNEMONIC_CMPXCHG8B ||
	    is->mnemonic == ZYDIS_MNEMONIC_CMPXCHG16B)
		return false; /* these do so on the CPU, too */
	return is->mnemonic == ZYDIS_MNEMONIC_XCHG || is->attributes & ZYDIS_ATTRIB_HAS_LOCK;
}

static void read_twice(struct place *recorded, struct place *listed)
{
	struct bytes *read = &recorded->read;

	(void)listed;
	*read = (struct bytes){ 2 * read->accesses, 2 * read->nr, 2 * read->addresses,
				2 * read->squares, 2 * read->elsewhere };
}

/* -- vectors are read element by element: the same bytes, but more accesses */

static bool is_in_pieces(const ZydisDecodedInstruction *is)
{
	switch (is->mnemonic) {
	case ZYDIS_MNEMONIC_CVTPS2PD:
	case ZYDIS_MNEMONIC_VCVTPS2PD:
	case ZYDIS_MNEMONIC_ROUNDPS:
	case ZYDIS_MNEMONIC_ROUNDPD:
	case ZYDIS_MNEMONIC_VROUNDPS:
	case ZYDIS_MNEMONIC_VROUNDPD:
	case ZYDIS_MNEMONIC_VPERM2F128:
	case ZYDIS_MNEMONIC_VPERM2I128: return true;
	default: return is->meta.isa_set == ZYDIS_ISA_SET_FMA;
	}
}

static void in_pieces(struct place *recorded, struct place *listed)
{
	recorded->read.accesses = listed->read.accesses;
}

/* -- of some operands half is read: the lower, or of 32 bytes the lower of each 16 */

static void halve(struct bytes *bytes, uint64_t size, uint64_t pieces)
{
	uint64_t known = (bytes->nr - bytes->elsewhere) / size;

	/* n, n + 1, … of `size` bytes add up to size * n + size * (size - 1) / 2 */
	bytes->addresses = bytes->addresses / 2 - 2 * size * known;
	bytes->accesses *= pieces;
	bytes->nr /= 2;
	bytes->elsewhere /= 2;
}

static bool is_shift(const ZydisDecodedInstruction *is)
{
	switch (is->mnemonic) {
	case ZYDIS_MNEMONIC_PSLLW:
	case ZYDIS_MNEMONIC_PSLLD:
	case ZYDIS_MNEMONIC_PSLLQ:
	case ZYDIS_MNEMONIC_PSRLW:
	case ZYDIS_MNEMONIC_PSRLD:
	case ZYDIS_MNEMONIC_PSRLQ:
	case ZYDIS_MNEMONIC_PSRAW:
	case ZYDIS_MNEMONIC_PSRAD:
	case ZYDIS_MNEMONIC_VPSLLW:
	case ZYDIS_MNEMONIC_VPSLLD:
	case ZYDIS_MNEMONIC_VPSLLQ:
	case ZYDIS_MNEMONIC_VPSRLW:
	case ZYDIS_MNEMONIC_VPSRLD:
	case ZYDIS_MNEMONIC_VPSRLQ:
	case ZYDIS_MNEMONIC_VPSRAW:
	case ZYDIS_MNEMONIC_VPSRAD: return true;
	default: return false;
	}
}

static void lower_half(struct place *recorded, struct place *listed)
{
	halve(&recorded->read, 16, 1);
	recorded->read.squares = listed->read.squares;
}

static bool is_wide_duplicate(const ZydisDecodedInstruction *is)
{
	return is->mnemonic == ZYDIS_MNEMONIC_VMOVDDUP && is->avx.vector_length == 256;
}

static void lower_halves(struct place *recorded, struct place *listed)
{
	halve(&recorded->read, 32, 2);
	recorded->read.squares = listed->read.squares;
}

/* -- gathers read something at the stack pointer for each lane that is not gathered */

static bool is_gather(const ZydisDecodedInstruction *is)
{
	return is->meta.category == ZYDIS_CATEGORY_GATHER ||
	       is->meta.category == ZYDIS_CATEGORY_AVX2GATHER;
}

static void without_stack(struct place *recorded, struct place *listed)
{
	struct bytes *read = &listed->read, left = *read;
	uint64_t size = read->accesses ? read->nr / read->accesses : 0,
		 nr = read->accesses - recorded->read.accesses, at;

	if (!nr || read->accesses < recorded->read.accesses || !size)
		return;
	left = (struct bytes){ nr, nr * size, read->addresses - recorded->read.addresses,
			       read->squares - recorded->read.squares, 0 };
	at = (left.addresses / nr - size * (size - 1) / 2) / size;
	for (uint64_t i = 0; i < size; i++) {
		left.addresses -= nr * (at + i);
		left.squares -= nr * (at + i) * (at + i);
	}
	/* All of them at the same place on the stack: then the others are those recorded. */
	if (!left.addresses && !left.squares && at - (uintptr_t)PREPARE_STACK < PREPARE_STACK_BYTES)
		*read = (struct bytes){ read->accesses - nr, read->nr - left.nr,
					recorded->read.addresses, recorded->read.squares,
					read->elsewhere };
}

/* -- bt and its family write a register to the stack to find its bit there */

static bool is_bit_of_register(const ZydisDecodedInstruction *is)
{
	switch (is->mnemonic) {
	case ZYDIS_MNEMONIC_BT:
	case ZYDIS_MNEMONIC_BTS:
	case ZYDIS_MNEMONIC_BTR:
	case ZYDIS_MNEMONIC_BTC: return is->raw.modrm.mod == 3;
	default: return false;
	}
}

static void nothing(struct place *recorded, struct place *listed)
{
	(void)recorded;
	*listed = (struct place){ .at = listed->at };
}

/*
 * -- maskmovdqu reads and writes all 16 bytes; of xsave and its like how many bytes they are is not
 * recorded
 */

static bool is_not_compared(const ZydisDecodedInstruction *is)
{
	return is->mnemonic == ZYDIS_MNEMONIC_MASKMOVDQU ||
	       is->mnemonic == ZYDIS_MNEMONIC_VMASKMOVDQU ||
	       is->meta.category == ZYDIS_CATEGORY_XSAVE ||
	       is->meta.category == ZYDIS_CATEGORY_XSAVEOPT ||
	       is->meta.isa_set == ZYDIS_ISA_SET_FXSAVE ||
	       is->meta.isa_set == ZYDIS_ISA_SET_FXSAVE64;
}

static void not_compared(struct place *recorded, struct place *listed)
{
	*recorded = *listed;
}

static const struct {
	bool (*is)(const ZydisDecodedInstruction *is);
	change *change;
} rows[] = {
	{ is_atomic, read_twice },         { is_in_pieces, in_pieces },
	{ is_shift, lower_half },          { is_wide_duplicate, lower_halves },
	{ is_gather, without_stack },      { is_bit_of_register, nothing },
	{ is_not_compared, not_compared },
};

static bool same_bytes(const struct bytes *a, const struct bytes *b)
{
	return a->accesses == b->accesses && a->nr == b->nr && a->addresses == b->addresses &&
	       a->squares == b->squares && a->elsewhere == b->elsewhere;
}

static bool decode(uintptr_t at, ZydisDecodedInstruction *out)
{
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return ZYAN_SUCCESS(
		ZydisDecoderDecodeInstruction(&decoder, NULL, (const void *)at, 15, out));
}

bool unlike_same(uintptr_t at, struct place recorded, struct place listed)
{
	ZydisDecodedInstruction is;

	if (!decode(at, &is))
		return false;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].is(&is))
			rows[i].change(&recorded, &listed);
	return same_bytes(&recorded.read, &listed.read) &&
	       same_bytes(&recorded.written, &listed.written);
}

const char *unlike_name(uintptr_t at)
{
	static char text[200];
	ZydisDisassembledInstruction is;
	Dl_info info;

	if (!ZYAN_SUCCESS(ZydisDisassembleIntel(ZYDIS_MACHINE_MODE_LONG_64, at, (const void *)at,
						15, &is)) ||
	    !dladdr((void *)at, &info))
		return "?";
	snprintf(text, sizeof(text), "+0x%lx %s", (long)(at - (uintptr_t)info.dli_fbase), is.text);
	return text;
}
