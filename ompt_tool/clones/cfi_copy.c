/* SPDX-License-Identifier: Apache-2.0 */
/* Writes call-frame information with the locations of a copy. */
#include "ompt_tool/clones/cfi_copy.h"

#include <string.h>

#include "analysis/base/bisect.h"
#include "ompt_tool/clones/frame_expression.h"

#define POINTER 8 /* bytes */

/* -- translating the instructions */

bool cfi_place(const struct unwind_function *function, uint64_t original, uint32_t *copy_out)
{
	size_t low = BISECT(i, function->nr, function->places[i].original < original);

	if (low == function->nr || function->places[low].original != original)
		return false;
	*copy_out = function->places[low].copy;
	return true;
}

struct translation {
	const struct cfi *cfi;
	const struct unwind_function *function;
	struct packing *out;
	uint64_t location; /* offset in the original … */
	uint32_t copied;   /* … and in the copy */
	size_t remembered; /* states on the stack */
	const char *why;
};

static void pack_advance(struct packing *out, uint32_t delta)
{
	if (delta == 0)
		return;
	if (delta < CFA_ADVANCE) {
		pack_fixed(out, CFA_ADVANCE | delta, 1);
		return;
	}
	pack_fixed(out,
		   delta <= UINT8_MAX    ? CFA_ADVANCE_1
		   : delta <= UINT16_MAX ? CFA_ADVANCE_2
					 : CFA_ADVANCE_4,
		   1);
	pack_fixed(out, delta, delta <= UINT8_MAX ? 1 : delta <= UINT16_MAX ? 2 : 4);
}

static void move_to(struct translation *self, uint64_t location)
{
	uint32_t copied;

	if (location < self->location)
		self->why = "its CFI goes back";
	else if (!cfi_place(self->function, location, &copied))
		self->why = "its CFI changes within an instruction";
	else {
		pack_advance(self->out, copied - self->copied);
		self->copied = copied;
		self->location = location;
	}
}

static void advance(struct translation *self, uint64_t delta)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(delta, self->cfi->code_alignment, &bytes) || bytes > INT32_MAX)
		self->why = "its CFI leads out of it";
	else
		move_to(self, self->location + bytes);
}

/* Reads an instruction that advances the location; false: it is another one. */
static bool moves(struct translation *self, unsigned char code, struct bytes *in)
{
	if ((code & CFA_PACKED) == CFA_ADVANCE)
		advance(self, code & ~CFA_PACKED);
	else if (code == CFA_SET_LOC)
		move_to(self, bytes_pointer(in, self->cfi->pointer_encoding) - self->cfi->start);
	else if (code == CFA_ADVANCE_1)
		advance(self, bytes_fixed(in, 1));
	else if (code == CFA_ADVANCE_2)
		advance(self, bytes_fixed(in, 2));
	else if (code == CFA_ADVANCE_4)
		advance(self, bytes_fixed(in, 4));
	else
		return false;
	return true;
}

static void skip_operand(struct translation *self, char kind, struct bytes *in)
{
	if (kind == 'u')
		bytes_uleb(in);
	else if (kind == 's')
		bytes_sleb(in);
	else if (!frame_expression_is_movable(bytes_take(in, bytes_uleb(in))) && !in->bad)
		self->why = "its CFI computes with the place of its code";
}

/* A saved state is restored once, and only by the function that saved it. */
static void count_remembered(struct translation *self, unsigned char code)
{
	if (code == CFA_REMEMBER)
		self->remembered++;
	else if (code == CFA_RESTORE_STATE && !self->remembered--) {
		self->remembered = 0;
		self->why = "its CFI restores a state it has not saved";
	}
}

static void keep(struct translation *self, unsigned char code, const unsigned char *start,
		 struct bytes *in)
{
	const char *kinds = cfi_operands(code);

	if (!kinds) {
		self->why = "its CFI has an instruction not known";
		return;
	}
	count_remembered(self, code);
	for (; *kinds; kinds++)
		skip_operand(self, *kinds, in);
	pack_copy(self->out, start, (size_t)(in->at - start));
}

static bool translate(struct translation *self, struct bytes in)
{
	while (in.at < in.end && !in.bad && !self->why) {
		const unsigned char *start = in.at;
		unsigned char code = (unsigned char)bytes_fixed(&in, 1);

		if (!moves(self, code, &in))
			keep(self, code, start, &in);
	}
	if (in.bad && !self->why)
		self->why = "its CFI ends within an instruction";
	return !self->why;
}

/*
 * A CIE's instructions are valid for any function: copied, if known and without a change of
 * location.
 */
static bool initial_is_constant(const struct cfi *cfi, const char **why_out)
{
	struct packing nowhere = { 0 };
	struct translation self = { .cfi = cfi,
				    .function = &(struct unwind_function){ 0 },
				    .out = &nowhere };

	if (translate(&self, cfi->initial))
		return true;
	*why_out = self.why;
	return false;
}

/* -- writing the records */

static void end_record(struct packing *out, size_t start)
{
	pack_align(out, POINTER); /* 0 is nop */
	pack_fill_fixed(out, start, out->nr - start - 4, 4);
}

void cfi_write_cie(const struct cfi *cfi, uintptr_t personality, struct packing *out)
{
	const char *augmentation = personality ? "zPLR" : "zR";
	size_t start = out->nr;

	pack_fixed(out, 0, 8); /* length, filled in later; 0: a CIE */
	pack_fixed(out, 1, 1);
	pack_copy(out, augmentation, strlen(augmentation) + 1);
	pack_uleb(out, 1); /* code alignment factor: bytes */
	pack_sleb(out, cfi->data_alignment);
	pack_fixed(out, CFI_RETURN_ADDRESS, 1);
	pack_uleb(out, personality ? 1 + POINTER + 1 + 1 : 1);
	if (personality) {
		pack_fixed(out, BYTES_ABSOLUTE, 1);
		pack_fixed(out, personality, POINTER);
		pack_fixed(out, BYTES_ABSOLUTE, 1);
	}
	pack_fixed(out, BYTES_ABSOLUTE, 1);
	pack_copy(out, cfi->initial.at, (size_t)(cfi->initial.end - cfi->initial.at));
	end_record(out, start);
}

bool cfi_write_fde(const struct cfi *cfi, const struct unwind_function *function, size_t cie,
		   bool personality, struct packing *out, size_t *lsda_slot_out,
		   const char **why_out)
{
	struct translation self = { .cfi = cfi, .function = function, .out = out };
	size_t start = out->nr;

	if (!initial_is_constant(cfi, why_out))
		return false;
	pack_fixed(out, 0, 4);
	pack_fixed(out, start + 4 - cie, 4);
	pack_fixed(out, function->copy, POINTER);
	pack_fixed(out, function->copy_end - function->copy, POINTER);
	pack_uleb(out, personality ? POINTER : 0);
	*lsda_slot_out = personality ? out->nr : 0;
	if (personality)
		pack_fixed(out, 0, POINTER);
	if (!translate(&self, cfi->instructions)) {
		*why_out = self.why;
		return false;
	}
	end_record(out, start);
	return true;
}
