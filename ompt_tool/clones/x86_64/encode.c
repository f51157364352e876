/* SPDX-License-Identifier: Apache-2.0 */
/* Prefixes, REX, opcode, ModRM, SIB and displacement in the order of the SDM (2, 2.1 and 2.2). */
#include "ompt_tool/clones/x86_64/encode.h"

#include <string.h>

#include "analysis/code/instruction.h"

struct operand operand_at(uint8_t base, int64_t displacement)
{
	return (struct operand){ base, CODE_NO_REGISTER, 1, 0, false, displacement };
}

struct operand operand_thread(int64_t offset)
{
	return (struct operand){ CODE_NO_REGISTER, CODE_NO_REGISTER, 1, 'f', false, offset };
}

void encode_bytes(struct encoder *out, const void *bytes, size_t nr)
{
	if (out->full || (size_t)(out->end - out->at) < nr) {
		out->full = true;
		return;
	}
	memcpy(out->at, bytes, nr);
	out->at += nr;
	out->run += nr;
}

void encode_8(struct encoder *out, uint8_t value)
{
	encode_bytes(out, &value, 1);
}
void encode_32(struct encoder *out, int32_t value)
{
	encode_bytes(out, &value, 4);
}
void encode_64(struct encoder *out, uint64_t value)
{
	encode_bytes(out, &value, 8);
}

/* A displacement relative to the instruction's end, which is `behind` bytes after it. */
static void relative(struct encoder *out, uintptr_t target, unsigned int behind)
{
	int64_t away = (int64_t)(target - (out->run + 4 + behind));

	out->out_of_reach |= away != (int32_t)away;
	encode_32(out, (int32_t)away);
}

static void displacement_32(struct encoder *out, int64_t value)
{
	out->out_of_reach |= value != (int32_t)value;
	encode_32(out, (int32_t)value);
}

static unsigned int scale_bits(uint8_t scale)
{
	return scale == 8 ? 3 : scale == 4 ? 2 : scale == 2 ? 1 : 0;
}

/*
 * ModRM 00 with base rbp or r13 means no base; 01 has an 8-bit displacement. `short_form` is not
 * for EVEX, whose displacement is scaled by the vector size.
 */
static void memory_with_base(struct encoder *out, unsigned int reg, const struct operand *m,
			     bool short_form)
{
	bool sib = m->index != CODE_NO_REGISTER || (m->base & 7) == RSP;
	bool none = short_form && !m->displacement && (m->base & 7) != RBP;
	bool small = short_form && !none && m->displacement == (int8_t)m->displacement;
	unsigned int index = m->index == CODE_NO_REGISTER ? RSP : m->index & 7u;

	encode_8(out, (uint8_t)((none    ? 0
				 : small ? 0x40
					 : 0x80) |
				(reg & 7) << 3 | (sib ? RSP : m->base & 7u)));
	if (sib)
		encode_8(out, (uint8_t)(scale_bits(m->scale) << 6 | index << 3 | (m->base & 7u)));
	if (small)
		encode_8(out, (uint8_t)m->displacement);
	else if (!none)
		displacement_32(out, m->displacement);
}

static void memory(struct encoder *out, unsigned int reg, const struct operand *m,
		   unsigned int behind, bool short_form)
{
	unsigned int index = m->index == CODE_NO_REGISTER ? RSP : m->index & 7u;

	if (m->base == CODE_RIP) {
		encode_8(out, (uint8_t)((reg & 7) << 3 | RBP));
		relative(out, (uintptr_t)m->displacement, behind);
	} else if (m->base == CODE_NO_REGISTER) {
		encode_8(out, (uint8_t)((reg & 7) << 3 | RSP));
		encode_8(out, (uint8_t)(scale_bits(m->scale) << 6 | index << 3 | RBP));
		displacement_32(out, m->displacement);
	} else {
		memory_with_base(out, reg, m, short_form);
	}
}

static bool extended(uint8_t reg)
{
	return reg != CODE_NO_REGISTER && reg != CODE_RIP && reg & 8;
}

static void prefixes(struct encoder *out, const struct operand *m)
{
	if (m->segment)
		encode_8(out, m->segment == 'f' ? 0x64 : 0x65);
	if (m->address_32)
		encode_8(out, 0x67);
}

/*
 * An instruction with a one-byte opcode, or a two-byte one (0x0f). `behind`: bytes of an immediate
 * that follows.
 */
static void instruction(struct encoder *out, bool wide, unsigned int opcode, unsigned int reg,
			const struct operand *m, unsigned int behind)
{
	unsigned int rex = 0x40 | (wide ? 8u : 0) | (reg & 8 ? 4u : 0) |
			   (extended(m->index) ? 2u : 0) | (extended(m->base) ? 1u : 0);

	prefixes(out, m);
	if (rex != 0x40)
		encode_8(out, (uint8_t)rex);
	if (opcode >> 8)
		encode_8(out, (uint8_t)(opcode >> 8));
	encode_8(out, (uint8_t)opcode);
	memory(out, reg, m, behind, true);
}

void encode_load(struct encoder *out, uint8_t reg, const struct operand *from)
{
	instruction(out, true, 0x8b, reg, from, 0);
}
void encode_load_byte(struct encoder *out, uint8_t reg, const struct operand *from)
{
	instruction(out, false, 0x0fb6, reg, from, 0);
}
void encode_store(struct encoder *out, const struct operand *to, uint8_t reg)
{
	instruction(out, true, 0x89, reg, to, 0);
}
void encode_store_low(struct encoder *out, const struct operand *to, uint8_t reg)
{
	instruction(out, false, 0x89, reg, to, 0);
}
void encode_push_operand(struct encoder *out, const struct operand *from)
{
	instruction(out, false, 0xff, 6, from, 0);
}
void encode_call_operand(struct encoder *out, const struct operand *from)
{
	instruction(out, false, 0xff, 2, from, 0);
}

void encode_lea(struct encoder *out, uint8_t reg, const struct operand *from)
{
	struct operand plain = *from;

	plain.segment = 0;
	instruction(out, true, 0x8d, reg, &plain, 0);
}

void encode_store_value(struct encoder *out, const struct operand *to, int32_t value)
{
	instruction(out, true, 0xc7, 0, to, 4);
	encode_32(out, value);
}

void encode_compare(struct encoder *out, const struct operand *with, uint8_t reg)
{
	instruction(out, true, 0x3b, reg, with, 0);
}

void encode_compare_64(struct encoder *out, const struct operand *with, int8_t value)
{
	instruction(out, true, 0x83, 7, with, 1);
	encode_8(out, (uint8_t)value);
}

void encode_compare_byte(struct encoder *out, const struct operand *with, uint8_t value)
{
	instruction(out, false, 0x80, 7, with, 1);
	encode_8(out, value);
}

void encode_move(struct encoder *out, uint8_t to, uint8_t from)
{
	encode_8(out, (uint8_t)(0x48 | (from & 8 ? 4 : 0) | (to & 8 ? 1 : 0)));
	encode_8(out, 0x89);
	encode_8(out, (uint8_t)(0xc0 | (from & 7) << 3 | (to & 7)));
}

void encode_value(struct encoder *out, uint8_t reg, uint64_t value)
{
	encode_8(out, (uint8_t)(0x48 | (reg & 8 ? 1 : 0)));
	encode_8(out, (uint8_t)(0xb8 | (reg & 7)));
	encode_64(out, value);
}

void encode_test_value(struct encoder *out, uint8_t reg, uint32_t value)
{
	if (reg & 8)
		encode_8(out, 0x41);
	encode_8(out, 0xf7);
	encode_8(out, (uint8_t)(0xc0 | (reg & 7)));
	encode_32(out, (int32_t)value);
}

static void push_or_pop(struct encoder *out, uint8_t opcode, uint8_t reg)
{
	if (reg & 8)
		encode_8(out, 0x41);
	encode_8(out, (uint8_t)(opcode | (reg & 7)));
}

void encode_push(struct encoder *out, uint8_t reg)
{
	push_or_pop(out, 0x50, reg);
}
void encode_pop(struct encoder *out, uint8_t reg)
{
	push_or_pop(out, 0x58, reg);
}

/*
 * The thread control block begins with its own address: psABI x86-64 1.0, 3.4.6 and the ABI of TLS.
 */
void encode_read_fs_base(struct encoder *out, uint8_t reg)
{
	struct operand self = operand_thread(0);

	encode_load(out, reg, &self);
}

void encode_read_gs_base(struct encoder *out, uint8_t reg)
{
	encode_8(out, 0xf3);
	encode_8(out, (uint8_t)(0x48 | (reg & 8 ? 1 : 0)));
	ENCODE(out, "\x0f\xae");
	encode_8(out, (uint8_t)(0xc8 | (reg & 7)));
}

/* VEX with three bytes; `map` 1: 0f. The register fields are inverted. */
static void vex(struct encoder *out, unsigned int reg, const struct operand *m, bool wide,
		unsigned int length, unsigned int prefix)
{
	encode_8(out, 0xc4);
	encode_8(out, (uint8_t)((reg & 8 ? 0 : 0x80) | (extended(m->index) ? 0 : 0x40) |
				(extended(m->base) ? 0 : 0x20) | 1));
	encode_8(out, (uint8_t)((wide ? 0x80 : 0) | 0x78 | length << 2 | prefix));
}

void encode_store_mask(struct encoder *out, const struct operand *to, uint8_t mask, bool wide)
{
	vex(out, mask, to, wide, 0, 0);
	encode_8(out, 0x91);
	memory(out, mask, to, 0, true);
}

/* vmovdqu64, EVEX.F3.0F.W1 7F. */
static void store_vector_evex(struct encoder *out, const struct operand *to, uint8_t vector,
			      unsigned int bytes)
{
	unsigned int length = bytes == 64 ? 2 : bytes == 32 ? 1 : 0;

	encode_8(out, 0x62);
	encode_8(out, (uint8_t)((vector & 8 ? 0 : 0x80) | (extended(to->index) ? 0 : 0x40) |
				(extended(to->base) ? 0 : 0x20) | (vector & 16 ? 0 : 0x10) | 1));
	encode_8(out, 0xfe);
	encode_8(out, (uint8_t)(length << 5 | 0x08));
	encode_8(out, 0x7f);
	memory(out, vector, to, 0, false);
}

/* vmovdqu, VEX.F3.0F 7F, if possible: it does not require AVX-512. */
void encode_store_vector(struct encoder *out, const struct operand *to, uint8_t vector,
			 unsigned int bytes)
{
	if (vector > 15 || bytes > 32) {
		store_vector_evex(out, to, vector, bytes);
		return;
	}
	vex(out, vector, to, false, bytes == 32, 2);
	encode_8(out, 0x7f);
	memory(out, vector, to, 0, true);
}

static unsigned char *field(struct encoder *out, uintptr_t target)
{
	unsigned char *at = out->at;

	relative(out, target, 0);
	return at;
}

unsigned char *encode_jump(struct encoder *out, uintptr_t target)
{
	encode_8(out, 0xe9);
	return field(out, target);
}

unsigned char *encode_call(struct encoder *out, uintptr_t target)
{
	encode_8(out, 0xe8);
	return field(out, target);
}

unsigned char *encode_branch(struct encoder *out, uint8_t condition, uintptr_t target)
{
	encode_8(out, 0x0f);
	encode_8(out, (uint8_t)(0x80 | condition));
	return field(out, target);
}

unsigned char *encode_transaction(struct encoder *out, uintptr_t fallback)
{
	ENCODE(out, "\xc7\xf8");
	return field(out, fallback);
}

bool encode_patch(unsigned char *at, uintptr_t field_run, uintptr_t target)
{
	int64_t away = (int64_t)(target - (field_run + 4));
	int32_t value = (int32_t)away;

	memcpy(at, &value, 4);
	return away == value;
}
