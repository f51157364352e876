/* SPDX-License-Identifier: Apache-2.0 */
/* The decode cache returns what the decoder returns. */
#include "analysis/code/seen.h"
#include "tests/unit/machine_code.h"
#include "tests/unit/pick.h"

enum { ROOM = 16 };

static bool same_access(const struct code_access *a, const struct code_access *b)
{
	return a->kind == b->kind && a->read == b->read && a->write == b->write &&
	       a->is_float == b->is_float && a->non_temporal == b->non_temporal &&
	       a->atomic == b->atomic && a->base == b->base && a->index == b->index &&
	       a->scale == b->scale && a->segment == b->segment && a->lanes == b->lanes &&
	       a->mask == b->mask && a->vector_mask == b->vector_mask &&
	       a->index_vector == b->index_vector && a->index_size == b->index_size &&
	       a->vector_bytes == b->vector_bytes && a->address_32 == b->address_32 &&
	       a->size == b->size && a->displacement == b->displacement;
}

static bool same_sum(const struct code_sum *a, const struct code_sum *b)
{
	return a->base == b->base && a->index == b->index && a->scale == b->scale &&
	       a->displacement == b->displacement;
}

static bool same_instruction(const struct code_instruction *a, const struct code_instruction *b)
{
	return a->length == b->length && a->kind == b->kind && a->rip_offset == b->rip_offset &&
	       a->nr_accesses == b->nr_accesses && a->loads == b->loads && a->values == b->values &&
	       a->reads == b->reads && a->writes == b->writes && a->flags_read == b->flags_read &&
	       a->flags_written == b->flags_written && same_sum(&a->sum, &b->sum) &&
	       a->step == b->step && a->target == b->target;
}

/* Returns the length. */
static unsigned int check(const unsigned char *bytes, size_t room, uintptr_t address)
{
	struct decoded seen, anew;

	seen_decode(bytes, room, address, &seen);
	decode_instruction(bytes, room, address, &anew);
	CHECK(same_instruction(&seen.instruction, &anew.instruction));
	CHECK(seen.breakpoint == anew.breakpoint && seen.own_address == anew.own_address &&
	      seen.refusal == anew.refusal);
	for (unsigned int i = 0; i < anew.instruction.nr_accesses; i++)
		CHECK(same_access(&seen.accesses[i], &anew.accesses[i]));
	return anew.instruction.length;
}

static void check_function(void *ctx, const struct code_bounds *bounds)
{
	(void)ctx;
	for (uintptr_t at = bounds->start; at < bounds->end;)
		at += check((const unsigned char *)at, bounds->end - at, at);
}

TEST(seen__of_every_instruction_of_a_library)
{
	need_machine_code();
	CHECK_THAT(each_function("libm.so.6", "cos", check_function, NULL), >, 100);
}

/* RIP-relative jumps, calls and operands with random displacements at random addresses. */
TEST(seen__with_other_displacements)
{
	static const struct {
		unsigned char bytes[ROOM];
		unsigned int length, at, size;
	} cases[] = {
		{ { 0x74 }, 2, 1, 1 },
		{ { 0xe2 }, 2, 1, 1 },
		{ { 0xe3 }, 2, 1, 1 },
		{ { 0xeb }, 2, 1, 1 },
		{ { 0xe8 }, 5, 1, 4 },
		{ { 0xe9 }, 5, 1, 4 },
		/* xbegin */
		{ { 0x0f, 0x8c }, 6, 2, 4 },
		{ { 0xc7, 0xf8 }, 6, 2, 4 },
		/* mov, lea */
		{ { 0x48, 0x8b, 0x05 }, 7, 3, 4 },
		{ { 0x48, 0x8d, 0x0d }, 7, 3, 4 },
		/* cmpl $7; jmp through memory */
		{ { 0x83, 0x3d, 0, 0, 0, 0, 7 }, 7, 2, 4 },
		{ { 0xff, 0x25 }, 6, 2, 4 },
		/* mov; from a 32-bit address */
		{ { 0x8b, 0x05 }, 6, 2, 4 },
		{ { 0x67, 0x8b, 0x05 }, 7, 3, 4 },
		{ { 0xf2, 0x0f, 0x10, 0x05 }, 8, 4, 4 },
	};

	need_machine_code();
	for (unsigned int n = 0; n < 20000; n++) {
		size_t row = pick(sizeof(cases) / sizeof(cases[0]));
		unsigned char bytes[ROOM];
		uint32_t displacement = (uint32_t)pick(UINT64_C(1) << 32);

		memcpy(bytes, cases[row].bytes, ROOM);
		memcpy(bytes + cases[row].at, &displacement, cases[row].size);
		CHECK_INT(check(bytes, ROOM, pick(UINT64_C(1) << 47)), cases[row].length);
	}
}

/* Few distinct bytes, so that rows are hit and replaced often. */
TEST(seen__of_any_bytes)
{
	static const unsigned char often[] = { 0x48, 0x66, 0x67, 0xf2, 0xf3, 0x0f, 0x10,
					       0x05, 0x84, 0x24, 0x8b, 0x8d, 0xc5, 0xfb,
					       0x74, 0xe8, 0xff, 0x80, 0x00, 0x25 };
	unsigned char bytes[ROOM];

	need_machine_code();
	for (unsigned int n = 0; n < 200000; n++) {
		for (unsigned int i = 0; i < ROOM; i++)
			bytes[i] = pick(16) ? often[pick(sizeof(often))] : (unsigned char)pick(256);
		check(bytes, ROOM - pick(12), pick(UINT64_C(1) << 47));
	}
}
