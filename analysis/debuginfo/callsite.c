/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The outlined function that a call site loads into a register, by looking at the bytes before it.
 */
#include "analysis/debuginfo/callsite.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

#include "analysis/elf/binary.h"
#include "analysis/elf/function_names.h"

/*
 * Compilers set up the arguments in the last instructions before the call: 20
 * to 60 bytes in all of tests/live/source_lines.sh. An optimizer may have moved
 * the load of a function address out of a loop into another register; then the
 * whole function is searched for the one load of that register.
 */
#define ARGUMENT_BYTES 128
#define RDI 7u
#define RSP 4u

struct scan {
	const struct binary *binary;
	const unsigned char *code; /* of the function up to the call */
	uint64_t low;              /* address of code[0] */
	size_t bytes;
};

static const struct symbol *outlined_at(const struct scan *scan, uint64_t address)
{
	const struct symbol *symbol = binary_symbol(scan->binary, address);

	return symbol && symbol->low == address && name_is_outlined(symbol->name) ? symbol : NULL;
}

static int32_t signed32(const unsigned char *bytes)
{
	int32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

/*
 * The instruction at `at` as "outlined function → register": lea f(%rip),%reg; mov $f,%reg (32 bits
 * or sign-extended).
 */
static const struct symbol *load_at(const struct scan *scan, size_t at, unsigned int *reg_out)
{
	const unsigned char *code = scan->code + at;
	size_t left = scan->bytes - at;

	if (left >= 7 && (code[0] & 0xfb) == 0x48 && code[1] == 0x8d && (code[2] & 0xc7) == 0x05) {
		*reg_out = ((code[0] & 4u) << 1) | ((code[2] >> 3) & 7u);
		return outlined_at(scan,
				   scan->low + at + 7 + (uint64_t)(int64_t)signed32(code + 3));
	}
	if (left >= 7 && (code[0] & 0xfe) == 0x48 && code[1] == 0xc7 && (code[2] & 0xf8) == 0xc0) {
		*reg_out = ((code[0] & 1u) << 3) | (code[2] & 7u);
		return outlined_at(scan, (uint64_t)(int64_t)signed32(code + 3));
	}
	if (left >= 5 && (code[0] & 0xf8) == 0xb8) {
		*reg_out = (code[0] & 7u) | (at && scan->code[at - 1] == 0x41 ? 8u : 0u);
		return outlined_at(scan, (uint32_t)signed32(code + 1));
	}
	return NULL;
}

/* mov %reg,%to, 64 bits wide */
static bool is_move(const unsigned char *code, size_t left, unsigned int to, unsigned int *from_out)
{
	if (left < 3 || (code[0] & 0xf8) != 0x48)
		return false;
	if (code[1] == 0x89 && code[2] >= 0xc0 && (((code[0] & 1u) << 3) | (code[2] & 7u)) == to) {
		*from_out = ((code[0] & 4u) << 1) | ((code[2] >> 3) & 7u);
		return true;
	}
	if (code[1] == 0x8b && code[2] >= 0xc0 &&
	    (((code[0] & 4u) << 1) | ((code[2] >> 3) & 7u)) == to) {
		*from_out = ((code[0] & 1u) << 3) | (code[2] & 7u);
		return true;
	}
	return false;
}

/*
 * A direct call to code of this module, or one through a table: what is before it belongs to other
 * arguments.
 */
static bool is_call(const struct scan *scan, size_t at)
{
	uint64_t target;

	if (scan->bytes - at >= 6 && scan->code[at] == 0xff && scan->code[at + 1] == 0x15)
		return true;
	if (scan->bytes - at < 5 || scan->code[at] != 0xe8)
		return false;
	target = scan->low + at + 5 + (uint64_t)(int64_t)signed32(scan->code + at + 1);
	return target >= scan->binary->code_low && target < scan->binary->code_high;
}

/* The only outlined function that is ever loaded into a register; NULL: none, or several. */
static const struct symbol *only_load(const struct scan *scan, unsigned int reg)
{
	const struct symbol *found = NULL;

	for (size_t at = 0; at < scan->bytes; at++) {
		unsigned int to;
		const struct symbol *symbol = load_at(scan, at, &to);

		if (!symbol || to != reg)
			continue;
		if (found && found->low != symbol->low)
			return NULL;
		found = symbol;
	}
	return found;
}

/* Nearest load of the register before the call; through one move from another register. */
static const struct symbol *argument(const struct scan *scan, unsigned int reg, size_t *load_out)
{
	for (size_t at = scan->bytes; at-- > 0 && scan->bytes - at <= ARGUMENT_BYTES;) {
		unsigned int to, from;
		const struct symbol *symbol = load_at(scan, at, &to);

		*load_out = at;
		if (symbol && to == reg)
			return symbol;
		if (is_call(scan, at))
			break;
		if (is_move(scan->code + at, scan->bytes - at, reg, &from) && from != RSP) {
			const struct scan before = { scan->binary, scan->code, scan->low, at };

			symbol = from == RDI || reg == from ? NULL
							    : argument(&before, from, load_out);
			return symbol ? symbol : only_load(scan, from);
		}
	}
	return NULL;
}

/* Where a jump within the function leads, as an offset into it; 0: no jump. */
static size_t jump_target(const struct scan *scan, size_t at)
{
	const unsigned char *code = scan->code + at;
	size_t left = scan->bytes - at, target = 0;

	if (left >= 2 && (code[0] == 0xeb || (code[0] & 0xf0) == 0x70))
		target = at + 2 + (size_t)(ptrdiff_t)(int8_t)code[1];
	else if (left >= 5 && code[0] == 0xe9)
		target = at + 5 + (size_t)(ptrdiff_t)signed32(code + 1);
	else if (left >= 6 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80)
		target = at + 6 + (size_t)(ptrdiff_t)signed32(code + 2);
	return target < scan->bytes ? target : 0;
}

/*
 * Optimizers share one call among branches that load different functions. The nearest load is
 * then one of several, which lead to the code between it and the call:
 *
 *     lea A,%rdi; jmp 1f; … lea B,%rdi; 1: call GOMP_parallel
 *
 * Returns the one that `inside` lies in, or the nearest.
 */
static const struct symbol *shared(const struct scan *whole, const struct scan *scan,
				   unsigned int reg, uint64_t inside, bool *several_out)
{
	size_t load, ignored;
	const struct symbol *nearest = argument(scan, reg, &load), *found = nearest;

	for (size_t at = 0; nearest && at < whole->bytes; at++) {
		const struct scan before = { scan->binary, scan->code, scan->low, at };
		size_t target = jump_target(whole, at);
		const struct symbol *other = target > load && target <= scan->bytes
						     ? argument(&before, reg, &ignored)
						     : NULL;

		if (!other || other->low == nearest->low)
			continue;
		*several_out = true;
		if (inside > other->low && inside <= other->high)
			found = other;
	}
	if (found && inside > found->low && inside <= found->high)
		*several_out = false;
	return found;
}

/* The jump at the end of these 6 bytes: through a table, on a condition, near, short. */
static unsigned int jump_length(const unsigned char *code)
{
	if ((code[0] == 0xff && code[1] == 0x25) || (code[0] == 0x0f && (code[1] & 0xf0) == 0x80))
		return 6;
	if (code[1] == 0xe9)
		return 5;
	return code[4] == 0xeb ? 2 : 0;
}

uint64_t callsite_call(const struct binary *binary, uint64_t return_address)
{
	size_t bytes = 6;
	const unsigned char *code;

	if (binary->machine != EM_X86_64 || return_address < 6)
		return 0;
	code = binary_code(binary, return_address - 6, &bytes);
	if (!code || bytes < 6)
		return 0;
	if (code[1] == 0xe8)
		return return_address - 5;
	if (code[0] == 0xff && code[1] == 0x15) /* -fno-plt */
		return return_address - 6;
	return jump_length(code) ? return_address - jump_length(code) : 0;
}

const struct symbol *callsite_function(const struct binary *binary, uint64_t return_address,
				       enum callsite_argument reg, uint64_t inside,
				       bool *several_out)
{
	uint64_t call = callsite_call(binary, return_address);
	const struct symbol *function = call ? binary_symbol(binary, call) : NULL;
	struct scan whole = { .binary = binary }, scan;

	*several_out = false;
	if (!function)
		return NULL;
	whole.low = function->low;
	whole.bytes = function->high - function->low;
	whole.code = binary_code(binary, whole.low, &whole.bytes);
	scan = whole;
	scan.bytes = call - function->low;
	return whole.code && scan.bytes < whole.bytes
		       ? shared(&whole, &scan, reg, inside, several_out)
		       : NULL;
}

/* test %al,%al or cmp $1,%al; then je or jne, near or far */
uint64_t callsite_work(const struct binary *binary, uint64_t return_address)
{
	size_t bytes = 8;
	const unsigned char *code = binary->machine == EM_X86_64
					    ? binary_code(binary, return_address, &bytes)
					    : NULL;
	bool compares, jumps_if_equal;
	uint64_t behind, target;

	if (!code || bytes < 8)
		return 0;
	compares = code[0] == 0x3c && code[1] == 0x01;
	if (!compares && !(code[0] == 0x84 && code[1] == 0xc0))
		return 0;
	if (code[2] == 0x0f && (code[3] == 0x84 || code[3] == 0x85)) {
		jumps_if_equal = code[3] == 0x84;
		behind = return_address + 8;
		target = behind + (uint64_t)(int64_t)signed32(code + 4);
	} else if (code[2] == 0x74 || code[2] == 0x75) {
		jumps_if_equal = code[2] == 0x74;
		behind = return_address + 4;
		target = behind + (uint64_t)(int64_t)(int8_t)code[3];
	} else {
		return 0;
	}
	return jumps_if_equal == compares ? target : behind;
}
