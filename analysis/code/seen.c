/* SPDX-License-Identifier: Apache-2.0 */
/* A direct-mapped cache of decoded instructions, keyed by their bytes. */
#include "analysis/code/seen.h"

#include <stdatomic.h>
#include <string.h>

enum { SEEN_BITS = 12, SHAPE_BITS = 14, LONGEST = 7, ACCESSES = 2 };
#define FACTOR 0x9e3779b97f4a7c15ull /* 2^64 / golden ratio, odd: Knuth, TAOCP 3, 6.4 */

/*
 * Key: the instruction's bytes in little-endian order with a RIP-relative displacement set to 0,
 * and the length in the top byte; 0: empty row. The first three bytes (opcode and ModRM, mostly)
 * select the expected shape; the whole key is compared.
 */
struct row {
	struct code_instruction instruction;
	struct code_access accesses[ACCESSES];
};
/* Length of an instruction, and position and size of its RIP-relative displacement. */
struct shape {
	uint8_t length, at, bytes;
};
static struct {
	struct shape shapes[1 << SHAPE_BITS];
	uint64_t keys[1 << SEEN_BITS];
	struct row rows[1 << SEEN_BITS];
} seen;
static _Atomic uintptr_t owner; /* a thread */

static struct shape *kept_shape(uint64_t word)
{
	return &seen.shapes[(word & 0xffffff) * FACTOR >> (64 - SHAPE_BITS)];
}

/*
 * jcc, loop, jrcxz, jmp and call: Intel SDM, vol. 2, tables. Length 0: not one of them.
 */
static struct shape shape_of_transfer(uint64_t word)
{
	uint8_t first = (uint8_t)word, second = (uint8_t)(word >> 8);

	if ((first & 0xf0) == 0x70 || (first & 0xfc) == 0xe0 || first == 0xeb)
		return (struct shape){ 2, 1, 1 };
	if (first == 0xe8 || first == 0xe9)
		return (struct shape){ 5, 1, 4 };
	return first == 0x0f && (second & 0xf0) == 0x80 ? (struct shape){ 6, 2, 4 }
							: (struct shape){ 0 };
}

static struct shape shape_of(uint64_t word)
{
	struct shape shape = shape_of_transfer(word);

	return shape.length ? shape : *kept_shape(word);
}

static uint64_t bytes_mask(unsigned int bytes)
{
	return ((uint64_t)1 << 8 * bytes) - 1;
}

static uint64_t key_of(uint64_t word, struct shape shape)
{
	return (word & bytes_mask(shape.length) & ~(bytes_mask(shape.bytes) << 8 * shape.at)) |
	       (uint64_t)shape.length << 56;
}

static size_t place_of(uint64_t key)
{
	return key * FACTOR >> (64 - SEEN_BITS);
}

static int64_t displacement_of(uint64_t word, struct shape shape)
{
	return shape.bytes ? (int64_t)(word << 8 * (8 - shape.at - shape.bytes)) >>
				     8 * (8 - shape.bytes)
			   : 0;
}

/* NULL: not cached. */
static const struct row *find(uint64_t word, struct shape shape)
{
	uint64_t key = key_of(word, shape);
	size_t place = place_of(key);

	return key && seen.keys[place] == key ? &seen.rows[place] : NULL;
}

static bool has_target(const struct code_instruction *at)
{
	return at->rip_offset || at->kind == CODE_JUMP || at->kind == CODE_BRANCH ||
	       at->kind == CODE_CALL;
}

static void move(struct code_instruction *instruction, struct code_access *accesses, uint64_t by)
{
	if (has_target(instruction))
		instruction->target += by;
	for (unsigned int i = 0; i < instruction->nr_accesses; i++)
		if (accesses[i].base == CODE_RIP)
			accesses[i].displacement = (int64_t)((uint64_t)accesses[i].displacement +
							     by);
}

/* The row is that of the instruction with displacement 0 at address 0. */
static void remember(uint64_t word, const struct decoded *decoded)
{
	const struct code_instruction *instruction = &decoded->instruction;
	struct shape shape = shape_of_transfer(word);
	struct row *row;
	uint64_t key;

	if (instruction->length > LONGEST || instruction->nr_accesses > ACCESSES ||
	    instruction->kind == CODE_REFUSED || decoded->breakpoint || decoded->own_address)
		return;
	if (!shape.length) {
		shape = (struct shape){ instruction->length, instruction->rip_offset,
					instruction->rip_offset ? 4 : 0 };
		*kept_shape(word) = shape;
	}
	key = key_of(word, shape);
	row = &seen.rows[place_of(key)];
	seen.keys[place_of(key)] = key;
	row->instruction = *instruction;
	for (unsigned int i = 0; i < instruction->nr_accesses; i++)
		row->accesses[i] = decoded->accesses[i];
	move(&row->instruction, row->accesses, -(uint64_t)displacement_of(word, shape));
}

static void copy(struct decoded *out, const struct row *from)
{
	out->instruction = from->instruction;
	out->refusal = NULL;
	out->breakpoint = out->own_address = false;
	for (unsigned int i = 0; i < from->instruction.nr_accesses; i++)
		out->accesses[i] = from->accesses[i];
}

static bool is_mine(void)
{
	uintptr_t self = (uintptr_t)__builtin_thread_pointer(),
		  was = atomic_load_explicit(&owner, memory_order_relaxed);

	return was == self || (!was && atomic_compare_exchange_strong(&owner, &was, self));
}

void seen_decode(const unsigned char *bytes, size_t room, uintptr_t address, struct decoded *out)
{
	const struct row *known;
	struct shape shape;
	uint64_t word;

	if (room < sizeof(word) || !is_mine()) {
		decode_instruction(bytes, room, address, out);
		return;
	}
	memcpy(&word, bytes, sizeof(word));
	shape = shape_of(word);
	known = find(word, shape);
	if (known) {
		copy(out, known);
		move(&out->instruction, out->accesses,
		     address + (uint64_t)displacement_of(word, shape));
		return;
	}
	decode_instruction(bytes, room, 0, out);
	remember(word, out);
	if (out->instruction.kind == CODE_REFUSED)
		decode_instruction(bytes, room, address, out);
	else
		move(&out->instruction, out->accesses, address);
}
