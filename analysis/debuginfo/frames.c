/* SPDX-License-Identifier: Apache-2.0 */
/* What DWARF says about one function or inlined function: name, declaration, call. */
#include "analysis/debuginfo/compilation_units.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/elf/binary.h"
#include "analysis/elf/cxx.h"
#include "analysis/elf/function_names.h"

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = dwarf_formstring(
		dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));

	if (!name)
		name = dwarf_formstring(
			dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
	return name ? name : "";
}

static const char *plain_name(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return name ? name : "";
}

static bool is_fortran(const struct unit *unit)
{
	return unit->producer == PRODUCER_GFORTRAN || unit->producer == PRODUCER_FLANG;
}

/*
 * Is it the function that the linker knows as symbol[0 … length)? gfortran's main program is
 * "MAIN__".
 */
static bool is_symbol(Dwarf_Die *die, const char *symbol, size_t length)
{
	const char *linkage = linkage_name(die);

	if (*linkage)
		return !strncmp(linkage, symbol, length) && !linkage[length];
	return !strncmp(symbol, "MAIN__", length) &&
	       dwarf_hasattr_integrate(die, DW_AT_main_subprogram);
}

/* "calc1_._omp_fn.0" → calc1, the name of the unit's function whose symbol is "calc1_"; "" none. */
static const char *owner_name(struct unit *unit, const char *symbol)
{
	for (size_t i = 0; i < unit->nr_frames; i++)
		if (is_symbol(&unit->frames[i].die, symbol, strcspn(symbol, ".")))
			return plain_name(&unit->frames[i].die);
	return "";
}

static int by_function(const void *a, const void *b)
{
	const struct scoped *left = a, *right = b;

	return (left->function > right->function) - (left->function < right->function);
}

/* DIEs were visited by offset. A definition outside of its scope names the declaration inside. */
static const struct scoped *scope_of(const struct unit *unit, const Dwarf_Die *function)
{
	static const unsigned int references[] = { DW_AT_abstract_origin, DW_AT_specification };
	Dwarf_Die die = *function;

	for (size_t i = 0; i <= 2; i++) {
		const struct scoped key = { .function = dwarf_dieoffset(&die) };
		const struct scoped *found = unit->nr_scoped
						     ? bsearch(&key, unit->scoped, unit->nr_scoped,
							       sizeof(key), by_function)
						     : NULL;
		Dwarf_Attribute attribute;

		if (found)
			return found;
		for (size_t j = 0; j < 2; j++)
			if (dwarf_attr(&die, references[j], &attribute) &&
			    dwarf_formref_die(&attribute, &die))
				break;
	}
	return NULL;
}

/* gcc gives the class of a lambda no name. */
static const char *scope_name(Dwarf_Die *die)
{
	if (*plain_name(die))
		return plain_name(die);
	return dwarf_tag(die) == DW_TAG_namespace ? "(anonymous namespace)" : "<lambda()>";
}

/* Fortran's own name for a contained procedure does not tell its host. */
static const char *scoped_name(struct binary *binary, struct unit *unit, Dwarf_Die *function)
{
	const struct scoped *scoped = scope_of(unit, function);
	char *name = arena_strdup(binary->units->names, plain_name(function));
	uint32_t scope = scoped ? scoped->scope : FRAME_NONE;

	while (name && scope != FRAME_NONE) {
		Dwarf_Die *die = &unit->scopes[scope].die;
		const char *part = scope_name(die);

		scope = unit->scopes[scope].outer;
		if (*part && !(is_fortran(unit) && dwarf_tag(die) == DW_TAG_subprogram))
			name = arena_printf(binary->units->names, "%s::%s", part, name);
	}
	if (name && !is_fortran(unit))
		name = cxx_tidy(binary->units->names, name);
	return name ? name : "";
}

static const char *user_name(struct binary *binary, struct unit *unit, Dwarf_Die *die,
			     const char *symbol)
{
	const char *plain = plain_name(die);
	bool outlined = !name_has_scope(symbol) && is_fortran(unit) && strchr(symbol, '.');

	if (outlined)
		plain = owner_name(unit, symbol);
	if (name_has_scope(symbol) || !*plain || strchr(plain, '.') || !strncmp(plain, "_Q", 2) ||
	    name_is_of_target(plain))
		plain = name_user(binary->units->names, symbol, is_fortran(unit));
	else if (outlined || *linkage_name(die))
		plain = arena_strdup(binary->units->names, plain);
	else
		plain = scoped_name(binary, unit, die);
	return plain ? plain : "";
}

static int line_attribute(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value = 0;

	if (dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), &value) ||
	    value > INT32_MAX)
		return 0;
	return (int)value;
}

static const char *call_path(struct unit *unit, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word index;
	size_t nr_files;
	const char *path;

	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &index) ||
	    dwarf_getsrcfiles(&unit->die, &files, &nr_files) || index >= nr_files)
		return "";
	path = dwarf_filesrc(files, index, NULL, NULL);
	return path ? path : "";
}

const struct frame *unit_frame(struct binary *binary, struct unit *unit, uint32_t index)
{
	struct frame *frame = &unit->frames[index];
	Dwarf_Die *die = &frame->die;

	if (frame->described)
		return frame;
	frame->described = true;
	frame->symbol = linkage_name(die);
	if (!*frame->symbol)
		frame->symbol = plain_name(die);
	frame->outlined = name_is_outlined(frame->symbol);
	frame->name = user_name(binary, unit, die, frame->symbol);
	frame->decl_line = line_attribute(die, DW_AT_decl_line);
	frame->call_line = line_attribute(die, DW_AT_call_line);
	frame->call_path = frame->outer == FRAME_NONE ? "" : call_path(unit, die);
	return frame;
}

const char *unit_function_at_line(struct binary *binary, struct unit *unit, int line)
{
	const struct frame *best = NULL;

	for (size_t i = 0; i < unit->nr_frames; i++) {
		const struct frame *frame = unit_frame(binary, unit, (uint32_t)i);

		if (frame->outlined || !*frame->name || !frame->decl_line ||
		    frame->decl_line > line)
			continue;
		if (!best || frame->decl_line > best->decl_line)
			best = frame;
	}
	return best ? best->name : "";
}

/*
 * clang outlines a construct into a function declared at its pragma, and (with -g) an inner one,
 * "_debug__", declared at its body.
 */
int unit_outlined_line(struct binary *binary, struct unit *unit, const char *name, int line)
{
	int best = 0;

	for (size_t i = 0; i < unit->nr_frames; i++) {
		const struct frame *frame = unit_frame(binary, unit, (uint32_t)i);
		const char *last = strstr(frame->symbol, ".omp_outlined");

		for (const char *next = last; next; next = strstr(next + 1, ".omp_outlined"))
			last = next;
		if (!last || strstr(last, "_debug__") || strstr(last, "reduction") ||
		    strcmp(frame->name, name))
			continue;
		if (frame->decl_line <= line && frame->decl_line > best)
			best = frame->decl_line;
	}
	return best;
}

const char *unit_file_name(struct binary *binary, struct unit *unit, const char *path)
{
	struct file_name entry = { path, NULL };

	for (size_t i = 0; i < unit->nr_files; i++)
		if (unit->files[i].path == path)
			return unit->files[i].name;
	entry.name = arena_strdup(binary->units->names, base_name(path));
	if (!entry.name ||
	    !ARENA_GROW(binary->arena, unit->files, unit->nr_files, unit->files_room))
		return "";
	unit->files[unit->nr_files++] = entry;
	return entry.name;
}
