/* SPDX-License-Identifier: Apache-2.0 */
/* Index over DWARF: address → compilation unit → function and inlined functions. */
#include "analysis/debuginfo/compilation_units.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/bisect.h"
#include "analysis/base/own_heap.h"
#include "analysis/debuginfo/language.h"
#include "analysis/elf/binary.h"
#include "analysis/elf/function_names.h"

/* Deeper nesting is malformed: this bounds the recursion. */
#define DEPTH_MAX 100
#define RANGES_MAX 100000
/* Ranges of units do not overlap, but for leftovers of dropped functions. */
#define OVERLAPS_MAX 8

static const char *string_of(Dwarf_Die *die, unsigned int attribute_name)
{
	Dwarf_Attribute attribute;
	const char *text = dwarf_formstring(dwarf_attr(die, attribute_name, &attribute));

	return text ? text : "";
}

/* After link-time optimization gcc says "GNU GIMPLE" for all languages. */
static enum producer producer_of(Dwarf_Die *die)
{
	static const struct {
		const char *text;
		enum producer producer;
	} known[] = {
		/* before clang: it is based on the same LLVM */
		{ "flang", PRODUCER_FLANG },
		{ "clang", PRODUCER_CLANG },
		{ "GNU ", PRODUCER_GCC },
	};
	const char *text = string_of(die, DW_AT_producer);

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strstr(text, known[i].text))
			return known[i].producer == PRODUCER_GCC &&
					       language_is_fortran(dwarf_srclang(die))
				       ? PRODUCER_GFORTRAN
				       : known[i].producer;
	return PRODUCER_OTHER;
}

static bool add_span(struct binary *binary, uint64_t low, uint64_t high, uint32_t unit)
{
	struct units *units = binary->units;

	if (!ARENA_GROW(binary->arena, units->spans, units->nr_spans, units->spans_room))
		return false;
	units->spans[units->nr_spans++] = (struct span){ low, high, unit };
	return true;
}

/* Linkers set the addresses of functions they dropped to 0, 1 or the end of memory. */
static bool is_code(const struct binary *binary, uint64_t low, uint64_t high)
{
	return low < high && low >= binary->code_low && high <= binary->code_high;
}

static size_t add_unit_ranges(struct binary *binary, Dwarf_Die *die, uint32_t unit)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t offset = 0;
	size_t nr = 0;

	while (nr < RANGES_MAX && (offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
		nr++;
		if (is_code(binary, low, high) && !add_span(binary, low, high, unit))
			break;
	}
	return nr;
}

static uint32_t add_frame(struct binary *binary, struct unit *unit, const Dwarf_Die *die,
			  uint32_t outer)
{
	if (unit->nr_frames >= FRAME_NONE - 1 ||
	    !ARENA_GROW(binary->arena, unit->frames, unit->nr_frames, unit->frames_room))
		return FRAME_NONE;
	unit->frames[unit->nr_frames] = (struct frame){ .die = *die, .outer = outer };
	return (uint32_t)unit->nr_frames++;
}

static bool add_piece(struct binary *binary, struct unit *unit, const struct piece *piece,
		      bool inlined)
{
	if (inlined) {
		if (!ARENA_GROW(binary->arena, unit->inlined, unit->nr_inlined, unit->inlined_room))
			return false;
		unit->inlined[unit->nr_inlined++] = *piece;
		return true;
	}
	if (!ARENA_GROW(binary->arena, unit->functions, unit->nr_functions, unit->functions_room))
		return false;
	unit->functions[unit->nr_functions++] = *piece;
	return true;
}

/* The frame of a function or inlined function that has code, else `outer`. */
static uint32_t add_code(struct binary *binary, struct unit *unit, Dwarf_Die *die, uint32_t outer,
			 bool inlined)
{
	uint32_t frame = FRAME_NONE;
	Dwarf_Addr base, low, high;
	ptrdiff_t offset = 0;

	for (size_t nr = 0;
	     nr < RANGES_MAX && (offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0;
	     nr++) {
		struct piece piece = { .low = low, .high = high };

		if (!is_code(binary, low, high))
			continue;
		if (frame == FRAME_NONE)
			frame = add_frame(binary, unit, die, inlined ? outer : FRAME_NONE);
		piece.frame = frame;
		if (frame == FRAME_NONE || !add_piece(binary, unit, &piece, inlined))
			break;
	}
	return frame == FRAME_NONE ? outer : frame;
}

static bool may_hold_code(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type: return true;
	}
	return false;
}

static bool is_scope(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_subprogram;
}

/* Functions with a linkage name have their scopes in there. */
static void note_scope(struct binary *binary, struct unit *unit, Dwarf_Die *die)
{
	if (unit->scope == FRAME_NONE || dwarf_hasattr(die, DW_AT_linkage_name) ||
	    !ARENA_GROW(binary->arena, unit->scoped, unit->nr_scoped, unit->scoped_room))
		return;
	unit->scoped[unit->nr_scoped++] = (struct scoped){ dwarf_dieoffset(die), unit->scope };
}

static void enter_scope(struct binary *binary, struct unit *unit, const Dwarf_Die *die)
{
	if (unit->nr_scopes >= FRAME_NONE - 1 ||
	    !ARENA_GROW(binary->arena, unit->scopes, unit->nr_scopes, unit->scopes_room))
		return;
	unit->scopes[unit->nr_scopes] = (struct scope){ *die, unit->scope };
	unit->scope = (uint32_t)unit->nr_scopes++;
}

static void index_children(struct binary *binary, struct unit *unit, Dwarf_Die *parent, int depth,
			   uint32_t outer);

static void index_die(struct binary *binary, struct unit *unit, Dwarf_Die *die, int depth,
		      uint32_t outer)
{
	int tag = dwarf_tag(die);
	size_t first_function = unit->nr_functions, first_inlined = unit->nr_inlined;
	uint32_t scope = unit->scope;
	size_t end_function;

	if (!may_hold_code(tag))
		return;
	if (tag == DW_TAG_subprogram)
		note_scope(binary, unit, die);
	if (is_scope(tag))
		enter_scope(binary, unit, die);
	if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
		outer = add_code(binary, unit, die, outer, tag == DW_TAG_inlined_subroutine);
	end_function = unit->nr_functions;
	index_children(binary, unit, die, depth + 1, outer);
	unit->scope = scope;
	if (tag != DW_TAG_subprogram)
		return;
	for (size_t i = first_function; i < end_function; i++) {
		unit->functions[i].inlined_first = (uint32_t)first_inlined;
		unit->functions[i].inlined_end = (uint32_t)unit->nr_inlined;
	}
}

/* Siblings must lie behind each other: damaged references would loop. */
static void index_children(struct binary *binary, struct unit *unit, Dwarf_Die *parent, int depth,
			   uint32_t outer)
{
	Dwarf_Off last = dwarf_dieoffset(parent);
	Dwarf_Die die;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		Dwarf_Off offset = dwarf_dieoffset(&die);

		if (offset <= last)
			return;
		last = offset;
		index_die(binary, unit, &die, depth, outer);
	} while (dwarf_siblingof(&die, &die) == 0);
}

static int pieces_by_address(const void *a, const void *b)
{
	const struct piece *left = a, *right = b;

	return (left->low > right->low) - (left->low < right->low);
}

static int spans_by_address(const void *a, const void *b)
{
	const struct span *left = a, *right = b;

	return (left->low > right->low) - (left->low < right->low);
}

static void index_unit(struct binary *binary, struct unit *unit)
{
	if (unit->indexed)
		return;
	unit->indexed = true;
	unit->scope = FRAME_NONE;
	index_children(binary, unit, &unit->root, 0, FRAME_NONE);
	if (unit->nr_functions)
		own_heap_sort(unit->functions, unit->nr_functions, sizeof(*unit->functions),
			      pieces_by_address);
	if (dwarf_getsrclines(&unit->die, &unit->rows, &unit->nr_rows))
		unit->nr_rows = 0;
}

static void add_unit(struct binary *binary, const Dwarf_Die *die, const Dwarf_Die *split)
{
	struct units *units = binary->units;
	uint32_t index = (uint32_t)units->nr_units;
	struct unit *unit;

	if (!ARENA_GROW(binary->arena, units->units, units->nr_units, units->units_room))
		return;
	unit = &units->units[units->nr_units++];
	*unit = (struct unit){ .die = *die, .root = split->addr ? *split : *die };
	unit->producer = producer_of(&unit->root);
	unit->folder = string_of(&unit->die, DW_AT_comp_dir);
	if (add_unit_ranges(binary, &unit->die, index))
		return;
	index_unit(binary, unit); /* says nothing about its addresses: ask its functions */
	for (size_t i = 0; i < unit->nr_functions; i++)
		add_span(binary, unit->functions[i].low, unit->functions[i].high, index);
}

bool units_open(struct binary *binary, struct arena *names)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	if (binary->units)
		return binary->units->nr_units > 0;
	binary->units = binary->dwarf ? arena_alloc(binary->arena, sizeof(*binary->units)) : NULL;
	if (!binary->units)
		return false;
	binary->units->names = names;
	while (dwarf_get_units(binary->dwarf, cu, &cu, NULL, &type, &die, &split) == 0)
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			add_unit(binary, &die, &split);
	if (binary->units->nr_spans)
		own_heap_sort(binary->units->spans, binary->units->nr_spans, sizeof(struct span),
			      spans_by_address);
	return binary->units->nr_units > 0;
}

struct unit *units_find(struct binary *binary, uint64_t address)
{
	struct units *units = binary->units;
	size_t low = BISECT(i, units->nr_spans, units->spans[i].low <= address);

	for (size_t back = 0; back < low && back < OVERLAPS_MAX; back++) {
		const struct span *span = &units->spans[low - 1 - back];

		if (address < span->high) {
			index_unit(binary, &units->units[span->unit]);
			return &units->units[span->unit];
		}
	}
	return NULL;
}

const struct piece *unit_function(const struct unit *unit, uint64_t address, uint32_t *frame_out)
{
	size_t low = BISECT(i, unit->nr_functions, unit->functions[i].low <= address);
	const struct piece *function;

	if (!low || address >= unit->functions[low - 1].high)
		return NULL;
	function = &unit->functions[low - 1];
	*frame_out = function->frame;
	for (uint32_t i = function->inlined_first; i < function->inlined_end; i++)
		if (address >= unit->inlined[i].low && address < unit->inlined[i].high)
			/* tree order: the last is the innermost */
			*frame_out = unit->inlined[i].frame;
	return function;
}

bool unit_full_path(const struct unit *unit, const char *path, char *out, size_t room)
{
	bool relative = path[0] != '/';
	int length = snprintf(out, room, "%s%s%s", relative ? unit->folder : "",
			      relative ? "/" : "", path);

	return length >= 0 && (size_t)length < room;
}
