/* SPDX-License-Identifier: Apache-2.0 */
/* DWARF types as data structures: elements and bounds. */
#include "analysis/debuginfo/types.h"

#include <dwarf.h>
#include <stddef.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/debuginfo/language.h"
#include "analysis/debuginfo/scopes.h"
#include "analysis/elf/cxx.h"

#define STEPS_MAX 64 /* links from type to type; more are a circle */
#define POINTER_BYTES 8

bool type_of(Dwarf_Die *die, Dwarf_Die *type_out)
{
	Dwarf_Attribute attribute;

	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), type_out) !=
	       NULL;
}

/* Compilers write positive constants without a sign; libdw alone would take 0xc8 for -56. */
static bool constant_of(Dwarf_Die *die, unsigned int name, int64_t *value_out)
{
	Dwarf_Attribute attribute;
	Dwarf_Sword with_sign;
	Dwarf_Word without;

	if (!dwarf_attr_integrate(die, name, &attribute))
		return false;
	switch (dwarf_whatform(&attribute)) {
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
		*value_out = dwarf_formsdata(&attribute, &with_sign) ? 0 : with_sign;
		return true;
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_udata:
		if (dwarf_formudata(&attribute, &without))
			return false;
		*value_out = (int64_t)without;
		return true;
	}
	return false;
}

static uint64_t byte_size(Dwarf_Die *die)
{
	int64_t bytes;

	return constant_of(die, DW_AT_byte_size, &bytes) && bytes > 0 ? (uint64_t)bytes : 0;
}

static bool is_qualifier(int tag)
{
	return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	       tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

static bool is_reference(int tag)
{
	return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

static bool is_record(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

static bool is_vector(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	bool vector = false;

	return !dwarf_formflag(dwarf_attr(die, DW_AT_GNU_vector, &attribute), &vector) && vector;
}

/* Behind typedefs and qualifiers; `die` stays where the chain ends or goes round. */
static int peel(Dwarf_Die *die)
{
	for (int steps = 0; steps < STEPS_MAX; steps++) {
		int tag = dwarf_tag(die);
		Dwarf_Die next;

		if ((tag != DW_TAG_typedef && !is_qualifier(tag)) || !type_of(die, &next))
			return tag;
		*die = next;
	}
	return 0;
}

/* From a class's declaration to its description in a unit of its own (-fdebug-types-section). */
static void complete(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die type;

	if (dwarf_formref_die(dwarf_attr(die, DW_AT_signature, &attribute), &type))
		*die = type;
}

/*
 * "long unsigned int", as gcc has it, is "unsigned long" in most sources; Fortran kinds alike for
 * both compilers.
 */
static const char *base_name(struct arena *arena, Dwarf_Die *die, int language)
{
	static const char *const plain[][2] = {
		{ "long int", "long" },
		{ "long unsigned int", "unsigned long" },
		{ "short int", "short" },
		{ "short unsigned int", "unsigned short" },
		{ "long long int", "long long" },
		{ "long long unsigned int", "unsigned long long" },
	};
	const char *name = dwarf_diename(die), *kind;
	uint64_t bytes = byte_size(die);

	if (!name)
		return "";
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (!strcmp(name, plain[i][0]))
			return plain[i][1];
	if (!strcmp(name, "complex") && !language_is_fortran(language))
		return bytes == 16  ? "complex double"
		       : bytes == 8 ? "complex float"
				    : "complex long double";
	if (!language_is_fortran(language))
		return arena_strdup(arena, name);
	kind = strstr(name, "(kind=");
	if (kind)
		return arena_printf(arena, "%.*s(%s", (int)(kind - name), name, kind + 6);
	return arena_printf(arena, "%s(%d)", name,
			    (int)(!strcmp(name, "complex") ? bytes / 2 : bytes));
}

static const char *string_name(struct arena *arena, uint64_t bytes)
{
	return bytes ? arena_printf(arena, "character(%llu)", (unsigned long long)bytes)
		     : "character";
}

static const char *keyword_of(int tag, int language)
{
	if (language_is_cxx(language) || tag == DW_TAG_typedef)
		return "";
	switch (tag) {
	case DW_TAG_structure_type: return "struct ";
	case DW_TAG_union_type: return "union ";
	case DW_TAG_enumeration_type: return "enum ";
	}
	return "";
}

/* A type with a name of its own, as one writes it in that language. */
static const char *named(struct scopes *scopes, Dwarf_Die *die, int language)
{
	const char *name = dwarf_diename(die), *prefix = "";
	int tag = dwarf_tag(die);

	if (!name)
		return tag == DW_TAG_union_type         ? "union"
		       : tag == DW_TAG_enumeration_type ? "enum"
							: "struct";
	if (language_is_fortran(language))
		return arena_printf(scopes->arena, "type(%s)", name);
	if (language_is_cxx(language))
		prefix = scopes_prefix(scopes, scopes_find(scopes, die));
	name = arena_printf(scopes->arena, "%s%s%s", keyword_of(tag, language), prefix, name);
	return name && strchr(name, '<') ? cxx_tidy(scopes->arena, name) : name;
}

static const char *element_name(struct scopes *scopes, Dwarf_Die *die, int language, int depth)
{
	const char *name;
	Dwarf_Die to;
	int tag;

	for (int steps = 0; steps < STEPS_MAX && is_qualifier(dwarf_tag(die)); steps++) {
		if (!type_of(die, &to))
			return "void";
		*die = to;
	}
	tag = dwarf_tag(die);
	if (tag == DW_TAG_base_type)
		return base_name(scopes->arena, die, language);
	if (tag == DW_TAG_string_type)
		return string_name(scopes->arena, byte_size(die));
	if (tag == DW_TAG_subroutine_type)
		return "function";
	if (tag != DW_TAG_pointer_type && tag != DW_TAG_array_type && !is_reference(tag))
		return named(scopes, die, language);
	name = !type_of(die, &to)  ? "void"
	       : depth < STEPS_MAX ? element_name(scopes, &to, language, depth + 1)
				   : "";
	if (tag == DW_TAG_array_type)
		return is_vector(die) ? arena_printf(scopes->arena, "vector of %s", name) : name;
	return arena_printf(scopes->arena, "%s%s*", name,
			    name[0] && name[strlen(name) - 1] == '*' ? "" : " ");
}

static void add_dimension(struct type *type, int64_t lower, uint64_t extent)
{
	if (type->nr_dimensions == ARRAY_DIMENSIONS)
		return;
	type->lower[type->nr_dimensions] = lower;
	type->extent[type->nr_dimensions++] = extent;
}

static uint64_t extent_of(Dwarf_Die *range, int64_t lower)
{
	int64_t count, upper;

	if (constant_of(range, DW_AT_count, &count))
		return count > 0 ? (uint64_t)count : 0;
	if (!constant_of(range, DW_AT_upper_bound, &upper) || upper < lower)
		return 0;
	return (uint64_t)upper - (uint64_t)lower + 1;
}

static void add_dimensions(struct type *type, Dwarf_Die *array, int language)
{
	int64_t first = language_is_fortran(language) ? 1 : 0, lower;
	Dwarf_Die range;

	if (dwarf_child(array, &range))
		return;
	for (int i = 0; i < ARRAY_DIMENSIONS; i++) {
		lower = first;
		constant_of(&range, DW_AT_lower_bound, &lower);
		if (dwarf_tag(&range) == DW_TAG_subrange_type)
			add_dimension(type,
				      dwarf_hasattr(&range, DW_AT_lower_bound) ? lower : first,
				      extent_of(&range, lower));
		if (dwarf_siblingof(&range, &range))
			return;
	}
}

/* The data is where the variable's first word points to: descriptors of gfortran and flang. */
static bool is_descriptor(Dwarf_Die *array)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t nr;

	if (!dwarf_attr(array, DW_AT_data_location, &attribute) ||
	    dwarf_getlocation(&attribute, &ops, &nr))
		return false;
	return nr == 2 && ops[0].atom == DW_OP_push_object_address && ops[1].atom == DW_OP_deref;
}

static uint64_t size_of(Dwarf_Die *die)
{
	Dwarf_Die at = *die;
	int tag = peel(&at);
	Dwarf_Word bytes;

	if (tag == DW_TAG_pointer_type || is_reference(tag))
		return POINTER_BYTES;
	if (tag == DW_TAG_array_type)
		return is_vector(&at) && !dwarf_aggregate_size(&at, &bytes) ? bytes : 0;
	complete(&at);
	return byte_size(&at);
}

static void set_element(struct scopes *scopes, int language, Dwarf_Die *die, struct type *type)
{
	const char *name;

	type->element_bytes = size_of(die);
	if (!type->nr_dimensions && !type->pointer) {
		type->record = *die;
		type->has_record = is_record(peel(&type->record));
		complete(&type->record);
	}
	name = element_name(scopes, die, language, 0);
	type->name = name ? name : "";
}

/* C: as many elements as there are; Fortran: what the type says; a C++ reference: one. */
static void enter_pointer(struct type *type, int tag, int language)
{
	type->pointer = true;
	if (!is_reference(tag) && !language_is_fortran(language))
		add_dimension(type, 0, 0);
}

static bool is_data_pointer(Dwarf_Die *die)
{
	Dwarf_Die to;

	return !type_of(die, &to) || peel(&to) != DW_TAG_subroutine_type;
}

/* One step towards the element; false: `die` is the element, or nothing is left. */
static bool step(struct type *type, int language, Dwarf_Die *die, bool *end_out)
{
	Dwarf_Die peeled = *die;
	int tag = peel(&peeled);
	bool address = (tag == DW_TAG_pointer_type || is_reference(tag)) && !type->nr_dimensions &&
		       !type->pointer && is_data_pointer(&peeled);

	*end_out = false;
	if (tag == DW_TAG_array_type && !is_vector(&peeled)) {
		type->column_major |= language_is_fortran(language);
		type->descriptor |= !type->nr_dimensions && !type->pointer &&
				    is_descriptor(&peeled);
		add_dimensions(type, &peeled, language);
	} else if (address) {
		enter_pointer(type, tag, language);
	} else {
		return false;
	}
	*end_out = !type_of(&peeled, die);
	return !*end_out;
}

static uint64_t bytes_of(const struct type *type)
{
	uint64_t bytes = type->element_bytes;

	if (type->pointer)
		return POINTER_BYTES;
	if (type->descriptor)
		return 0;
	for (uint32_t i = 0; i < type->nr_dimensions; i++)
		if (__builtin_mul_overflow(bytes, type->extent[i], &bytes))
			return 0;
	return bytes;
}

struct type type_describe(struct scopes *scopes, int language, Dwarf_Die *start)
{
	struct type type = { .name = "" };
	Dwarf_Die die = *start;
	bool end = false;
	int steps = 0;

	while (steps < STEPS_MAX && step(&type, language, &die, &end))
		steps++;
	if (!end && steps < STEPS_MAX)
		set_element(scopes, language, &die, &type);
	type.bytes = bytes_of(&type);
	return type;
}
