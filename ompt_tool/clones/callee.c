/* SPDX-License-Identifier: Apache-2.0 */
/* The linkage table's code leads to a slot, the module's relocations give the slot's name. */
#define _GNU_SOURCE
#include "ompt_tool/clones/callee.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#include "ompt_tool/clones/linkage.h"

static enum callee_range range_of(const char *name)
{
	static const struct { const char *name; enum callee_range range; } rows[] = {
		{ "memcpy", CALLEE_COPIES }, { "memmove", CALLEE_COPIES }, { "memset", CALLEE_SETS },
		{ "__memcpy_chk", CALLEE_COPIES }, { "__memmove_chk", CALLEE_COPIES }, { "__memset_chk", CALLEE_SETS },
		{ "_intel_fast_memcpy", CALLEE_COPIES }, { "_intel_fast_memset", CALLEE_SETS },
	};

	for (size_t i = 0; name && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(name, rows[i].name))
			return rows[i].range;
	return CALLEE_OTHER;
}

/* What of a module's dynamic section is needed (gABI, chapter 5). */
struct dynamic { const ElfW(Sym) *symbols; const char *names; const ElfW(Rela) *rows[2]; size_t bytes[2]; };

static struct dynamic dynamic_read(const struct link_map *map)
{
	struct dynamic out = { 0 };

	for (const ElfW(Dyn) *row = map->l_ld; row && row->d_tag != DT_NULL; row++)
		switch (row->d_tag) {
		case DT_SYMTAB: out.symbols = (const void *)row->d_un.d_ptr; break;
		case DT_STRTAB: out.names = (const char *)row->d_un.d_ptr; break;
		case DT_JMPREL: out.rows[0] = (const void *)row->d_un.d_ptr; break;
		case DT_PLTRELSZ: out.bytes[0] = row->d_un.d_val; break;
		case DT_RELA: out.rows[1] = (const void *)row->d_un.d_ptr; break;
		case DT_RELASZ: out.bytes[1] = row->d_un.d_val; break;
		}
	return out;
}

static const char *slot_name(const struct link_map *map, uintptr_t slot)
{
	struct dynamic dynamic = dynamic_read(map);

	for (int table = 0; dynamic.symbols && dynamic.names && table < 2; table++)
		for (size_t i = 0; dynamic.rows[table] && i < dynamic.bytes[table] / sizeof(ElfW(Rela)); i++) {
			const ElfW(Rela) *row = &dynamic.rows[table][i];

			if (map->l_addr + row->r_offset == slot && ELF64_R_SYM(row->r_info))
				return dynamic.names + dynamic.symbols[ELF64_R_SYM(row->r_info)].st_name;
		}
	return NULL;
}

struct callee callee_through(uintptr_t slot)
{
	struct callee out = { 0 };
	struct link_map *map = NULL;
	Dl_info info;

	if (!dladdr1((void *)slot, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
		return out;
	out.name = slot_name(map, slot);
	out.range = range_of(out.name);
	/* Before its first use the slot leads back into the table. */
	if (out.name && !linkage_is_lazy(*(const uintptr_t *)slot))
		out.function = *(const uintptr_t *)slot;
	return out;
}

static enum callee_range range_of_function(uintptr_t function)
{
	Dl_info info;

	if (!dladdr((void *)function, &info) || (uintptr_t)info.dli_saddr != function)
		return CALLEE_OTHER;
	return range_of(info.dli_sname);
}

struct callee callee_of(uintptr_t target)
{
	uintptr_t slot = linkage_slot(target);
	struct callee out = { 0 };

	if (slot)
		out = callee_through(slot);
	if (!out.name)
		out = (struct callee){ .function = target, .range = range_of_function(target) };
	return out;
}
