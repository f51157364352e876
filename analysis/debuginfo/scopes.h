/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DEBUGINFO_SCOPES_H
#define MEMSEARCH_DEBUGINFO_SCOPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What surrounds the variables and types of one compilation unit: namespaces, classes, modules,
 * functions, COMMON blocks. Filled while the unit's tree is walked from its begin to its end; then
 * a DIE's scope is found by its offset.
 */
struct arena;

#define SCOPE_NONE UINT32_MAX

struct scope_range {
	Dwarf_Off low, high; /* offsets of what is inside */
	Dwarf_Die die;
	uint32_t outer;
	const char *prefix; /* "phys::state::"; NULL: not asked yet */
};

struct scopes {
	struct arena *arena; /* for names of types, which stay */
	struct arena *scratch;
	const Dwarf_CU *unit;
	bool fortran;
	struct scope_range *items;
	size_t nr, room;
};

/* Resets the scopes for a new unit. `unit`: its DIE. The arenas are set by the owner. */
void scopes_start(struct scopes *scopes, const Dwarf_Die *unit, bool fortran);
/* SCOPE_NONE: no memory. `end`: to be called with the offset of the next DIE behind it. */
uint32_t scopes_enter(struct scopes *scopes, Dwarf_Die *die, uint32_t outer);
void scopes_end(struct scopes *scopes, uint32_t scope, Dwarf_Off end);

/* The innermost one around a DIE; SCOPE_NONE: the unit itself, or the DIE is of another unit. */
uint32_t scopes_find(const struct scopes *scopes, Dwarf_Die *die);
/* What the source puts before a name in there, with its "::" or "/"; "" nothing. In `scratch`. */
const char *scopes_prefix(struct scopes *scopes, uint32_t scope);
/* DW_TAG_… of the scope; 0: SCOPE_NONE. */
int scopes_tag(const struct scopes *scopes, uint32_t scope);

#endif
