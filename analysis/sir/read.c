/* SPDX-License-Identifier: Apache-2.0 */
/* From an ELF file to its regions and arrays. */
#include <gelf.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/code/arguments.h"
#include "analysis/code/code.h"
#include "analysis/code/decode.h"
#include "analysis/debuginfo/lines.h"
#include "analysis/debuginfo/compilation_units.h"
#include "analysis/debuginfo/source.h"
#include "analysis/elf/imports.h"
#include "analysis/elf/function_names.h"
#include "analysis/sir/reader.h"
#include "analysis/sir/runtime_calls.h"
#include "analysis/sir/sir.h"

struct code_address reader_at(uint64_t address)
{
	return (struct code_address){ 0, address };
}

uint32_t reader_add(struct reader *reader, enum ms_region_kind kind, uint32_t parent,
		    uint64_t address)
{
	struct sir *sir = reader->sir;
	uint32_t id = (uint32_t)sir->nr_regions;

	if (!ARENA_GROW(sir->arena, sir->regions, sir->nr_regions, sir->regions_room))
		return SIR_NONE;
	sir->regions[sir->nr_regions++] = (struct sir_region){ .kind = (uint8_t)kind,
							       .parent = parent,
							       .first = SIR_NONE,
							       .next = SIR_NONE,
							       .last = SIR_NONE,
							       .name = "",
							       .file = "",
							       .address = address,
							       .same = SIR_NONE,
							       .copies = 1 };
	if (parent != SIR_NONE) {
		struct sir_region *above = &sir->regions[parent];

		if (above->last == SIR_NONE)
			above->first = id;
		else
			sir->regions[above->last].next = id;
		above->last = id;
	}
	return id;
}

struct code *reader_decode(struct reader *reader, struct arena *scratch, size_t function)
{
	const struct function *at = &reader->functions.items[function];
	const struct code_memory *memory = &reader->memory.memory;
	const unsigned char *bytes = code_memory_at(memory, at->low, at->high - at->low);
	const char *why;

	return bytes ? code_decode(scratch, memory, at->low, at->high, bytes, &why) : NULL;
}

struct callee reader_callee(struct reader *reader, const struct code *code,
			    const struct code_instruction *call)
{
	const unsigned char *bytes = code->bytes + call->offset;
	uint64_t left = code->end - code->start - call->offset, at = code->start + call->offset;
	struct target target = { .name = "" };
	struct callee callee = { .name = "", .function = SIZE_MAX };

	if (imports_call(&reader->binary, bytes, left, at, &target) ||
	    imports_jump(&reader->binary, bytes, left, at, &target))
		callee.name = target.name;
	if (call->kind == CODE_CALL || call->kind == CODE_JUMP || call->kind == CODE_BRANCH)
		callee.function = functions_at(&reader->functions, call->target);
	if (callee.function == SIZE_MAX && target.code)
		callee.function = functions_at(&reader->functions, target.code);
	return callee;
}

static bool is_function(void *ctx, uint64_t address)
{
	return functions_at(&((const struct reader *)ctx)->functions, address) != SIZE_MAX;
}

size_t reader_argument(struct reader *reader, const struct code *code, uint32_t call, uint8_t reg)
{
	uint64_t function = code_passed_function(code, call, reg, is_function, reader);

	return function ? functions_at(&reader->functions, function) : SIZE_MAX;
}

static void add_gap(struct sir *sir, const char *text)
{
	if (ARENA_GROW(sir->arena, sir->gaps, sir->nr_gaps, sir->gaps_room))
		sir->gaps[sir->nr_gaps++] = text;
}

/* ------------------------------------------------------------------ functions */

static void note_bodies(struct reader *reader, struct arena *scratch, size_t function)
{
	const struct code *code = reader_decode(reader, scratch, function);

	for (uint32_t i = 0; code && i < code->nr_instructions; i++) {
		const struct code_instruction *at = &code->instructions[i];
		const struct runtime_call *call;
		size_t body = SIZE_MAX;

		if (!code_ends_block(at) || at->kind == CODE_RETURN)
			continue;
		call = runtime_call(reader_callee(reader, code, at).name);
		if (call && call->role == RUNTIME_BODY)
			body = reader_argument(reader, code, i, call->body);
		if (body != SIZE_MAX)
			reader->is_body[body] = true;
	}
}

static bool is_outlined(const struct reader *reader, size_t function)
{
	return reader->is_body[function] ||
	       name_is_outlined(reader->functions.items[function].symbol);
}

/* gcc splits unlikely code off (".cold"); clang makes functions that copy and map task data. */
static bool is_of_source(const struct reader *reader, const struct function *function)
{
	const char *name = name_user(reader->arena, function->symbol, reader->binary.fortran);

	return !*function->symbol || (name && *name && !strstr(function->symbol, ".cold"));
}

struct extent {
	const char *path;
	int last;
};

static bool extend(void *ctx, const struct row *row)
{
	struct extent *extent = ctx;

	if (!row->end && row->line > extent->last && !strcmp(row->path, extent->path))
		extent->last = row->line;
	return true;
}

/* Name, file and lines of a function's region. */
static void describe(struct reader *reader, const struct function *function,
		     struct sir_region *region)
{
	struct binary *binary = &reader->binary;
	const char *name = name_user(reader->arena, function->symbol, binary->fortran);
	const struct place_frame *frame;
	struct extent extent;
	struct place place;

	region->bytes = function->high - function->low;
	region->name = name ? name : "";
	if (!units_open(binary, reader->arena) || !lines_place(binary, function->low, &place))
		return;
	frame = &place.frames[place.nr_frames - 1];
	if (*frame->frame->name)
		region->name = frame->frame->name;
	region->file = unit_file_name(binary, place.unit, frame->path);
	region->line = frame->frame->decl_line ? frame->frame->decl_line : frame->line;
	extent = (struct extent){ frame->path, region->line };
	lines_visit(place.unit, function->low, function->high, extend, &extent);
	region->last_line = extent.last;
}

static bool is_left_out(struct reader *reader, const struct function *function)
{
	return reader->sir->has_lines && !reader->sir->all &&
	       units_open(&reader->binary, reader->arena) &&
	       !units_find(&reader->binary, function->low);
}

static void add_functions(struct reader *reader)
{
	size_t nr = 0;

	for (size_t i = 0; i < reader->functions.nr; i++) {
		const struct function *function = &reader->functions.items[i];

		if (is_outlined(reader, i) || !is_of_source(reader, function))
			continue;
		if (is_left_out(reader, function)) {
			nr++;
			continue;
		}
		reader->regions[i] = reader_add(reader, MS_SUB_REGION, SIR_NONE, function->low);
		if (reader->regions[i] != SIR_NONE)
			describe(reader, function, &reader->sir->regions[reader->regions[i]]);
	}
	for (size_t i = 0; i < reader->functions.nr && reader->decodable; i++)
		if (!is_outlined(reader, i) && reader->regions[i] != SIR_NONE)
			code_regions_add(reader, i, reader->regions[i]);
	if (nr)
		add_gap(reader->sir,
			arena_printf(reader->arena,
				     "%zu functions without debugging information are left out "
				     "(--all has them)",
				     nr));
}

/* Outlined functions that no call found passes to a runtime. */
static void add_unattached(struct reader *reader)
{
	size_t nr = 0;

	for (size_t i = 0; i < reader->functions.nr; i++) {
		const struct function *function = &reader->functions.items[i];
		uint32_t region;

		if (!is_outlined(reader, i) || reader->is_done[i] ||
		    is_left_out(reader, function) || strstr(function->symbol, ".cold"))
			continue;
		region = reader_add(reader, MS_PARALLEL_REGION, SIR_NONE, function->low);
		if (region == SIR_NONE)
			return;
		describe(reader, function, &reader->sir->regions[region]);
		if (reader->decodable)
			code_regions_add(reader, i, region);
		nr++;
	}
	if (nr && reader->decodable)
		add_gap(reader->sir,
			arena_printf(reader->arena,
				     "%zu outlined functions are regions of their own: no call "
				     "that passes them to an OpenMP runtime was found",
				     nr));
}

/* ------------------------------------------------------------------ the file */

static const char *architecture(struct arena *arena, unsigned int machine)
{
	switch (machine) {
	case EM_X86_64: return "x86-64";
	case EM_AARCH64: return "aarch64";
	case EM_PPC64: return "ppc64";
	default: return arena_printf(arena, "ELF machine %u", machine);
	}
}

static void add_gaps(struct reader *reader)
{
	struct sir *sir = reader->sir;

	if (!reader->binary.nr_symbols)
		add_gap(sir, "no symbols: names of functions and arrays are unknown");
	if (!reader->binary.dwarf)
		add_gap(sir,
			"no debugging information: lines, types and shapes of arrays are unknown");
	if (!reader->decodable)
		add_gap(sir,
			decode_unsupported()
				? decode_unsupported()
				: "machine code of this architecture cannot be read: loops, constructs, calls and uses are unknown");
	if (sir->has_lines && *sir->arrays.why)
		add_gap(sir, arena_printf(reader->arena, "arrays: %s", sir->arrays.why));
}

static bool allocate(struct reader *reader)
{
	size_t nr = reader->functions.nr + 1;

	reader->is_body = arena_alloc(reader->arena, nr * sizeof(*reader->is_body));
	reader->is_done = arena_alloc(reader->arena, nr * sizeof(*reader->is_done));
	reader->regions = arena_alloc(reader->arena, nr * sizeof(*reader->regions));
	reader->sources = sources_new(reader->arena);
	if (!reader->is_body || !reader->is_done || !reader->regions || !reader->sources)
		return false;
	for (size_t i = 0; i < nr; i++)
		reader->regions[i] = SIR_NONE;
	return true;
}

static void find_bodies(struct reader *reader)
{
	struct arena *scratch = reader->decodable ? arena_new() : NULL;

	for (size_t i = 0; scratch && i < reader->functions.nr; i++) {
		note_bodies(reader, scratch, i);
		arena_reset(scratch, SIZE_MAX);
	}
	arena_free(scratch);
}

enum ms_status sir_read(struct arena *arena, const char *path, bool all, struct sir *out)
{
	struct reader reader = { .sir = out, .arena = arena };
	enum ms_status status = binary_open_whole(&reader.binary, arena, path);
	GElf_Ehdr header;

	if (status)
		return status;
	*out = (struct sir){ .arena = arena, .program = base_name(path), .all = all };
	out->has_lines = reader.binary.dwarf != NULL;
	reader.module = (struct module){ .path = path, .build_id = "", .high = UINT64_MAX };
	out->build_id = binary_build_id(arena, &reader.binary);
	out->architecture = architecture(arena, reader.binary.machine);
	reader.fixed = gelf_getehdr(reader.binary.file.elf, &header) && header.e_type == ET_EXEC;
	reader.decodable = reader.binary.machine == EM_X86_64 && !decode_unsupported();
	file_memory_init(&reader.memory, &reader.binary);
	reader.functions = functions_read(arena, &reader.binary, &reader.memory.memory);
	out->arrays = declared_read(arena, &reader.binary);
	if (allocate(&reader)) {
		find_bodies(&reader);
		add_functions(&reader);
		add_unattached(&reader);
		add_gaps(&reader);
	} else {
		status = MS_ERR_MEMORY;
	}
	sources_free(reader.sources);
	binary_close(&reader.binary);
	return status;
}
