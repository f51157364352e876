/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for whatever may lead behind the first byte of a function's begin. */
#define _GNU_SOURCE
#include "ompt_tool/clones/entry_bytes.h"

#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "ompt_tool/clones/unwind.h"
#include "ompt_tool/code/bounds.h"
#include "ompt_tool/code/code.h"

static bool is_inside(uintptr_t function, uint64_t address)
{
	return address > function && address < function + ENTRY_BYTES;
}

static const char *look_at_instruction(uintptr_t function, const struct code_instruction *instruction)
{
	uint64_t behind = function + instruction->offset + instruction->length;

	switch (instruction->kind) {
	case CODE_JUMP:
	case CODE_BRANCH:
		return is_inside(function, instruction->target) ? "a jump leads into its first bytes" : NULL;
	case CODE_CALL:
		if (is_inside(function, instruction->target))
			return "a call leads into its first bytes";
		/* fall through */
	case CODE_CALL_INDIRECT:
		return is_inside(function, behind) ? "a call returns into its first bytes" : NULL;
	case CODE_JUMP_INDIRECT:         /* through one slot of a table of addresses it is a function's last call */
		return instruction->rip_offset ? NULL : "it has jumps whose targets are not known";
	default:
		return NULL;
	}
}

static const char *look_at_landing_pads(struct arena *arena, const struct code_bounds *bounds)
{
	const uintptr_t *pads = NULL;
	const char *why = NULL;
	size_t nr = 0;

	if (!unwind_landing_pads(arena, bounds, &pads, &nr, &why))
		return why;
	for (size_t i = 0; i < nr; i++)
		if (is_inside(bounds->start, pads[i]))
			return "exceptions lead into its first bytes";
	return NULL;
}

static const char *look_at_code(struct arena *arena, const struct code_bounds *bounds)
{
	const char *why = NULL;
	const struct code *code = code_read(arena, bounds->start, bounds->end, NULL, &why);

	if (!code || code->refusal)
		return code ? code->refusal : why;
	for (size_t i = 0; i < code->nr_instructions && !why; i++)
		why = look_at_instruction(code->start, &code->instructions[i]);
	return why ? why : look_at_landing_pads(arena, bounds);
}

struct search { uintptr_t function; bool found; };

/* call, jmp, jcc with a distance of four bytes */
static bool is_transfer(const unsigned char *distance)
{
	return distance[-1] == 0xe8 || distance[-1] == 0xe9 || (distance[-2] == 0x0f && (distance[-1] & 0xf0) == 0x80);
}

/*
 * Bytes that would be a jump or call there, wherever they lie: a superset of those in other functions, such as the
 * parts that compilers put elsewhere because they are seldom run. Short jumps do not leave a function's part.
 */
static bool has_jump_to(const unsigned char *text, size_t bytes, uintptr_t function)
{
	for (size_t i = 2; i + 4 <= bytes; i++) {
		uint32_t distance;

		memcpy(&distance, text + i, sizeof(distance));
		if ((uint32_t)((uintptr_t)text + i + 4 + distance - function - 1) < ENTRY_BYTES - 1 && is_transfer(text + i))
			return true;
	}
	return false;
}

static int look_at_module(struct dl_phdr_info *module, size_t size, void *ctx)
{
	struct search *search = ctx;
	bool has = false;

	(void)size;
	for (int i = 0; i < module->dlpi_phnum && !search->found; i++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
		uintptr_t start = module->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || search->function - start >= segment->p_filesz)
			continue;
		search->found = has_jump_to((const unsigned char *)start, segment->p_filesz, search->function);
		has = true;
	}
	return has;
}

static const char *look_at_others(uintptr_t function)
{
	struct search search = { function, false };

	dl_iterate_phdr(look_at_module, &search);
	return search.found ? "another function jumps into its first bytes" : NULL;
}

const char *entry_bytes_refusal(uintptr_t function)
{
	struct arena *arena = arena_new();
	struct code_bounds bounds;
	enum code_bounds_result result = code_bounds_find(function, &bounds);
	const char *why;

	if (!arena)
		why = "no memory";
	else if (result != CODE_BOUNDS_FOUND)
		why = code_bounds_text(result);
	else if (bounds.start != function)
		why = "no function begins there";
	else if (bounds.end - bounds.start < ENTRY_BYTES)
		why = "it is shorter than a jump";
	else
		why = look_at_code(arena, &bounds);
	arena_free(arena);
	return why ? why : look_at_others(function);
}
