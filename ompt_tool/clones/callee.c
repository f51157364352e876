/* SPDX-License-Identifier: Apache-2.0 */
/* The linkage table's code leads to a slot, the module's relocations give the slot's name. */
#define _GNU_SOURCE
#include "ompt_tool/clones/callee.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/hash.h"
#include "analysis/base/sort.h"
#include "ompt_tool/clones/linkage.h"

struct slot { uintptr_t address; const char *name; };

struct module {
	uintptr_t base, start, end;
	uintptr_t code, code_end;        /* the segment that is run; of several the last */
	uint64_t identity;
	const ElfW(Dyn) *dynamic;
	bool read;                       /* … the slots below */
	struct slot *slots;              /* by address */
	size_t nr_slots;
};

static struct {
	struct arena *arena;
	unsigned long long loaded, unloaded;     /* modules, when this was read */
	struct module *modules;
	size_t nr, room;
} known;

static const struct { const char *name; enum callee_range range; } ranges[] = {
	{ "memcpy", CALLEE_COPIES }, { "memmove", CALLEE_COPIES }, { "memset", CALLEE_SETS },
	{ "__memcpy_chk", CALLEE_COPIES }, { "__memmove_chk", CALLEE_COPIES }, { "__memset_chk", CALLEE_SETS },
	{ "_intel_fast_memcpy", CALLEE_COPIES }, { "_intel_fast_memset", CALLEE_SETS },
};
enum { RANGES = sizeof(ranges) / sizeof(ranges[0]) };
static uintptr_t range_addresses[RANGES];        /* as the dynamic linker finds them */

static enum callee_range range_of(const char *name)
{
	for (size_t i = 0; name && i < RANGES; i++)
		if (!strcmp(name, ranges[i].name))
			return ranges[i].range;
	return CALLEE_OTHER;
}

static int is_changed(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	*(bool *)ctx = !known.arena || known.loaded != info->dlpi_adds || known.unloaded != info->dlpi_subs;
	known.loaded = info->dlpi_adds;
	known.unloaded = info->dlpi_subs;
	return 1;
}

/* Name, place, and what a file begins with: its headers, which have the sizes of all parts, and mostly its build-id. */
static uint64_t identity_of(const struct module *module, const char *name)
{
	size_t bytes = module->end - module->start;

	return hash_bytes(hash_bytes(HASH_START ^ module->start, name, strlen(name)), (const void *)module->start, bytes < 1024 ? bytes : 1024);
}

static int add_module(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct module *module;

	(void)size, (void)ctx;
	if (!ARENA_GROW(known.arena, known.modules, known.nr, known.room))
		return 1;
	module = &known.modules[known.nr++];
	*module = (struct module){ .base = info->dlpi_addr, .start = UINTPTR_MAX };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_DYNAMIC)
			module->dynamic = (const void *)at;
		if (segment->p_type != PT_LOAD)
			continue;
		if (segment->p_flags & PF_X) {
			module->code = at;
			module->code_end = at + segment->p_memsz;
		}
		module->start = at < module->start ? at : module->start;
		module->end = at + segment->p_memsz > module->end ? at + segment->p_memsz : module->end;
	}
	module->identity = identity_of(module, info->dlpi_name);
	return 0;
}

bool callee_look(void)
{
	bool changed = true;

	dl_iterate_phdr(is_changed, &changed);
	if (!changed)
		return true;
	arena_free(known.arena);
	known.modules = NULL;
	known.nr = known.room = 0;
	known.arena = arena_new();
	for (size_t i = 0; i < RANGES; i++)
		range_addresses[i] = (uintptr_t)dlsym(RTLD_DEFAULT, ranges[i].name);
	return known.arena && !dl_iterate_phdr(add_module, NULL);
}

static struct module *find_module(uintptr_t address)
{
	for (size_t i = 0; i < known.nr; i++)
		if (address >= known.modules[i].start && address < known.modules[i].end)
			return &known.modules[i];
	return NULL;
}

uintptr_t callee_module(uintptr_t address)
{
	const struct module *module = find_module(address);

	return module ? module->start : 0;
}

uint64_t callee_identity(uintptr_t address)
{
	const struct module *module = find_module(address);

	return module ? module->identity : 0;
}

unsigned long long callee_unloaded(void) { return known.unloaded; }

/* What of a module's dynamic section is needed (gABI, chapter 5). */
struct dynamic { const ElfW(Sym) *symbols; const char *names; const ElfW(Rela) *rows[2]; size_t bytes[2]; };

static struct dynamic dynamic_read(const struct module *module)
{
	struct dynamic out = { 0 };

	for (const ElfW(Dyn) *row = module->dynamic; row && row->d_tag != DT_NULL; row++)
		switch (row->d_tag) {
		case DT_SYMTAB: out.symbols = (const void *)row->d_un.d_ptr; break;
		case DT_STRTAB: out.names = (const char *)row->d_un.d_ptr; break;
		case DT_JMPREL: out.rows[0] = (const void *)row->d_un.d_ptr; break;
		case DT_PLTRELSZ: out.bytes[0] = row->d_un.d_val; break;
		case DT_RELA: out.rows[1] = (const void *)row->d_un.d_ptr; break;
		case DT_RELASZ: out.bytes[1] = row->d_un.d_val; break;
		}
	/* The vDSO's are offsets, as nobody relocates it. It imports nothing. */
	if ((uintptr_t)out.names < module->start || (uintptr_t)out.names >= module->end)
		out.names = NULL;
	return out;
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void read_slots(struct module *module)
{
	struct dynamic dynamic = dynamic_read(module);
	size_t room = 0;

	module->read = true;
	for (int table = 0; dynamic.symbols && dynamic.names && table < 2; table++)
		for (size_t i = 0; dynamic.rows[table] && i < dynamic.bytes[table] / sizeof(ElfW(Rela)); i++) {
			const ElfW(Rela) *row = &dynamic.rows[table][i];

			if (!ELF64_R_SYM(row->r_info) || !ARENA_GROW(known.arena, module->slots, module->nr_slots, room))
				continue;
			module->slots[module->nr_slots++] = (struct slot){
				module->base + row->r_offset, dynamic.names + dynamic.symbols[ELF64_R_SYM(row->r_info)].st_name };
		}
	sort(module->slots, module->nr_slots, sizeof(module->slots[0]), compare_slots);
}

static const char *slot_name(struct module *module, uintptr_t slot)
{
	size_t low = 0, high;

	if (!module->read)
		read_slots(module);
	high = module->nr_slots;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (module->slots[middle].address < slot)
			low = middle + 1;
		else
			high = middle;
	}
	return low < module->nr_slots && module->slots[low].address == slot ? module->slots[low].name : NULL;
}

struct callee callee_through(uintptr_t slot)
{
	struct module *module = find_module(slot);
	struct callee out = { 0 };

	if (!module)
		return out;
	out.name = slot_name(module, slot);
	out.range = range_of(out.name);
	/* Before its first use the slot leads back into the table. */
	if (out.name && !linkage_is_lazy(*(const uintptr_t *)slot))
		out.function = *(const uintptr_t *)slot;
	return out;
}

static enum callee_range range_of_function(uintptr_t function)
{
	for (size_t i = 0; i < RANGES; i++)
		if (function == range_addresses[i])
			return ranges[i].range;
	return CALLEE_OTHER;
}

/* What is decoded from data may lead anywhere: only code is looked at. */
static bool may_be_linkage(uintptr_t target)
{
	const struct module *module = find_module(target);

	return module && target >= module->code && target < module->code_end && module->code_end - target >= LINKAGE_BYTES;
}

struct callee callee_of(uintptr_t target)
{
	uintptr_t slot = may_be_linkage(target) ? linkage_slot(target) : 0;
	struct callee out = { 0 };

	if (slot)
		out = callee_through(slot);
	if (!out.name)
		out = (struct callee){ .function = target, .range = range_of_function(target) };
	return out;
}
