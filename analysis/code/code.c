/* SPDX-License-Identifier: Apache-2.0 */
/* A function's machine code as rows of instructions and memory operands. */
#include "analysis/code/code.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/code/seen.h"

/*
 * Initial room for rows. Compiled x86-64 code has 4 to 5 bytes per instruction, and every second or
 * third has a memory operand.
 */
#define BYTES_PER_INSTRUCTION 3
#define BYTES_PER_ACCESS 6

/* Few jumps lead into instructions; if there are more, data were decoded as code. */
#define SECOND_MAX 64

static const char in_the_middle[] = "jump into the middle of an instruction";

struct reading {
	struct arena *arena;
	struct code *code;
	size_t instruction_room, access_room, nr_lines;
	/* offsets at which instructions are decoded a second time, ascending */
	uint32_t second[SECOND_MAX];
	size_t nr_second;
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

	if (code->nr_instructions == reading->instruction_room &&
	    !ARENA_GROW(reading->arena, code->instructions, code->nr_instructions,
			reading->instruction_room))
		return false;
	while (code->nr_accesses + DECODE_ACCESSES_MAX > reading->access_room)
		if (!ARENA_GROW(reading->arena, code->accesses, reading->access_room,
				reading->access_room))
			return false;
	return true;
}

static void add(struct reading *reading, const struct code_instruction *row)
{
	struct code *code = reading->code;

	code->instructions[code->nr_instructions++] = *row;
	for (; reading->nr_lines * CODE_LINE < row->offset + row->length; reading->nr_lines++)
		code->lines[reading->nr_lines] = (uint32_t)code->nr_instructions - 1;
}

static bool read_one(struct reading *reading, uint32_t offset, uint32_t *length_out)
{
	struct code *code = reading->code;
	struct decoded decoded;
	size_t room = code->end - code->start - offset;

	if (!grow(reading))
		return false;
	seen_decode(code->bytes + offset, room, code->start + offset, &decoded);
	decoded.instruction.offset = offset;
	decoded.instruction.first_access = (uint32_t)code->nr_accesses;
	add(reading, &decoded.instruction);
	for (unsigned int i = 0; i < decoded.instruction.nr_accesses; i++)
		code->accesses[code->nr_accesses++] = decoded.accesses[i];
	code->breakpoint |= decoded.breakpoint;
	code->own_address |= decoded.own_address;
	if (decoded.instruction.kind == CODE_REFUSED)
		refuse(code, decoded.refusal, offset);
	*length_out = decoded.instruction.length;
	return true;
}

static bool is_direct(const struct code_instruction *at)
{
	return at->kind == CODE_JUMP || at->kind == CODE_BRANCH || at->kind == CODE_CALL;
}

static bool leads_inside(const struct code *code, const struct code_instruction *at)
{
	return is_direct(at) && at->target >= code->start && at->target < code->end;
}

/* -- second readings */

/* False: there are too many. */
static bool note_second(struct reading *reading, uint32_t offset)
{
	size_t place = reading->nr_second;

	if (place == SECOND_MAX)
		return false;
	for (; place > 0 && reading->second[place - 1] > offset; place--)
		reading->second[place] = reading->second[place - 1];
	reading->second[place] = offset;
	reading->nr_second++;
	return true;
}

static bool is_noted(const struct reading *reading, uint32_t offset)
{
	for (size_t i = 0; i < reading->nr_second; i++)
		if (reading->second[i] == offset)
			return true;
	return false;
}

/* Notes targets of direct jumps at which no row begins; true: there are new ones. */
static bool find_second(struct reading *reading)
{
	struct code *code = reading->code;
	size_t had = reading->nr_second;

	for (size_t i = 0; i < code->nr_instructions; i++) {
		const struct code_instruction *at = &code->instructions[i];
		uint32_t offset = (uint32_t)(at->target - code->start);

		if (leads_inside(code, at) && !code_at(code, at->target) &&
		    !is_noted(reading, offset) && !note_second(reading, offset))
			break;
	}
	return reading->nr_second > had;
}

/*
 * Adds the rows of a second decoding, which must meet the first at `end`, after a row that makes
 * the preceding rows jump past them.
 */
static bool read_second(struct reading *reading, uint32_t begin, uint32_t end)
{
	struct code *code = reading->code;
	const struct code_instruction past = { .offset = end,
					       .kind = CODE_JUMP,
					       .target = code->start + end };
	uint32_t offset, length = 0;

	if (!grow(reading))
		return false;
	add(reading, &past);
	for (offset = begin; offset < end; offset += length)
		if (!read_one(reading, offset, &length))
			return false;
	if (offset != end)
		refuse(code, in_the_middle, begin);
	return true;
}

/*
 * Rebuilds the rows, those of the first decoding and of the second ones noted so far, by ascending
 * offset. False: no memory.
 */
static bool read_seconds(struct reading *reading, const struct code_instruction *first, size_t nr,
			 size_t nr_accesses)
{
	struct code *code = reading->code;
	size_t next = 0;

	code->nr_instructions = reading->nr_lines = 0;
	code->nr_accesses = nr_accesses;
	for (size_t i = 0; i < nr; i++) {
		/* done: offsets below already have rows, or get none */
		uint32_t end = first[i].offset + first[i].length, done = 0;

		if (!grow(reading))
			return false;
		add(reading, &first[i]);
		for (; next < reading->nr_second && reading->second[next] < end; next++) {
			if (reading->second[next] >= done &&
			    !read_second(reading, reading->second[next], end))
				return false;
			done = code->instructions[code->nr_instructions - 1].offset + 1;
		}
	}
	return true;
}

/*
 * Jumps into instructions, mostly past a prefix (libc's lock): the bytes from there to the
 * instruction's end are decoded, too, until no new target is found.
 */
static bool read_again(struct reading *reading)
{
	struct code *code = reading->code;
	size_t nr = code->nr_instructions, nr_accesses = code->nr_accesses;
	struct code_instruction *first;

	if (!find_second(reading))
		return true;
	first = arena_alloc(reading->arena, nr * sizeof(*first));
	if (!first)
		return false;
	memcpy(first, code->instructions, nr * sizeof(*first));
	do
		if (!read_seconds(reading, first, nr, nr_accesses))
			return false;
	while (find_second(reading));
	return true;
}

static void check_targets(const struct reading *reading)
{
	struct code *code = reading->code;

	for (size_t i = 0; i < code->nr_instructions; i++) {
		const struct code_instruction *at = &code->instructions[i];

		if (!leads_inside(code, at))
			continue;
		if (reading->nr_second && !code_at(code, at->target))
			refuse(code, in_the_middle, at->offset);
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
	code->instructions = arena_alloc(reading->arena,
					 reading->instruction_room * sizeof(*code->instructions));
	code->accesses = arena_alloc(reading->arena,
				     reading->access_room * sizeof(*code->accesses));
	if (!copy || !code->lines || !code->instructions || !code->accesses)
		return false;
	memcpy(copy, bytes, nr);
	code->bytes = copy;
	return true;
}

static struct code *no_memory(const char **why_out)
{
	*why_out = "no memory";
	return NULL;
}

struct code *code_decode(struct arena *arena, const struct code_memory *memory, uintptr_t start,
			 uintptr_t end, const unsigned char *bytes, const char **why_out)
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
	reading.code->memory = memory;
	reading.code->start = start;
	reading.code->end = end;
	if (!make_room(&reading, bytes))
		return no_memory(why_out);
	for (uint32_t offset = 0; offset < end - start; offset += length)
		if (!read_one(&reading, offset, &length))
			return no_memory(why_out);
	if (!read_again(&reading))
		return no_memory(why_out);
	check_targets(&reading);
	return reading.code;
}

/* Among the rows of second readings of an instruction's bytes, which follow it. */
static const struct code_instruction *
in_second(const struct code *code, const struct code_instruction *first, uint64_t offset)
{
	uint32_t end = first->offset + first->length;

	for (const struct code_instruction *at = first + 1;
	     at < code->instructions + code->nr_instructions; at++)
		if (at->length && at->offset >= end)
			break;
		else if (at->length && at->offset == offset)
			return at;
	return NULL;
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
	return at->offset == offset ? at : in_second(code, at, offset);
}
