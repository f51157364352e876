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
#include "ompt_tool/code/graph.h"

static bool is_inside(uintptr_t function, uint64_t address)
{
	return address > function && address < function + ENTRY_BYTES;
}

/* Calls end blocks of the graph, but are not edges of it. */
static const char *look_at_call(uintptr_t function, const struct code_instruction *instruction)
{
	uint64_t behind = function + instruction->offset + instruction->length;

	if (instruction->kind == CODE_CALL && is_inside(function, instruction->target))
		return "a call leads into its first bytes";
	if ((instruction->kind == CODE_CALL || instruction->kind == CODE_CALL_INDIRECT) && is_inside(function, behind))
		return "a call returns into its first bytes";
	return NULL;
}

static const char *look_at_block(const struct code *code, const struct graph_block *block)
{
	if (block->unknown && block->reachable)
		return "it has jumps whose targets are not known";
	if (!is_inside(code->start, code->start + code->instructions[block->first].offset))
		return NULL;
	return block->landing_pad ? "exceptions lead into its first bytes" : "a jump leads into its first bytes";
}

static const char *look_at_graph(struct arena *arena, const struct code *code, const uintptr_t *pads, size_t nr)
{
	const struct graph *graph = graph_new(arena, code, pads, nr);
	const char *why = NULL;

	if (!graph)
		return "no memory";
	for (size_t i = 0; i < code->nr_instructions && !why; i++)
		why = look_at_call(code->start, &code->instructions[i]);
	for (size_t i = 0; i < graph->nr_blocks && !why; i++)
		why = look_at_block(code, &graph->blocks[i]);
	return why;
}

static const char *look_at_code(struct arena *arena, const struct code_bounds *bounds)
{
	const char *why = NULL;
	const struct code *code = code_read(arena, bounds->start, bounds->end, NULL, &why);
	const uintptr_t *pads = NULL;
	size_t nr = 0;

	if (!code || code->refusal)
		return code ? code->refusal : why;
	if (!unwind_landing_pads(arena, bounds, &pads, &nr, &why))
		return why;
	return look_at_graph(arena, code, pads, nr);
}

/*
 * Whereto the code of one module jumps and calls, a bit a byte of it: whatever looks like a jump or call with a distance of
 * four bytes, wherever it lies. That is a superset of those in other functions, such as the parts that compilers put
 * elsewhere because they are seldom run. Short jumps do not leave a function's part. Kept for the module asked for last.
 */
static struct {
	struct arena *arena;
	unsigned char *bits;
	uintptr_t start;
	size_t bytes;
	unsigned long long loads;        /* how often modules had come and gone when it was made */
} targets;

/* call, jmp, jcc */
static bool is_transfer(const unsigned char *distance)
{
	return distance[-1] == 0xe8 || distance[-1] == 0xe9 || (distance[-2] == 0x0f && (distance[-1] & 0xf0) == 0x80);
}

static void note_targets(const unsigned char *text, size_t bytes)
{
	for (size_t i = 2; i + 4 <= bytes; i++) {
		int32_t distance;
		size_t target;

		if (!is_transfer(text + i))
			continue;
		memcpy(&distance, text + i, sizeof(distance));
		target = i + 4 + (size_t)(ptrdiff_t)distance;
		if (target < bytes)
			targets.bits[target / 8] |= (unsigned char)(1u << target % 8);
	}
}

static bool read_targets(uintptr_t start, size_t bytes, unsigned long long loads)
{
	if (targets.arena && targets.start == start && targets.bytes == bytes && targets.loads == loads)
		return true;
	arena_free(targets.arena);
	targets.arena = arena_new();
	targets.bits = targets.arena ? arena_alloc(targets.arena, bytes / 8 + 1) : NULL;
	targets.start = start;
	targets.bytes = targets.bits ? bytes : 0;
	targets.loads = loads;
	if (targets.bits)
		note_targets((const unsigned char *)start, bytes);
	return targets.bits != NULL;
}

struct question { uintptr_t function; const char *why; };

static int look_at_module(struct dl_phdr_info *module, size_t size, void *ctx)
{
	struct question *question = ctx;

	(void)size;
	for (int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
		uintptr_t start = module->dlpi_addr + segment->p_vaddr, first = question->function + 1;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || question->function - start >= segment->p_filesz)
			continue;
		if (!read_targets(start, segment->p_filesz, module->dlpi_adds + module->dlpi_subs))
			question->why = "no memory";
		for (uintptr_t at = first; !question->why && at < first + ENTRY_BYTES - 1 && at - start < targets.bytes; at++)
			if (targets.bits[(at - start) / 8] >> (at - start) % 8 & 1)
				question->why = "another function jumps into its first bytes";
		return 1;
	}
	return 0;
}

static const char *look_at_others(uintptr_t function)
{
	struct question question = { function, NULL };

	dl_iterate_phdr(look_at_module, &question);
	return question.why;
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
		why = "it is too short for a jump to its copy";
	else
		why = look_at_code(arena, &bounds);
	arena_free(arena);
	return why ? why : look_at_others(function);
}
