/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions decoded before, as if they stood at address 0, by their bytes. */
#include "ompt_tool/code/seen.h"

#include <stdatomic.h>
#include <string.h>

enum { SEEN_BITS = 11, LENGTH_BITS = 12, LONGEST = 7, ACCESSES = 2 };
#define FACTOR 0x9e3779b97f4a7c15ull     /* 2^64 / golden ratio, odd: Knuth, TAOCP 3, 6.4 */

/*
 * Keys are the bytes, the first lowest, and in the top byte how many they are; 0: none. How many they may be is found by the first three, which
 * hold an opcode and what operands it has, mostly; what is found is compared as a whole.
 */
struct row { struct code_instruction instruction; struct code_access accesses[ACCESSES]; };
static struct { uint8_t lengths[1 << LENGTH_BITS]; uint64_t keys[1 << SEEN_BITS]; struct row rows[1 << SEEN_BITS]; } seen;
static _Atomic uintptr_t owner;          /* a thread */

static uint8_t *length_of(uint64_t word) { return &seen.lengths[(word & 0xffffff) * FACTOR >> (64 - LENGTH_BITS)]; }

static uint64_t key_of(uint64_t word, unsigned int length)
{
	return (word & ((1ull << 8 * length) - 1)) | (uint64_t)length << 56;
}

static size_t place_of(uint64_t key) { return key * FACTOR >> (64 - SEEN_BITS); }

/* NULL: not seen. */
static const struct row *find(uint64_t word)
{
	uint64_t key = key_of(word, *length_of(word));
	size_t place = place_of(key);

	return key && seen.keys[place] == key ? &seen.rows[place] : NULL;
}

static void remember(uint64_t word, const struct decoded *decoded)
{
	unsigned int length = decoded->instruction.length;
	struct row *row;
	uint64_t key;

	if (length > LONGEST || decoded->instruction.nr_accesses > ACCESSES || decoded->instruction.kind == CODE_REFUSED ||
	    decoded->breakpoint || decoded->own_address)
		return;
	key = key_of(word, length);
	row = &seen.rows[place_of(key)];
	*length_of(word) = (uint8_t)length;
	seen.keys[place_of(key)] = key;
	row->instruction = decoded->instruction;
	for (unsigned int i = 0; i < decoded->instruction.nr_accesses; i++)
		row->accesses[i] = decoded->accesses[i];
}

static bool has_target(const struct code_instruction *at)
{
	return at->rip_offset || at->kind == CODE_JUMP || at->kind == CODE_BRANCH || at->kind == CODE_CALL;
}

/* From 0 to where it stands. */
static void move(struct decoded *decoded, uintptr_t address)
{
	if (has_target(&decoded->instruction))
		decoded->instruction.target += address;
	for (unsigned int i = 0; i < decoded->instruction.nr_accesses; i++)
		if (decoded->accesses[i].base == CODE_RIP)
			decoded->accesses[i].displacement = (int64_t)((uint64_t)decoded->accesses[i].displacement + address);
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
	uintptr_t self = (uintptr_t)__builtin_thread_pointer(), was = atomic_load_explicit(&owner, memory_order_relaxed);

	return was == self || (!was && atomic_compare_exchange_strong(&owner, &was, self));
}

void seen_decode(const unsigned char *bytes, size_t room, uintptr_t address, struct decoded *out)
{
	const struct row *known;
	uint64_t word;

	if (room < sizeof(word) || !is_mine()) {
		decode_instruction(bytes, room, address, out);
		return;
	}
	memcpy(&word, bytes, sizeof(word));
	known = find(word);
	if (known) {
		copy(out, known);
	} else {
		decode_instruction(bytes, room, 0, out);
		remember(word, out);
	}
	if (out->instruction.kind == CODE_REFUSED)
		decode_instruction(bytes, room, address, out);
	else
		move(out, address);
}
