/* SPDX-License-Identifier: Apache-2.0 */
/* A function's machine code as rows of instructions and memory operands. */
#include "ompt_tool/code/code.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "ompt_tool/code/decode.h"

/* Rows made room for at first. Compiled x86-64 code has 4 to 5 bytes an instruction, of which every second or third has an operand in memory. */
#define BYTES_PER_INSTRUCTION 4
#define BYTES_PER_ACCESS 8

struct reading {
	struct arena *arena;
	struct code *code;
	size_t instruction_room, access_room, nr_lines;
};

static void refuse(struct code *code, const char *why, uint32_t offset)
{
	if (code->refusal)
		return;
	code->refusal = why;
	code->refusal_address = code->start + offset;
}

static bool grow(struct reading *reading)
{
	struct code *code = reading->code;

	if (!ARENA_GROW(reading->arena, code->instructions, code->nr_instructions, reading->instruction_room))
		return false;
	while (code->nr_accesses + DECODE_ACCESSES_MAX > reading->access_room)
		if (!ARENA_GROW(reading->arena, code->accesses, reading->access_room, reading->access_room))
			return false;
	return true;
}

static bool read_one(struct reading *reading, uint32_t offset, uint32_t *length_out)
{
	struct code *code = reading->code;
	struct decoded decoded;
	size_t room = code->end - code->start - offset;

	if (!grow(reading))
		return false;
	decode_instruction(code->bytes + offset, room, code->start + offset, &decoded);
	decoded.instruction.offset = offset;
	decoded.instruction.first_access = (uint32_t)code->nr_accesses;
	code->instructions[code->nr_instructions++] = decoded.instruction;
	for (unsigned int i = 0; i < decoded.instruction.nr_accesses; i++)
		code->accesses[code->nr_accesses++] = decoded.accesses[i];
	if (decoded.instruction.kind == CODE_REFUSED)
		refuse(code, decoded.refusal, offset);
	for (; reading->nr_lines * CODE_LINE < offset + decoded.instruction.length; reading->nr_lines++)
		code->lines[reading->nr_lines] = (uint32_t)code->nr_instructions - 1;
	*length_out = decoded.instruction.length;
	return true;
}

/* A jump into an instruction (over a lock prefix, in libc) would need two copies of what follows. */
static void check_targets(struct code *code)
{
	for (size_t i = 0; i < code->nr_instructions; i++) {
		const struct code_instruction *at = &code->instructions[i];
		bool direct = at->kind == CODE_JUMP || at->kind == CODE_BRANCH || at->kind == CODE_CALL;

		if (!direct || at->target < code->start || at->target >= code->end)
			continue;
		if (!code_at(code, at->target))
			refuse(code, "jump into the middle of an instruction", at->offset);
		if (at->kind == CODE_CALL && at->target == code->start + at->offset + at->length)
			refuse(code, "call that takes its own address", at->offset);
	}
}

static bool make_room(struct reading *reading, const unsigned char *bytes)
{
	struct code *code = reading->code;
	size_t nr = code->end - code->start;
	unsigned char *copy = arena_alloc(reading->arena, nr + 1);

	reading->instruction_room = nr / BYTES_PER_INSTRUCTION + 1;
	reading->access_room = nr / BYTES_PER_ACCESS + DECODE_ACCESSES_MAX;
	code->lines = arena_alloc(reading->arena, (nr / CODE_LINE + 1) * sizeof(*code->lines));
	code->instructions = arena_alloc(reading->arena, reading->instruction_room * sizeof(*code->instructions));
	code->accesses = arena_alloc(reading->arena, reading->access_room * sizeof(*code->accesses));
	if (!copy || !code->lines || !code->instructions || !code->accesses)
		return false;
	memcpy(copy, bytes ? bytes : (const unsigned char *)code->start, nr);
	code->bytes = copy;
	return true;
}

static struct code *no_memory(const char **why_out)
{
	*why_out = "no memory";
	return NULL;
}

struct code *code_read(struct arena *arena, uintptr_t start, uintptr_t end, const unsigned char *bytes, const char **why_out)
{
	struct reading reading = { .arena = arena };
	uint32_t length = 0;

	*why_out = decode_unsupported();
	if (!*why_out && (end <= start || end - start > INT32_MAX))
		*why_out = "not a function's bounds";
	if (*why_out)
		return NULL;
	reading.code = arena_alloc(arena, sizeof(*reading.code));
	if (!reading.code)
		return no_memory(why_out);
	reading.code->start = start;
	reading.code->end = end;
	if (!make_room(&reading, bytes))
		return no_memory(why_out);
	for (uint32_t offset = 0; offset < end - start; offset += length)
		if (!read_one(&reading, offset, &length))
			return no_memory(why_out);
	check_targets(reading.code);
	return reading.code;
}

const struct code_instruction *code_at(const struct code *code, uintptr_t address)
{
	uint64_t offset = address - code->start;
	const struct code_instruction *at;

	if (offset >= code->end - code->start)
		return NULL;
	at = &code->instructions[code->lines[offset / CODE_LINE]];
	while (at->offset + at->length <= offset)
		at++;
	return at->offset == offset ? at : NULL;
}
