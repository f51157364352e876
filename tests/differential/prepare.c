/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/differential/prepare.h"

#include <string.h>
#include <sys/mman.h>

#include "tests/differential/enter.h"

enum contents { NUMBERS, POINTERS, TEXT, MIXED, NR_CONTENTS };

static uint64_t state;

/* Marsaglia, Xorshift RNGs, 2003 */
static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dull;
}

static uint64_t below(uint64_t limit)
{
	return (next() >> 16) % limit;
}

static uint64_t small_number(void)
{
	static const char letters[] = "NTULCVASRIE";

	return below(5) ? below(7) : (uint64_t)letters[below(sizeof(letters) - 1)];
}

static uint64_t number_word(void)
{
	double value = (double)(int64_t)(below(4001) - 2000) / 256 + 0.125;
	uint64_t word;

	memcpy(&word, &value, sizeof(word));
	return (word & ~0xfffffffful) | small_number();
}

static uint64_t pointer_word(void)
{
	return (uint64_t)PREPARE_MEMORY + below(below(4) ? 4096 : PREPARE_BYTES / 2) / 16 * 16;
}

static uint64_t text_word(void)
{
	uint64_t word = 0;

	for (int i = 0; i < 8; i++)
		word = word << 8 | (below(24) ? below(9) ? 'a' + below(26) : '0' + below(10) : 0);
	return word;
}

static uint64_t word_of(enum contents contents)
{
	switch (contents) {
	case NUMBERS: return number_word();
	case POINTERS: return below(4) ? pointer_word() : small_number();
	case TEXT: return text_word();
	default: return below(3) == 0 ? pointer_word() : below(2) ? number_word() : small_number();
	}
}

static bool only_addresses;

static uint64_t any_argument(void)
{
	return only_addresses || below(3) ? pointer_word() : below(24);
}

/* A double near 1 whose lower half is a float near 1. */
static uint64_t real_word(void)
{
	float part = (float)((int64_t)below(2001) - 1000) / 128;
	uint64_t word = number_word();
	uint32_t low;

	memcpy(&low, &part, sizeof(low));
	return (word & ~0xfffffffful) | low;
}

static void fill_words(unsigned char *at, size_t bytes, enum contents contents)
{
	uint64_t *words = (uint64_t *)at;

	for (size_t i = 0; i < bytes / sizeof(*words); i++)
		words[i] = word_of(contents);
}

/* Arguments of a long double on the stack, in every second seed. */
static void fill_arguments(unsigned char *at, bool long_doubles)
{
	for (size_t i = 0; i < PREPARE_ABOVE / 16; i++) {
		long double value = (long double)((int64_t)below(2001) - 1000) / 77;
		uint64_t words[2] = { any_argument(), any_argument() };

		if (long_doubles)
			memcpy(words, &value, 10);
		memcpy(at + 16 * i, words, sizeof(words));
	}
}

/*
 * XMM and upper parts of all vectors, opmasks; x87 and its stack empty, all exceptions masked
 * (Intel SDM 1, 10.5.1.1).
 */
static void fill_vectors(void)
{
	static const uint16_t x87_control = 0x37f;
	static const uint32_t mxcsr = 0x1f80;
	uint64_t components = enter_components(), *words = (uint64_t *)enter_vectors;

	for (size_t i = 0; i < ENTER_VECTORS / sizeof(*words); i++)
		words[i] = next();
	memset(enter_vectors, 0, 160);
	memset(enter_vectors + 512, 0, 64);
	memcpy(enter_vectors, &x87_control, sizeof(x87_control));
	memcpy(enter_vectors + 24, &mxcsr, sizeof(mxcsr));
	memcpy(enter_vectors + 512, &components, sizeof(components));
	for (unsigned int i = 0; i < 32; i++)
		words[160 / 8 + i] = real_word();
}

bool prepare_map(void)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
	    access = PROT_READ | PROT_WRITE;

	return mmap(PREPARE_MEMORY, PREPARE_BYTES, access, flags, -1, 0) == PREPARE_MEMORY &&
	       mmap(PREPARE_STACK, PREPARE_STACK_BYTES, access, flags, -1, 0) == PREPARE_STACK;
}

/*
 * The Nth argument of a call: six in registers, then on the stack behind the return address (System
 * V ABI, 3.2.3).
 */
static void put_argument(size_t number, uint64_t value)
{
	static const int registers[] = { ENTER_RDI, ENTER_RSI, ENTER_RDX,
					 ENTER_RCX, ENTER_R8,  ENTER_R9 };

	if (number < 6)
		enter_registers[registers[number]] = value;
	else
		memcpy(PREPARE_STACK + PREPARE_STACK_BYTES - PREPARE_ABOVE + 8 * (number - 6),
		       &value, sizeof(value));
}

/* By address, and behind all of them the lengths of the letters, as gfortran passes them. */
static void fill_fortran(uint64_t seed, const struct prototype *prototype, char type)
{
	size_t nr = strlen(prototype->arguments), lengths = nr;

	memset(PREPARE_MEMORY, 0, PREPARE_BYTES);
	for (size_t i = 0; i < nr; i++) {
		unsigned char *at = PREPARE_MEMORY + i * PROTOTYPE_ROOM;

		prototype_fill(prototype, i, type, seed, at);
		put_argument(i, (uint64_t)at);
		if (prototype_is_letter(prototype->arguments[i]))
			put_argument(lengths++, 1);
	}
}

void prepare_all(uint64_t seed, const struct prototype *prototype, char type)
{
	unsigned char *above = PREPARE_STACK + PREPARE_STACK_BYTES - PREPARE_ABOVE;

	bool is_known = prototype && prototype != &prototype_addresses;

	state = seed * 0x9e3779b97f4a7c15ull + 1;
	only_addresses = prototype == &prototype_addresses;
	if (!is_known || prototype == &prototype_generated)
		fill_words(PREPARE_MEMORY, PREPARE_BYTES,
			   prototype ? NUMBERS : (enum contents)(seed % NR_CONTENTS));
	fill_arguments(above, seed / NR_CONTENTS % 2);
	for (int i = 0; i < 16; i++)
		enter_registers[i] = any_argument();
	enter_registers[ENTER_RSP] = (uint64_t)above;
	enter_registers[ENTER_RAX] = 8; /* vectors at most, where arguments vary */
	fill_vectors();
	if (prototype == &prototype_generated) {
		put_argument(0, (uint64_t)PREPARE_MEMORY);
		put_argument(1, seed);
	} else if (is_known) {
		fill_fortran(seed, prototype, type);
	}
}
