/* SPDX-License-Identifier: Apache-2.0 */
/* Functions whose addresses a function takes. */
#include <string.h>

#include "analysis/base/arena.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/clones/made.h"
#include "ompt_tool/code/decode.h"

struct handed { uintptr_t function; uint64_t module; };          /* callee_identity */

static struct handed *handed;
static size_t nr_handed, room_handed;

uintptr_t clone_handed(size_t number)
{
	return number < nr_handed ? handed[number].function : 0;
}

/* Each once. What finds no memory is not known to be handed on. */
static void note(uintptr_t function)
{
	const struct handed new = { function, callee_identity(function) };

	for (size_t i = 0; i < nr_handed; i++)
		if (handed[i].function == new.function && handed[i].module == new.module)
			return;
	if (notes_arena() && ARENA_GROW(notes_arena(), handed, nr_handed, room_handed))
		handed[nr_handed++] = new;
}

/* What an instruction puts into a register: an address of its own file, or what a variable or a table of addresses holds now. */
static uintptr_t address_in(const struct code *code, const struct code_instruction *in)
{
	const struct code_access *access = &code->accesses[in->first_access];
	uintptr_t value;

	if (in->kind != CODE_PLAIN || !in->rip_offset || !in->nr_accesses)
		return in->kind == CODE_PLAIN && in->rip_offset ? in->target : 0;
	if (in->nr_accesses > 1 || !access->read || access->write || access->size != sizeof(value) || !code_is_loaded(in->target, sizeof(value)))
		return 0;
	memcpy(&value, (const void *)(uintptr_t)in->target, sizeof(value));
	return value;
}

static bool is_function(uintptr_t address)
{
	struct code_bounds bounds;

	return code_bounds_find(address, &bounds) == CODE_BOUNDS_FOUND && bounds.start == address;
}

struct segment { uintptr_t low, high; };   /* that the code is in */

static void look_at(const struct code *code, const struct segment *text, uintptr_t address)
{
	if (address >= text->low && address < text->high && (address < code->start || address >= code->end) && is_function(address))
		note(address);
}

void handed_find(const struct code *code)
{
	struct segment text;

	if (!code_segment_around(code->start, &text.low, &text.high))
		return;
	for (size_t i = 0; i < code->nr_instructions; i++) {
		const struct code_instruction *in = &code->instructions[i];

		look_at(code, &text, address_in(code, in));
		if (in->kind == CODE_PLAIN)
			look_at(code, &text, decode_constant(code->bytes + in->offset, in));
	}
}
