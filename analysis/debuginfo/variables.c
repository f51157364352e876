/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of a file's compilation units, as DWARF has them. */
#include "analysis/debuginfo/variables.h"

#include <dwarf.h>
#include <limits.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/debuginfo/compilation_units.h"
#include "analysis/debuginfo/language.h"
#include "analysis/debuginfo/scopes.h"
#include "analysis/debuginfo/types.h"
#include "analysis/elf/binary.h"
#include "analysis/elf/data_symbols.h"
#include "analysis/elf/function_names.h"

/* Deeper nesting is malformed: this bounds the recursion. */
#define DEPTH_MAX 100
#define MEMBERS_MAX 1000 /* of one structure that are examined */
/* of structures in structures: containers of C++ take five */
#define MEMBER_DEPTH 8
#define POINTERS_MAX 64   /* in one variable */
#define PARTS_MAX 64      /* the same of arrays; a structure with more is one data structure */
#define PART_LEAST 8      /* bytes between two of them that are more than padding */
#define COMMON_PADDING 32 /* bytes behind the last member: alignment of the block */

/* A DIE that may be a variable with storage, and what is around it. */
struct candidate {
	Dwarf_Die die;
	uint32_t scope;
	bool placed;     /* `address` was found by its COMMON block */
	bool framed;     /* `address` is its offset from the frame base, or from register `base` */
	bool partly;     /* in parts of the function's code only */
	Dwarf_Die block; /* the innermost block or inlined function around it */
	bool in_block;   /* else it is the function's */
	int base;
	uint64_t address;
};

/* of one unit */
struct walk {
	struct variables *variables;
	struct unit *unit;
	struct scopes scopes;
	struct candidate *candidates;
	size_t nr, room;
	int language;
	int inlined;     /* inlined functions around the current DIE */
	Dwarf_Die block; /* the innermost block or inlined function around it */
	bool in_block;
	const char *path, *file; /* the last one, as DWARF has it and as kept */
	struct part *parts;      /* PARTS_MAX, of the current structure; NULL: no memory */
};

static const char *string_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	const char *text = dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));

	return text ? text : "";
}

static bool flag_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	bool flag = false;

	return dwarf_attr_integrate(die, name, &attribute) && !dwarf_formflag(&attribute, &flag) &&
	       flag;
}

/* An offset from the frame base or a register. */
static bool read_place(const Dwarf_Op *op, struct candidate *out)
{
	out->base = FRAME_BASE_CFA;
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		out->base = op->atom - DW_OP_breg0;
	else if (op->atom != DW_OP_fbreg)
		return false;
	out->address = op->number;
	return true;
}

/*
 * Whether the variable lies in its function's frame all the time: at an offset from the frame base, or,
 * where gcc aligns the frame, from a register.
 */
static bool is_framed(Dwarf_Die *die, struct candidate *out)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t nr;

	return dwarf_attr(die, DW_AT_location, &attribute) &&
	       dwarf_whatform(&attribute) == DW_FORM_exprloc &&
	       !dwarf_getlocation(&attribute, &ops, &nr) && nr == 1 && read_place(ops, out);
}

/*
 * The same of an object that optimised code has there while others use it: at one offset wherever it is in
 * memory.
 */
static bool is_framed_partly(Dwarf_Die *die, struct candidate *out)
{
	Dwarf_Attribute attribute;
	struct candidate place = *out;
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	bool found = false;
	Dwarf_Op *ops;
	size_t nr;

	if (!dwarf_attr(die, DW_AT_location, &attribute) ||
	    dwarf_whatform(&attribute) == DW_FORM_exprloc)
		return false;
	while ((at = dwarf_getlocations(&attribute, at, &base, &start, &end, &ops, &nr)) > 0) {
		if (nr != 1 || !read_place(ops, &place))
			continue;
		if (found && (place.address != out->address || place.base != out->base))
			return false;
		*out = place;
		found = true;
	}
	return found;
}

/*
 * Without a location, only what another file or unit defines is of interest ("extern", a copy
 * relocation), and members of COMMON blocks.
 */
static void add_candidate(struct walk *walk, const Dwarf_Die *die, uint32_t scope)
{
	Dwarf_Die at = *die;
	struct candidate candidate = { .scope = scope,
				       .block = walk->block,
				       .in_block = walk->in_block };

	candidate.framed = is_framed(&at, &candidate);
	candidate.partly = !candidate.framed && is_framed_partly(&at, &candidate);
	candidate.framed |= candidate.partly;
	candidate.die = at;
	if (walk->inlined && !candidate.framed)
		return;
	if (!dwarf_hasattr(&at, DW_AT_location) && !dwarf_hasattr(&at, DW_AT_declaration) &&
	    scopes_tag(&walk->scopes, scope) != DW_TAG_common_block)
		return;
	if (!ARENA_GROW(walk->variables->scratch, walk->candidates, walk->nr, walk->room))
		walk->variables->full = true;
	else
		walk->candidates[walk->nr++] = candidate;
}

static void walk_children(struct walk *walk, Dwarf_Die *parent, uint32_t scope, int depth);

/*
 * Classes are only remembered for the names of what they surround, but gcc has the code of lambdas
 * in theirs.
 */
static uint32_t walk_class(struct walk *walk, Dwarf_Die *die, uint32_t scope, int depth)
{
	uint32_t inner = scopes_enter(&walk->scopes, die, scope);

	if (scopes_tag(&walk->scopes, scope) == DW_TAG_subprogram)
		walk_children(walk, die, inner, depth + 1);
	return inner;
}

/* Blocks without code of their own belong to the one around them. */
static void walk_block(struct walk *walk, Dwarf_Die *die, uint32_t scope, int depth)
{
	Dwarf_Die around = walk->block;
	bool in_block = walk->in_block;

	if (dwarf_hasattr(die, DW_AT_ranges) || dwarf_hasattr(die, DW_AT_low_pc)) {
		walk->block = *die;
		walk->in_block = true;
	}
	walk_children(walk, die, scope, depth + 1);
	walk->block = around;
	walk->in_block = in_block;
}

/* Only what lies in the frame of the function around it: the rest is in the function's own tree. */
static void walk_inlined(struct walk *walk, Dwarf_Die *die, uint32_t scope, int depth)
{
	walk->inlined++;
	walk_block(walk, die, scope, depth);
	walk->inlined--;
}

static void walk_function(struct walk *walk, Dwarf_Die *die, uint32_t scope, int depth)
{
	bool in_block = walk->in_block;

	walk->in_block = false;
	walk_children(walk, die, scope, depth + 1);
	walk->in_block = in_block;
}

/* The scope that ends where the next DIE begins; SCOPE_NONE: none does. */
static uint32_t walk_die(struct walk *walk, Dwarf_Die *die, uint32_t scope, int depth)
{
	uint32_t inner = scope;

	switch (dwarf_tag(die)) {
	case DW_TAG_variable: add_candidate(walk, die, scope); return SCOPE_NONE;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type: return walk_class(walk, die, scope, depth);
	case DW_TAG_inlined_subroutine: walk_inlined(walk, die, scope, depth); return SCOPE_NONE;
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_common_block:
		inner = scopes_enter(&walk->scopes, die, scope);
		walk_children(walk, die, inner, depth + 1);
		return inner;
	case DW_TAG_subprogram:
		inner = scopes_enter(&walk->scopes, die, scope);
		walk_function(walk, die, inner, depth);
		return inner;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block: walk_block(walk, die, scope, depth); return SCOPE_NONE;
	}
	return SCOPE_NONE;
}

/* Siblings must lie behind each other: damaged references would loop. */
static void walk_children(struct walk *walk, Dwarf_Die *parent, uint32_t scope, int depth)
{
	Dwarf_Off last = dwarf_dieoffset(parent);
	uint32_t before = SCOPE_NONE;
	Dwarf_Die die;
	int more;

	if (depth > DEPTH_MAX) {
		walk->variables->damaged = true;
		return;
	}
	for (more = dwarf_child(parent, &die); more == 0; more = dwarf_siblingof(&die, &die)) {
		Dwarf_Off offset = dwarf_dieoffset(&die);

		if (offset <= last)
			break;
		last = offset;
		scopes_end(&walk->scopes, before, offset);
		before = walk_die(walk, &die, scope, depth);
	}
	walk->variables->damaged |= more <= 0;
}

/*
 * The entry of .debug_addr that an operation names; libdw finds constants there only outside of
 * split DWARF, addresses always.
 */
static bool indexed(Dwarf_Attribute *location, const Dwarf_Op *op, uint64_t *value_out)
{
	Dwarf_Op as_address = *op;
	Dwarf_Attribute indirect;
	Dwarf_Addr address;

	as_address.atom = DW_OP_addrx;
	if (dwarf_getlocation_attr(location, &as_address, &indirect) ||
	    dwarf_formaddr(&indirect, &address))
		return false;
	*value_out = address;
	return true;
}

/* The constant an operation pushes; false: another operation. */
static bool pushed(Dwarf_Attribute *location, const Dwarf_Op *op, uint64_t *value_out)
{
	switch (op->atom) {
	case DW_OP_addr:
	case DW_OP_const4u:
	case DW_OP_const8u:
	case DW_OP_constu: *value_out = op->number; return true;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
	case DW_OP_constx:
	case DW_OP_GNU_const_index: return indexed(location, op, value_out);
	}
	return false;
}

static bool is_tls(const Dwarf_Op *op)
{
	return op->atom == DW_OP_form_tls_address || op->atom == DW_OP_GNU_push_tls_address;
}

/* gcc's split DWARF has the place in the file instead of the offset. */
static uint64_t tls_offset(const struct data_symbols *symbols, uint64_t value)
{
	return !data_symbols_has_place(symbols, value, 1, true) && value >= symbols->tls_start
		       ? value - symbols->tls_start
		       : value;
}

/*
 * An address, perhaps with an offset; an offset in the TLS image. All else is in registers, on a
 * stack, or in pieces.
 */
static bool location_of(struct walk *walk, Dwarf_Die *die, uint64_t *address_out, bool *tls_out)
{
	Dwarf_Attribute attribute;
	size_t nr, at = 1;
	Dwarf_Op *ops;

	if (!dwarf_attr(die, DW_AT_location, &attribute))
		return false;
	if (dwarf_getlocation(&attribute, &ops, &nr)) {
		walk->variables->unlocated += dwarf_whatform(&attribute) == DW_FORM_exprloc;
		return false;
	}
	if (!nr || !pushed(&attribute, &ops[0], address_out))
		return false;
	if (at < nr && ops[at].atom == DW_OP_plus_uconst)
		*address_out += ops[at++].number;
	*tls_out = at < nr && is_tls(&ops[at]);
	if (*tls_out) {
		*address_out = tls_offset(walk->variables->symbols, *address_out);
		at++;
	}
	return at == nr && (*tls_out || ops[0].atom == DW_OP_addr || ops[0].atom == DW_OP_addrx ||
			    ops[0].atom == DW_OP_GNU_addr_index);
}

/*
 * Not dwarf_decl_file: in libdw 0.188 it ends the process over gcc's split DWARF, and takes file 0
 * for none, as it was before DWARF 5. With link-time optimization the file is one of another unit,
 * where the declaration is.
 */
static const char *path_of(struct walk *walk, Dwarf_Die *die)
{
	Dwarf_Die unit = walk->unit->die;
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word index;
	size_t nr;

	if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &attribute), &index))
		return NULL;
	if (attribute.cu != walk->unit->root.cu &&
	    !dwarf_cu_die(attribute.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL))
		return NULL;
	return dwarf_getsrcfiles(&unit, &files, &nr) || index >= nr
		       ? NULL
		       : dwarf_filesrc(files, index, NULL, NULL);
}

static const char *file_of(struct walk *walk, Dwarf_Die *die)
{
	const char *path = path_of(walk, die);

	if (!path)
		return "";
	if (path != walk->path) {
		walk->file = arena_strdup(walk->variables->arena, base_name(path));
		walk->path = path;
	}
	return walk->file ? walk->file : "";
}

static int line_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word line;

	return dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_line, &attribute), &line) ||
			       line > INT_MAX
		       ? 0
		       : (int)line;
}

/* A definition that completes a declaration gets the scope of the declaration. */
static uint32_t scope_of(const struct walk *walk, const struct candidate *candidate)
{
	Dwarf_Die die = candidate->die, first;
	Dwarf_Attribute attribute;

	if (!dwarf_formref_die(dwarf_attr(&die, DW_AT_specification, &attribute), &first) ||
	    first.cu != die.cu)
		return candidate->scope;
	return scopes_find(&walk->scopes, &first);
}

static bool is_class(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/*
 * Names that begin with two underscores or a dot are a compiler's or a library's: __func__,
 * std::__ioinit, flang's ".n.x".
 */
static bool is_made(Dwarf_Die *die, const char *name)
{
	return !name || name[0] == '.' || !strncmp(name, "__", 2) || flag_of(die, DW_AT_artificial);
}

/*
 * clang: variables of a function that was inlined everywhere are in one without a name. The symbol
 * has it: "work.kept".
 */
static const char *name_by_symbol(struct walk *walk, const struct declared *declared)
{
	const struct data_symbol *symbol = data_symbols_at(
		walk->variables->symbols, declared->address, declared->thread_private);
	bool common, in_module;

	return symbol ? data_symbol_name(walk->variables->arena, symbol->name, false, &common,
					 &in_module)
		      : NULL;
}

/* Link-time optimization: what is around the declaration is in another unit. */
static bool is_of_other_unit(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die origin;

	return dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &attribute), &origin) &&
	       origin.cu != die->cu;
}

static bool is_nameless_function(struct scopes *scopes, uint32_t scope)
{
	return scopes_tag(scopes, scope) == DW_TAG_subprogram &&
	       !dwarf_diename(&scopes->items[scope].die);
}

/* NULL: made by a compiler or of the C++ library. */
static const char *name_of(struct walk *walk, struct candidate *candidate,
			   const struct declared *declared, uint32_t scope)
{
	const char *name = dwarf_diename(&candidate->die),
		   *linkage = string_of(&candidate->die, DW_AT_linkage_name), *full = NULL;
	struct arena *arena = walk->variables->arena;

	if (is_made(&candidate->die, name))
		return NULL;
	if (!strncmp(linkage, "_Z", 2) &&
	    (is_class(scopes_tag(&walk->scopes, scope)) || is_of_other_unit(&candidate->die)))
		/* classes in classes are not walked */
		full = name_user(arena, linkage, false);
	else if (is_nameless_function(&walk->scopes, scope))
		full = name_by_symbol(walk, declared);
	if (!full)
		full = arena_printf(arena, "%s%s", scopes_prefix(&walk->scopes, scope), name);
	return full && strncmp(full, "std::", 5) && strncmp(full, "__gnu_cxx::", 11) ? full : NULL;
}

static bool is_in_module(const struct scopes *scopes, uint32_t scope)
{
	for (; scope != SCOPE_NONE; scope = scopes->items[scope].outer)
		if (scopes_tag(scopes, scope) == DW_TAG_module)
			return true;
	return false;
}

static enum array_kind kind_of(const struct scopes *scopes, uint32_t scope, bool tls)
{
	if (tls)
		return ARRAY_THREAD_PRIVATE;
	if (scopes_tag(scopes, scope) == DW_TAG_common_block)
		return ARRAY_COMMON;
	return is_in_module(scopes, scope) ? ARRAY_MODULE : ARRAY_STATIC;
}

static void set_type(struct array *array, const struct type *type)
{
	array->type = type->name;
	array->element_bytes = type->element_bytes <= UINT32_MAX ? (uint32_t)type->element_bytes
								 : 0;
	array->nr_dimensions = type->nr_dimensions;
	array->column_major = type->column_major;
	memcpy(array->lower, type->lower, sizeof(array->lower));
	memcpy(array->extent, type->extent, sizeof(array->extent));
}

static bool add(struct walk *walk, const struct declared *declared, enum variable_source source)
{
	struct variables *variables = walk->variables;

	if (!ARENA_GROW(variables->scratch, variables->items, variables->nr, variables->room)) {
		variables->full = true;
		return false;
	}
	variables->items[variables->nr++] = (struct variable){ .declared = *declared,
							       .source = source };
	return true;
}

/*
 * Sizes of descriptors without a symbol: gfortran's struct gfc_array_descriptor (libgfortran.h),
 * flang's CFI_cdesc_t (ISO_Fortran_binding.h).
 */
static uint64_t descriptor_bytes(enum producer producer, uint32_t rank)
{
	return producer == PRODUCER_FLANG ? 24 + 24 * rank : 40 + 24 * rank;
}

static uint64_t product(const struct array *array)
{
	uint64_t nr = 1;

	for (uint32_t i = 0; i < array->nr_dimensions; i++)
		if (__builtin_mul_overflow(nr, array->extent[i], &nr))
			return 0;
	return nr;
}

/*
 * The linker's size is the truth. flang 19 calls a derived type "integer": then the elements
 * are of another size, and their type is unknown. Bounds that do not fit are none.
 */
static void correct_size(struct declared *declared, uint64_t bytes)
{
	struct array *array = &declared->array;
	uint64_t nr = product(array);

	if (declared->declared_bytes == bytes)
		return;
	if (declared->declared_bytes && !declared->pointer && !declared->descriptor) {
		array->type = "";
		array->element_bytes = nr && bytes % nr == 0 && bytes / nr <= UINT32_MAX
					       ? (uint32_t)(bytes / nr)
					       : 0;
		if (!array->element_bytes)
			array->nr_dimensions = 0;
	}
	declared->declared_bytes = bytes;
}

/*
 * An incomplete type, "extern double x[]" or "struct s { int n; double values[]; }", has the size
 * the linker gave it.
 */
static void set_size(struct walk *walk, struct declared *declared, const struct type *type)
{
	const struct data_symbol *symbol = data_symbols_at(
		walk->variables->symbols, declared->address, declared->thread_private);
	struct array *array = &declared->array;

	declared->declared_bytes = type->bytes;
	if (symbol && array->kind != ARRAY_COMMON &&
	    !(type->has_record && type->bytes && type->bytes < symbol->bytes))
		correct_size(declared, symbol->bytes);
	else if (symbol && type->has_record && array->kind != ARRAY_COMMON)
		declared->declared_bytes = symbol->bytes;
	if (!declared->declared_bytes && declared->descriptor)
		declared->declared_bytes = descriptor_bytes(walk->unit->producer,
							    array->nr_dimensions);
	if (array->nr_dimensions && !array->extent[0] && array->element_bytes &&
	    !declared->pointer && !declared->descriptor) {
		array->extent[0] = 1;
		array->extent[0] = product(array) ? declared->declared_bytes /
							    array->element_bytes / product(array)
						  : 0;
	}
	array->bytes = declared->declared_bytes;
	array->blocks = array->live_blocks = 1;
}

/* an array in a structure */
struct part {
	const char *name;
	uint64_t offset;
	struct type type;
};

/* pointers and arrays in one variable */
struct members {
	struct walk *walk;
	struct declared owner;
	enum variable_source source;
	const char *separator, *last; /* name of the last one */
	int nr;
	/* of a variable in a frame, which lies there; NULL: at an address */
	const struct declared_automatic *frame;
	struct part *parts; /* PARTS_MAX; NULL: not wanted */
	int nr_parts;
	bool apart; /* none of them overlaps another, and there are no more */
};

/* 6 MiB of them; a program of 16,000 functions has 3,200. */
#define MEMBERS_MOST 16384

/* Objects of one block may have the same place: then none of them names anything. */
static bool shares_place(struct variables *variables, const struct declared_automatic *item)
{
	for (size_t i = variables->nr_members; i > 0; i--) {
		struct declared_automatic *other = &variables->members[i - 1];

		if (other->low != item->low || other->high != item->high)
			return false;
		if (other->base != item->base || other->offset != item->offset ||
		    other->block != item->block)
			continue;
		if (strcmp(other->array.name, item->array.name) != 0)
			other->pointer = other->descriptor = false;
		return true;
	}
	return false;
}

static void add_in_frame(struct variables *variables, const struct declared *declared,
			 const struct declared_automatic *frame)
{
	struct declared_automatic item = *frame;

	item.array = declared->array;
	item.offset += (int64_t)declared->address;
	if (variables->nr_members == MEMBERS_MOST || shares_place(variables, &item))
		return;
	item.pointer = declared->pointer;
	item.descriptor = declared->descriptor;
	if (!ARENA_GROW(variables->arena, variables->members, variables->nr_members,
			variables->room_members))
		variables->full = true;
	else
		variables->members[variables->nr_members++] = item;
}

static bool member_offset(Dwarf_Die *member, uint64_t *offset_out)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset;
	Dwarf_Op *ops;
	size_t nr;

	if (!dwarf_attr(member, DW_AT_data_member_location, &attribute))
		return false;
	if (!dwarf_formudata(&attribute, &offset))
		*offset_out = offset;
	else if (!dwarf_getlocation(&attribute, &ops, &nr) && nr == 1 &&
		 ops[0].atom == DW_OP_plus_uconst)
		*offset_out = ops[0].number; /* DWARF 2 */
	else
		return false;
	return true;
}

static bool is_own_member(Dwarf_Die *member)
{
	int tag = dwarf_tag(member);

	return (tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
	       !dwarf_hasattr(member, DW_AT_declaration) && !flag_of(member, DW_AT_artificial);
}

/*
 * What libstdc++ and libc++ have inside is named as the variable: "vec" for vec._M_impl._M_start.
 */
static const char *member_name(struct members *members, const char *before, Dwarf_Die *member)
{
	const char *name = dwarf_diename(member);

	if (!name || dwarf_tag(member) == DW_TAG_inheritance || !strncmp(name, "_M_", 3) ||
	    !strncmp(name, "__", 2))
		return before;
	return arena_printf(members->walk->variables->arena, "%s%s%s", before, members->separator,
			    name);
}

/*
 * The first of several pointers of one name points to the begin of the data; the others are into
 * it.
 */
static void add_pointer(struct members *members, const struct type *type, const char *name,
			uint64_t offset)
{
	struct declared declared = members->owner;

	if (members->nr == POINTERS_MAX || !name || (members->last && !strcmp(members->last, name)))
		return;
	members->last = name;
	members->nr++;
	declared.address += offset;
	declared.member = true;
	declared.array.name = name;
	declared.pointer = type->pointer;
	declared.descriptor = type->descriptor;
	set_type(&declared.array, type);
	declared.declared_bytes = type->pointer ? type->bytes
						: descriptor_bytes(members->walk->unit->producer,
								   type->nr_dimensions);
	declared.array.bytes = declared.declared_bytes;
	if (members->frame)
		add_in_frame(members->walk->variables, &declared, members->frame);
	else
		add(members->walk, &declared, members->source);
}

/* Members of unions overlap; those of damaged types lie outside. */
static void add_part(struct members *members, const struct type *type, const char *name,
		     uint64_t offset)
{
	const struct part *last = members->nr_parts ? &members->parts[members->nr_parts - 1] : NULL;
	uint64_t whole = members->owner.declared_bytes;

	if (!members->parts || !name)
		return;
	members->apart &= members->nr_parts < PARTS_MAX && offset <= whole &&
			  type->bytes <= whole - offset &&
			  (!last || offset >= last->offset + last->type.bytes);
	if (members->apart)
		members->parts[members->nr_parts++] = (struct part){ name, offset, *type };
}

static void walk_members(struct members *members, Dwarf_Die *record, const char *before,
			 uint64_t base, int depth)
{
	Dwarf_Off last = dwarf_dieoffset(record);
	Dwarf_Die member, die;
	uint64_t offset;

	if (depth > MEMBER_DEPTH || dwarf_child(record, &member))
		return;
	for (int nr = 0; nr < MEMBERS_MAX && members->nr < POINTERS_MAX; nr++) {
		if (dwarf_dieoffset(&member) <= last)
			return;
		last = dwarf_dieoffset(&member);
		if (is_own_member(&member) && member_offset(&member, &offset) &&
		    type_of(&member, &die)) {
			struct type type = type_describe(&members->walk->scopes,
							 members->walk->language, &die);
			const char *name = member_name(members, before, &member);

			if (type.pointer || type.descriptor)
				add_pointer(members, &type, name, base + offset);
			else if (type.nr_dimensions && type.bytes >= DECLARED_AUTOMATIC_LEAST)
				add_part(members, &type, name, base + offset);
			else if (type.has_record && name)
				walk_members(members, &type.record, name, base + offset, depth + 1);
		}
		if (dwarf_siblingof(&member, &member))
			return;
	}
}

static void add_as_part(struct members *members, const struct declared *declared)
{
	struct variables *variables = members->walk->variables;

	if (add(members->walk, declared, members->source))
		variables->items[variables->nr - 1].part = true;
}

/* What is between the arrays of a structure has the structure's name. */
static void add_rest(struct members *members, uint64_t begin, uint64_t end)
{
	struct declared declared = members->owner;

	if (end < begin + PART_LEAST)
		return;
	declared.address += begin;
	declared.declared_bytes = declared.array.bytes = end - begin;
	add_as_part(members, &declared);
}

/*
 * A structure's arrays, "s.a" and "s.b", are data structures of their own, instead of the whole that
 * was added at `whole`.
 */
static void add_parts(struct members *members, size_t whole)
{
	struct variables *variables = members->walk->variables;
	uint64_t at = 0;

	if (!members->apart || !members->nr_parts)
		return;
	for (int i = 0; i < members->nr_parts; i++) {
		const struct part *part = &members->parts[i];
		struct declared declared = members->owner;

		add_rest(members, at, part->offset);
		at = part->offset + part->type.bytes;
		declared.address += part->offset;
		declared.array.name = part->name;
		set_type(&declared.array, &part->type);
		declared.declared_bytes = declared.array.bytes = part->type.bytes;
		add_as_part(members, &declared);
	}
	add_rest(members, at, members->owner.declared_bytes);
	variables->items[whole] = variables->items[--variables->nr];
}

static void add_members(struct walk *walk, const struct declared *owner,
			enum variable_source source, struct type *type)
{
	struct members members = { .walk = walk,
				   .owner = *owner,
				   .source = source,
				   .separator = language_is_fortran(walk->language) ? "%" : ".",
				   .parts = walk->parts,
				   .apart = true };
	size_t whole = walk->variables->nr - 1;

	if (!type->has_record)
		return;
	walk_members(&members, &type->record, owner->array.name, 0, 0);
	add_parts(&members, whole);
}

/* A declaration of what another file defines has the address the linker gave the name here. */
static bool declared_place(struct walk *walk, Dwarf_Die *die, uint64_t *address_out, bool *tls_out)
{
	const char *name = string_of(die, DW_AT_linkage_name);
	const struct data_symbol *symbol;

	if (!flag_of(die, DW_AT_external))
		return false;
	if (!*name)
		name = dwarf_diename(die);
	symbol = name ? data_symbols_named(walk->variables->symbols, name) : NULL;
	if (!symbol)
		return false;
	*address_out = symbol->address;
	*tls_out = symbol->thread_private;
	return true;
}

static bool place_of(struct walk *walk, struct candidate *candidate, enum variable_source source,
		     struct declared *out)
{
	if (candidate->placed) {
		out->address = candidate->address;
		return true;
	}
	return source == VARIABLE_DEFINED
		       ? location_of(walk, &candidate->die, &out->address, &out->thread_private)
		       : declared_place(walk, &candidate->die, &out->address, &out->thread_private);
}

static void describe(struct walk *walk, Dwarf_Die *die, uint32_t scope, const struct type *type,
		     struct declared *out)
{
	out->array.kind = kind_of(&walk->scopes, scope, out->thread_private);
	out->array.file = file_of(walk, die);
	out->array.line = line_of(die);
	out->array.module = walk->variables->module;
	out->pointer = type->pointer;
	out->descriptor = type->descriptor;
	set_type(&out->array, type);
	set_size(walk, out, type);
}

/*
 * A register, or the canonical frame address, to which clang adds a constant where a frame that is
 * realigned has no frame pointer. False: something else.
 */
static bool read_frame_base(const Dwarf_Op *ops, size_t nr, struct declared_automatic *out)
{
	bool plus = nr == 3 && ops[2].atom == DW_OP_plus &&
		    (ops[1].atom == DW_OP_consts || ops[1].atom == DW_OP_constu);

	if (nr == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) {
		out->base = ops[0].atom - DW_OP_reg0;
		return true;
	}
	if (ops[0].atom != DW_OP_call_frame_cfa || (nr != 1 && !plus))
		return false;
	out->base = FRAME_BASE_CFA;
	out->offset += plus ? (int64_t)ops[1].number : 0;
	return true;
}

/* Code and frame base of the function; false: not known, or not constant. */
static bool read_function(Dwarf_Die *function, struct declared_automatic *out)
{
	Dwarf_Attribute attribute;
	Dwarf_Addr base;
	Dwarf_Op *ops;
	size_t nr;

	if ((dwarf_lowpc(function, &out->low) || dwarf_highpc(function, &out->high)) &&
	    dwarf_ranges(function, 0, &base, &out->low, &out->high) <= 0)
		return false;
	if (!dwarf_attr_integrate(function, DW_AT_frame_base, &attribute) ||
	    dwarf_getlocation(&attribute, &ops, &nr) || !nr)
		return false;
	return read_frame_base(ops, nr, out);
}

/* Without memory, or where there are more: the variable is taken to be in scope in all of the function. */
#define BLOCK_RANGES 64
static void keep_ranges(struct variables *variables, const struct declared_code *ranges,
			uint32_t nr, struct declared_automatic *out)
{
	struct declared_code *kept = nr ? arena_alloc(variables->arena, nr * sizeof(*kept)) : NULL;

	if (!kept)
		return;
	memcpy(kept, ranges, nr * sizeof(*kept));
	out->code = kept;
	out->nr_code = nr;
}

static void read_block(struct variables *variables, Dwarf_Die *block,
		       struct declared_automatic *out)
{
	struct declared_code ranges[BLOCK_RANGES];
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	uint32_t nr = 0;

	while ((at = dwarf_ranges(block, at, &base, &low, &high)) > 0) {
		if (nr == BLOCK_RANGES)
			return;
		ranges[nr++] = (struct declared_code){ low, high };
	}
	keep_ranges(variables, ranges, nr, out);
	if (out->nr_code)
		out->block = dwarf_dieoffset(block);
}

/* Where the variable has its place in the frame. False: not known. */
static bool read_stays(struct variables *variables, Dwarf_Die *die, struct declared_automatic *out)
{
	struct declared_code ranges[BLOCK_RANGES];
	struct candidate place = { .base = 0 };
	Dwarf_Addr base, low, high;
	Dwarf_Attribute attribute;
	ptrdiff_t at = 0;
	uint32_t nr = 0;
	Dwarf_Op *ops;
	size_t nr_ops;

	if (!dwarf_attr(die, DW_AT_location, &attribute))
		return false;
	while ((at = dwarf_getlocations(&attribute, at, &base, &low, &high, &ops, &nr_ops)) > 0)
		if (nr_ops == 1 && read_place(ops, &place) && nr < BLOCK_RANGES)
			ranges[nr++] = (struct declared_code){ low, high };
	out->nr_code = 0;
	keep_ranges(variables, ranges, nr, out);
	return out->nr_code;
}

/*
 * A variable of a function: its place in the frame, its name and declaration, and its scope, outside of
 * which another variable may have the place. False: the compiler made it, or its place is not known.
 */
static bool read_framed(struct walk *walk, struct candidate *candidate,
			struct declared_automatic *out)
{
	struct variables *variables = walk->variables;
	const char *name = dwarf_diename(&candidate->die);

	*out = (struct declared_automatic){ .offset = (int64_t)candidate->address };
	if (is_made(&candidate->die, name) ||
	    scopes_tag(&walk->scopes, candidate->scope) != DW_TAG_subprogram ||
	    !read_function(&walk->scopes.items[candidate->scope].die, out))
		return false;
	if (candidate->in_block)
		read_block(variables, &candidate->block, out);
	if (candidate->base != FRAME_BASE_CFA) {
		out->base = candidate->base;
		out->offset = (int64_t)candidate->address;
	}
	out->array = (struct array){ .kind = ARRAY_AUTOMATIC,
				     .name = arena_strdup(variables->arena, name),
				     .file = file_of(walk, &candidate->die),
				     .line = line_of(&candidate->die),
				     .module = variables->module };
	return out->array.name;
}

static void add_automatic(struct variables *variables, const struct declared_automatic *frame,
			  uint64_t offset, const struct type *type, const char *name)
{
	struct declared_automatic item = *frame;

	item.offset += (int64_t)offset;
	item.array.name = name;
	item.array.bytes = type->bytes;
	item.array.blocks = item.array.live_blocks = 1;
	set_type(&item.array, type);
	if (variables->nr_automatic == DECLARED_AUTOMATIC_MOST)
		return;
	if (!ARENA_GROW(variables->arena, variables->automatic, variables->nr_automatic,
			variables->room_automatic))
		variables->full = true;
	else
		variables->automatic[variables->nr_automatic++] = item;
}

/*
 * What the members of a structure in a frame point to, as the data of objects that are local in main,
 * and its arrays. Whether there are any of these.
 */
static bool add_framed_members(struct walk *walk, struct candidate *candidate, struct type *type,
			       struct declared_automatic *frame)
{
	struct members members = { .walk = walk,
				   .owner = { .array = frame->array,
					      .declared_bytes = type->bytes },
				   .separator = language_is_fortran(walk->language) ? "%" : ".",
				   .frame = frame,
				   .parts = candidate->partly ? NULL : walk->parts,
				   .apart = true };

	if (walk->variables->nr_members == MEMBERS_MOST || !type->has_record)
		return false;
	walk_members(&members, &type->record, frame->array.name, 0, 0);
	for (int i = 0; members.apart && i < members.nr_parts; i++)
		add_automatic(walk->variables, frame, walk->parts[i].offset, &walk->parts[i].type,
			      walk->parts[i].name);
	return members.apart && members.nr_parts;
}

static bool is_scalar(const struct type *type)
{
	return !type->nr_dimensions && !type->has_record && type->bytes >= 4 &&
	       type->bytes < DECLARED_AUTOMATIC_LEAST;
}

static bool is_wanted(const struct variables *variables, const struct type *type)
{
	return is_scalar(type) ? variables->nr_scalars < DECLARED_SCALARS_MOST
			       : type->bytes >= (type->nr_dimensions ? DECLARED_ELEMENTS_LEAST
								     : DECLARED_AUTOMATIC_LEAST);
}

static void add_framed(struct walk *walk, struct candidate *candidate)
{
	struct variables *variables = walk->variables;
	struct declared_automatic frame;
	struct type type;
	Dwarf_Die die;

	if (!type_of(&candidate->die, &die))
		return;
	type = type_describe(&walk->scopes, walk->language, &die);
	if (type.pointer || type.descriptor || (!type.has_record && !is_wanted(variables, &type)) ||
	    !read_framed(walk, candidate, &frame) ||
	    add_framed_members(walk, candidate, &type, &frame) || !is_wanted(variables, &type) ||
	    (candidate->partly && !read_stays(variables, &candidate->die, &frame)))
		return;
	variables->nr_scalars += is_scalar(&type);
	add_automatic(variables, &frame, 0, &type, frame.array.name);
}

static void add_variable(struct walk *walk, struct candidate *candidate)
{
	bool defined = candidate->placed || dwarf_hasattr(&candidate->die, DW_AT_location);
	enum variable_source source = defined ? VARIABLE_DEFINED : VARIABLE_DECLARED;
	uint32_t scope = scope_of(walk, candidate);
	struct declared declared = { .thread_private = false };
	struct type type = { .name = "" };
	Dwarf_Die type_die;

	if (!place_of(walk, candidate, source, &declared))
		return;
	declared.array.name = name_of(walk, candidate, &declared, scope);
	if (!declared.array.name)
		return;
	if (type_of(&candidate->die, &type_die))
		type = type_describe(&walk->scopes, walk->language, &type_die);
	describe(walk, &candidate->die, scope, &type, &declared);
	if (!declared.declared_bytes ||
	    !data_symbols_has_place(walk->variables->symbols, declared.address,
				    declared.declared_bytes, declared.thread_private))
		return;
	if (add(walk, &declared, source))
		add_members(walk, &declared, source, &type);
}

static const struct data_symbol *common_symbol(struct walk *walk, uint32_t scope)
{
	Dwarf_Die *block = &walk->scopes.items[scope].die;
	const char *name = string_of(block, DW_AT_linkage_name);

	if (!*name)
		name = dwarf_diename(block); /* "__BLNK__" */
	return name ? data_symbols_named(walk->variables->symbols, name) : NULL;
}

/*
 * Numbers lie at multiples of their size, complex ones of half of it, text anywhere; derived types
 * as real(8).
 */
static uint64_t alignment_of(const struct type *type)
{
	uint64_t bytes = strncmp(type->name, "complex", 7) ? type->element_bytes
							   : type->element_bytes / 2;

	if (!strncmp(type->name, "character", 9))
		return 1;
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 16 ? bytes : 8;
}

/*
 * Where a member ends that begins at `at` or a little later; 0: not known. `candidate` gets its
 * place.
 */
static uint64_t place_member(struct walk *walk, struct candidate *candidate, uint64_t block,
			     uint64_t at)
{
	uint64_t address, alignment;
	struct type type;
	Dwarf_Die die;
	bool tls;

	if (!type_of(&candidate->die, &die))
		return 0;
	type = type_describe(&walk->scopes, walk->language, &die);
	alignment = alignment_of(&type);
	at = (at + alignment - 1) / alignment * alignment;
	candidate->address = block + at;
	if (!type.bytes ||
	    (location_of(walk, &candidate->die, &address, &tls) && address != candidate->address))
		return 0;
	return at + type.bytes;
}

/*
 * gfortran leaves out locations where it inlined all uses. The members follow each other
 * (gfortran's manual, -falign-commons), which is believed if it gives the block's size and the
 * locations that are known.
 */
static void place_members(struct walk *walk, struct candidate *members, size_t nr)
{
	const struct data_symbol *symbol = common_symbol(walk, members->scope);
	uint64_t end = 0;

	for (size_t i = 0; symbol && i < nr; i++) {
		end = place_member(walk, &members[i], symbol->address, end);
		if (!end || end > symbol->bytes)
			return;
	}
	for (size_t i = 0; symbol && symbol->bytes - end < COMMON_PADDING && i < nr; i++)
		members[i].placed = true;
}

static void place_commons(struct walk *walk)
{
	for (size_t i = 0, end; i < walk->nr; i = end) {
		uint32_t scope = walk->candidates[i].scope;

		for (end = i + 1; end < walk->nr && walk->candidates[end].scope == scope; end++)
			;
		if (scopes_tag(&walk->scopes, scope) == DW_TAG_common_block)
			place_members(walk, &walk->candidates[i], end - i);
	}
}

/*
 * The compiler left the description in another file, which is not there or which libdw cannot read.
 */
static bool is_elsewhere(struct unit *unit)
{
	return unit->root.addr == unit->die.addr && (dwarf_hasattr(&unit->die, DW_AT_dwo_name) ||
						     dwarf_hasattr(&unit->die, DW_AT_GNU_dwo_name));
}

static void read_unit(struct walk *walk, struct unit *unit)
{
	walk->variables->elsewhere |= is_elsewhere(unit);
	walk->language = dwarf_srclang(&unit->root);
	walk->unit = unit;
	walk->nr = 0;
	scopes_start(&walk->scopes, &unit->root, language_is_fortran(walk->language));
	walk_children(walk, &unit->root, SCOPE_NONE, 0);
	place_commons(walk);
	for (size_t i = 0; i < walk->nr; i++)
		(walk->candidates[i].framed ? add_framed : add_variable)(walk,
									 &walk->candidates[i]);
}

void variables_read(struct variables *variables)
{
	struct walk walk = { .variables = variables,
			     .scopes = { .arena = variables->arena, .scratch = variables->scratch },
			     .parts = arena_alloc(variables->scratch,
						  PARTS_MAX * sizeof(*walk.parts)) };
	struct binary *binary = variables->binary;

	if (!units_open(binary, variables->arena))
		return;
	for (size_t i = 0; i < binary->units->nr_units; i++)
		read_unit(&walk, &binary->units->units[i]);
	variables->units = binary->units->nr_units;
}
