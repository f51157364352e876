/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies functions of the program it is opened in, moving every instruction by a random number of bytes, and
 * registers unwind tables for the copies. For tests of these tables: nothing is recorded. Indirect jumps are not understood.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "analysis/base/arena.h"
#include "analysis/code/code.h"
#include "ompt_tool/clones/unwind.h"
#include "ompt_tool/code/running_code.h"
#include "throws.h"

#define ARENA ((size_t)64 << 20)
#define NOP 0x90

static uint64_t state = 20261120;        /* xorshift64 */

static uint32_t pick(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state % below);
}

/* Within reach of 32-bit displacements from `near`. */
static unsigned char *code_room(uintptr_t near)
{
	for (intptr_t distance = 1 << 27; distance < 1 << 30; distance += 1 << 24)
		for (int side = -1; side <= 1; side += 2) {
			void *wanted = (void *)((near & ~(uintptr_t)4095) + (uintptr_t)(side * distance));
			void *room = mmap(wanted, ARENA, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

			if (room == wanted)
				return room;
			if (room != MAP_FAILED)
				munmap(room, ARENA);
		}
	return NULL;
}

struct copying {
	struct arena *arena;
	unsigned char *next;             /* where code is written */
	struct code_bounds bounds;
	struct code *code;
	struct unwind_place *places;
	unsigned char *start;
};

static bool is_short(const struct code_instruction *instruction, const unsigned char *bytes)
{
	return instruction->length == 2 && (bytes[0] == 0xeb || (bytes[0] & 0xf0) == 0x70);
}

static bool is_direct(const struct code_instruction *instruction)
{
	return instruction->kind == CODE_JUMP || instruction->kind == CODE_BRANCH || instruction->kind == CODE_CALL;
}

/* The instruction with room for a 32-bit displacement at its end where it has a jump's; NULL: this copier cannot. */
static unsigned char *emit(unsigned char *at, const struct code_instruction *instruction, const unsigned char *bytes)
{
	if (is_short(instruction, bytes)) {
		if (bytes[0] == 0xeb)
			*at++ = 0xe9;
		else {
			*at++ = 0x0f;
			*at++ = bytes[0] + 0x10;
		}
		return at + 4;
	}
	if (instruction->kind == CODE_JUMP_INDIRECT || (is_direct(instruction) && instruction->length < 5))
		return NULL;
	memcpy(at, bytes, instruction->length);
	return at + instruction->length;
}

static bool lay_out(struct copying *self)
{
	const struct code *code = self->code;
	unsigned char *at = self->start;

	for (size_t i = 0; i < code->nr_instructions; i++) {
		self->places[i] = (struct unwind_place){ code->instructions[i].offset, (uint32_t)(at - self->start) };
		for (uint32_t nops = pick(pick(20) ? 6 : 300); nops; nops--)
			*at++ = NOP;
		at = emit(at, &code->instructions[i], code->bytes + code->instructions[i].offset);
		if (!at)
			return false;
	}
	self->places[code->nr_instructions] = (struct unwind_place){ (uint32_t)(code->end - code->start), (uint32_t)(at - self->start) };
	self->next = at;
	return true;
}

static uintptr_t moved(const struct copying *self, uintptr_t target)
{
	const struct code_instruction *instruction = code_at(self->code, target);

	return instruction ? (uintptr_t)self->start + self->places[instruction - self->code->instructions].copy : target;
}

static void set_displacement(unsigned char *at, uintptr_t next, uintptr_t target)
{
	int32_t displacement = (int32_t)(target - next);

	if ((intptr_t)(target - next) != displacement)
		abort();
	memcpy(at, &displacement, sizeof(displacement));
}

static void link_up(struct copying *self)
{
	for (size_t i = 0; i < self->code->nr_instructions; i++) {
		const struct code_instruction *instruction = &self->code->instructions[i];
		unsigned char *end = self->start + self->places[i + 1].copy;

		if (instruction->kind == CODE_CALL)
			set_displacement(end - 4, (uintptr_t)end, instruction->target);
		else if (is_direct(instruction))
			set_displacement(end - 4, (uintptr_t)end, moved(self, instruction->target));
		else if (instruction->rip_offset)
			set_displacement(end - instruction->length + instruction->rip_offset, (uintptr_t)end, instruction->target);
	}
}

static const char *copy_one(struct copying *self, uintptr_t function)
{
	const char *why = "";

	if (code_bounds_find(function, &self->bounds) != CODE_BOUNDS_FOUND)
		return "no bounds";
	self->code = code_read(self->arena, self->bounds.start, self->bounds.end, NULL, &why);
	if (!self->code || self->code->refusal)
		return self->code ? self->code->refusal : why;
	self->places = arena_alloc(self->arena, (self->code->nr_instructions + 1) * sizeof(*self->places));
	self->start = self->next + pick(32);
	if (!lay_out(self))
		return "it has an indirect jump";
	link_up(self);
	return NULL;
}

static const char *register_copies(const struct unwind_function *functions, size_t nr)
{
	unsigned char *place;
	size_t bytes, bad;
	const char *why;

	if (!unwind_write(functions, nr, NULL, 0, &bytes, &bad, &why))
		return why;
	place = aligned_alloc(16, (bytes + 15) & ~(size_t)15);
	if (!unwind_write(functions, nr, place, bytes, &bytes, &bad, &why))
		return why;
	return unwind_register(place) ? NULL : "the program's unwinder is not known";
}

copier copy_functions __attribute__((visibility("default")));

const char *copy_functions(void *const *functions, unsigned long nr, void **copies)
{
	static unsigned char *next;
	struct copying *all = calloc(nr, sizeof(*all));
	struct unwind_function *written = calloc(nr, sizeof(*written));
	struct arena *arena = arena_new();

	if (!next)
		next = code_room((uintptr_t)functions[0]);
	if (!next)
		return "no room for code";
	for (size_t i = 0; i < nr; i++) {
		const char *why;

		all[i] = (struct copying){ .arena = arena, .next = next };
		why = copy_one(&all[i], (uintptr_t)functions[i]);
		if (why)
			return why;
		copies[i] = all[i].start;
		next = all[i].next;
		written[i] = (struct unwind_function){ .bounds = &all[i].bounds, .copy = (uintptr_t)all[i].start, .copy_end = (uintptr_t)next,
						       .places = all[i].places, .nr = all[i].code->nr_instructions + 1 };
	}
	return register_copies(written, nr);
}
