/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resolves calls: the linkage table's code gives the slot, the module's relocations give the slot's
 * name.
 */
#define _GNU_SOURCE
#include "ompt_tool/clones/callee.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/base/bisect.h"
#include "analysis/base/hash.h"
#include "analysis/base/sort.h"
#include "analysis/code/code.h"
#include "ompt_tool/clones/linkage.h"
#include "ompt_tool/clones/runtime_entries.h"
#include "ompt_tool/code/slots.h"
#include "ompt_tool/code/symbols.h"

/* name "": the module's own, chosen when it was loaded */
struct import {
	uintptr_t slot;
	const char *name;
	const char *version; /* NULL: none, or the slot was bound when this was read */
};

struct segment {
	uintptr_t start, end;
};

struct module {
	uintptr_t start, end;
	uint64_t identity;
	bool runtimes;          /* of an OpenMP runtime, or memsearch's own */
	bool surveyed;          /* callee_is_surveyed */
	bool read;              /* … the imports below */
	struct import *imports; /* by slot */
	size_t nr_imports, room;
	bool statements_read;
	/* begins of functions for statements of input and output, ascending */
	uintptr_t *statements;
	size_t nr_statements, statements_room;
};

static struct {
	struct arena *arena;
	unsigned long long loaded, unloaded; /* modules, when this was read */
	struct module *modules;
	size_t nr, room;
	/* the segments of all modules that may be executed: OpenBLAS has two */
	struct segment *code;
	size_t nr_code, code_room;
} known;

static const struct {
	const char *name;
	enum callee_range range;
} ranges[] = {
	{ "memcpy", CALLEE_COPIES },
	{ "memmove", CALLEE_COPIES },
	{ "memset", CALLEE_SETS },
	{ "__memcpy_chk", CALLEE_COPIES },
	{ "__memmove_chk", CALLEE_COPIES },
	{ "__memset_chk", CALLEE_SETS },
	{ "_intel_fast_memcpy", CALLEE_COPIES },
	{ "_intel_fast_memset", CALLEE_SETS },
};
enum { RANGES = sizeof(ranges) / sizeof(ranges[0]) };
static uintptr_t range_addresses[RANGES]; /* as the dynamic linker finds them */

/*
 * Functions that flang (flang/Runtime/io-api.h) and gfortran (libgfortran/io) call for input and
 * output statements and their items.
 */
static const char *const statements[] = { "_FortranAio", "_gfortran_st_", "_gfortran_transfer_" };
enum { STATEMENTS = sizeof(statements) / sizeof(statements[0]) };

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
	*(bool *)ctx = !known.arena || known.loaded != info->dlpi_adds ||
		       known.unloaded != info->dlpi_subs;
	known.loaded = info->dlpi_adds;
	known.unloaded = info->dlpi_subs;
	return 1;
}

/*
 * Hash of name, address, and the file's begin: headers with the sizes of all parts, and usually the
 * build-id.
 */
static uint64_t identity_of(const struct module *module, const char *name)
{
	size_t bytes = module->end - module->start;

	return hash_bytes(hash_bytes(HASH_START ^ module->start, name, strlen(name)),
			  (const void *)module->start, bytes < 1024 ? bytes : 1024);
}

static bool is_runtimes(const char *path)
{
	const char *name = base_name(path);

	return runtime_entry_is_in(name) || !strcmp(name, "libmemsearch.so") ||
	       !strcmp(name, "memsearch-core.so");
}

static bool is_surveyed(const char *path)
{
	static const char *const names[] = { "libc.so.6", "libm.so.6", "libgcc_s.so.1",
					     "libstdc++.so.6", "libgfortran.so.5" };
	const char *name = base_name(path);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static int add_module(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct module *module;

	(void)size, (void)ctx;
	if (!ARENA_GROW(known.arena, known.modules, known.nr, known.room))
		return 1;
	module = &known.modules[known.nr++];
	*module = (struct module){ .start = UINTPTR_MAX };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD)
			continue;
		if (segment->p_flags & PF_X &&
		    ARENA_GROW(known.arena, known.code, known.nr_code, known.code_room))
			known.code[known.nr_code++] = (struct segment){ at, at + segment->p_memsz };
		module->start = at < module->start ? at : module->start;
		module->end = at + segment->p_memsz > module->end ? at + segment->p_memsz
								  : module->end;
	}
	module->identity = identity_of(module, info->dlpi_name);
	module->runtimes = is_runtimes(info->dlpi_name);
	/* the kernel's functions, e.g. gettimeofday (vdso(7)), use nothing of their callers' */
	module->surveyed = is_surveyed(info->dlpi_name) ||
			   module->start == getauxval(AT_SYSINFO_EHDR);
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
	known.code = NULL;
	known.nr_code = known.code_room = 0;
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

bool callee_is_runtimes(uintptr_t function)
{
	const struct module *module = find_module(function);

	return module && module->runtimes;
}

bool callee_is_surveyed(uintptr_t function)
{
	const struct module *module = find_module(function);

	return module && module->surveyed;
}

unsigned long long callee_loaded(void)
{
	return known.loaded;
}
unsigned long long callee_unloaded(void)
{
	return known.unloaded;
}

static int compare_imports(const void *a, const void *b)
{
	const struct import *x = a, *y = b;

	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* Before its first use the slot leads back into the table. */
static bool is_unbound(uintptr_t slot)
{
	return linkage_is_lazy(*(const uintptr_t *)slot);
}

static void add_import(void *ctx, const struct slot *slot)
{
	struct module *module = ctx;

	if (slot->kind == SLOT_POINTER)
		return; /* a variable, which may be changed */
	if (ARENA_GROW(known.arena, module->imports, module->nr_imports, module->room))
		module->imports[module->nr_imports++] = (struct import){
			.slot = (uintptr_t)slot->place,
			.name = slot->name,
			.version = slot->kind == SLOT_CALL && is_unbound((uintptr_t)slot->place)
					   ? slots_version(slot)
					   : NULL,
		};
}

static int read_imports(struct dl_phdr_info *info, size_t bytes, void *ctx)
{
	struct module *module = ctx;

	(void)bytes;
	if (!slots_module_has(info, module->start))
		return 0;
	slots_of_module(info, add_import, module);
	sort(module->imports, module->nr_imports, sizeof(module->imports[0]), compare_imports);
	return 1;
}

static const struct import *find_import(struct module *module, uintptr_t slot)
{
	size_t low;

	if (!module->read)
		dl_iterate_phdr(read_imports, module);
	module->read = true;
	low = BISECT(i, module->nr_imports, module->imports[i].slot < slot);
	return low < module->nr_imports && module->imports[low].slot == slot ? &module->imports[low]
									     : NULL;
}

static enum callee_range range_of_function(uintptr_t function)
{
	for (size_t i = 0; i < RANGES; i++)
		if (function == range_addresses[i])
			return ranges[i].range;
	return CALLEE_OTHER;
}

struct callee callee_through(uintptr_t slot)
{
	struct module *module = find_module(slot);
	const struct import *import = module ? find_import(module, slot) : NULL;
	struct callee out = { 0 };

	if (!import)
		return out;
	if (!is_unbound(slot))
		out.function = *(const uintptr_t *)slot;
	out.name = *import->name ? import->name : NULL;
	out.version = import->version;
	out.range = out.name ? range_of(out.name) : range_of_function(out.function);
	return out;
}

/* Targets decoded from data may be arbitrary: only code is followed. */
static bool may_be_linkage(uintptr_t target)
{
	for (size_t i = 0; i < known.nr_code; i++)
		if (target >= known.code[i].start && target < known.code[i].end)
			return known.code[i].end - target >= LINKAGE_BYTES;
	return false;
}

struct callee callee_of(uintptr_t target)
{
	uintptr_t slot = may_be_linkage(target) ? linkage_slot(target) : 0;
	struct callee out = { 0 };

	if (slot)
		out = callee_through(slot);
	if (!out.name && !out.function)
		out = (struct callee){ .function = target, .range = range_of_function(target) };
	else
		out.slot = slot;
	return out;
}

uintptr_t callee_resolved(const struct callee *callee)
{
	if (callee->function || !callee->name)
		return callee->function;
	return callee->version ? (uintptr_t)dlvsym(RTLD_DEFAULT, callee->name, callee->version)
			       : (uintptr_t)dlsym(RTLD_DEFAULT, callee->name);
}

static bool has_versions(uintptr_t function)
{
	struct link_map *map = NULL;
	Dl_info info;

	if (!dladdr1((void *)function, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
		return true;
	for (const ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_VERDEF)
			return true;
	return false;
}

const char *callee_name(const struct code_instruction *in)
{
	struct callee callee = { 0 };

	if (in->kind == CODE_CALL || in->kind == CODE_JUMP)
		callee = callee_of(in->target);
	else if (in->rip_offset)
		callee = callee_through(in->target);
	return callee.name ? callee.name : "";
}

uintptr_t callee_bound_first(const struct callee *callee)
{
	uintptr_t function = callee->function ? 0 : callee_resolved(callee);

	return function && (callee->version || !has_versions(function)) ? function : 0;
}

static void add_statement(void *ctx, uintptr_t begin)
{
	struct module *module = ctx;

	if (ARENA_GROW(known.arena, module->statements, module->nr_statements,
		       module->statements_room))
		module->statements[module->nr_statements++] = begin;
}

static int read_statements(struct dl_phdr_info *info, size_t bytes, void *ctx)
{
	struct module *module = ctx;

	(void)bytes;
	if (!slots_module_has(info, module->start))
		return 0;
	for (size_t i = 0; i < STATEMENTS; i++)
		symbols_named(info, statements[i], add_statement, module);
	sort(module->statements, module->nr_statements, sizeof(module->statements[0]),
	     sort_by_address);
	return 1;
}

bool callee_is_statement(uintptr_t function)
{
	struct module *module = find_module(function);
	size_t low;

	if (!module)
		return false;
	if (!module->statements_read)
		dl_iterate_phdr(read_statements, module);
	module->statements_read = true;
	low = BISECT(i, module->nr_statements, module->statements[i] < function);
	return low < module->nr_statements && module->statements[low] == function;
}
