/* SPDX-License-Identifier: Apache-2.0 */
/* What surrounds variables and types in the source. */
#include "analysis/debuginfo/scopes.h"

#include <dwarf.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/bisect.h"
#include "analysis/elf/function_names.h"

#define BLANK_COMMON "__BLNK__" /* gfortran and flang */

void scopes_start(struct scopes *scopes, const Dwarf_Die *unit, bool fortran)
{
	scopes->unit = unit->cu;
	scopes->fortran = fortran;
	scopes->nr = 0;
}

uint32_t scopes_enter(struct scopes *scopes, Dwarf_Die *die, uint32_t outer)
{
	if (scopes->nr >= SCOPE_NONE - 1 ||
	    !ARENA_GROW(scopes->scratch, scopes->items, scopes->nr, scopes->room))
		return SCOPE_NONE;
	scopes->items[scopes->nr] = (struct scope_range){
		.low = dwarf_dieoffset(die),
		.high = UINT64_MAX,
		.die = *die,
		.outer = outer,
	};
	return (uint32_t)scopes->nr++;
}

void scopes_end(struct scopes *scopes, uint32_t scope, Dwarf_Off end)
{
	if (scope != SCOPE_NONE)
		scopes->items[scope].high = end;
}

/* The last one of its parent has no end of its own. */
static bool holds(const struct scopes *scopes, uint32_t scope, Dwarf_Off offset)
{
	for (; scope != SCOPE_NONE; scope = scopes->items[scope].outer)
		if (offset >= scopes->items[scope].high)
			return false;
	return true;
}

uint32_t scopes_find(const struct scopes *scopes, Dwarf_Die *die)
{
	Dwarf_Off offset = dwarf_dieoffset(die);
	size_t low = BISECT(i, die->cu == scopes->unit ? scopes->nr : 0,
			    scopes->items[i].low < offset);
	uint32_t scope;

	scope = low ? (uint32_t)low - 1 : SCOPE_NONE;
	while (scope != SCOPE_NONE && !holds(scopes, scope, offset))
		scope = scopes->items[scope].outer;
	return scope;
}

int scopes_tag(const struct scopes *scopes, uint32_t scope)
{
	return scope == SCOPE_NONE ? 0 : dwarf_tag((Dwarf_Die *)&scopes->items[scope].die);
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = dwarf_formstring(
		dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));

	return name ? name : "";
}

static bool is_main_program(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word convention;
	bool main = false;

	if (!dwarf_formflag(dwarf_attr_integrate(die, DW_AT_main_subprogram, &attribute), &main) &&
	    main)
		return true;
	return !dwarf_formudata(dwarf_attr_integrate(die, DW_AT_calling_convention, &attribute),
				&convention) &&
	       convention == DW_CC_program;
}

/*
 * A C++ function's linkage name says all that surrounds it. Variables of a Fortran main program are
 * named without it.
 */
static const char *function_prefix(const struct scopes *scopes, Dwarf_Die *die, const char *before)
{
	const char *linkage = linkage_name(die), *plain = dwarf_diename(die), *name;
	bool cxx = !strncmp(linkage, "_Z", 2);

	if (!plain || (scopes->fortran && is_main_program(die)))
		return before;
	if (!strcmp(plain, "operator()"))
		plain = "lambda"; /* g++: without a linkage name */
	name = name_user(scopes->scratch, cxx ? linkage : plain, false);
	if (!name || !*name)
		return before;
	return arena_printf(scopes->scratch, "%s%s::", cxx ? "" : before, name);
}

/* Inline namespaces need not be written, those without a name cannot be. */
static const char *namespace_prefix(const struct scopes *scopes, Dwarf_Die *die, const char *before)
{
	const char *name = dwarf_diename(die);
	Dwarf_Attribute attribute;
	bool is_inline = false;

	dwarf_formflag(dwarf_attr(die, DW_AT_export_symbols, &attribute), &is_inline);
	return name && !is_inline ? arena_printf(scopes->scratch, "%s%s::", before, name) : before;
}

static const char *common_prefix(const struct scopes *scopes, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return !name || !strcmp(name, BLANK_COMMON) ? "//"
						    : arena_printf(scopes->scratch, "%s/", name);
}

static const char *make_prefix(struct scopes *scopes, struct scope_range *scope)
{
	const char *before = scopes_prefix(scopes, scope->outer);

	switch (dwarf_tag(&scope->die)) {
	case DW_TAG_subprogram: return function_prefix(scopes, &scope->die, before);
	case DW_TAG_common_block: return common_prefix(scopes, &scope->die);
	default: return namespace_prefix(scopes, &scope->die, before);
	}
}

const char *scopes_prefix(struct scopes *scopes, uint32_t scope)
{
	struct scope_range *item = scope == SCOPE_NONE ? NULL : &scopes->items[scope];

	if (!item)
		return "";
	if (!item->prefix)
		item->prefix = make_prefix(scopes, item);
	return item->prefix ? item->prefix : "";
}
