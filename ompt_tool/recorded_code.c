/* SPDX-License-Identifier: Apache-2.0 */
/* Which functions are the program's, and their clones. */
#define _GNU_SOURCE
#include "ompt_tool/recorded_code.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include "ompt_tool/clones/clone.h"
#include "ompt_tool/code/bounds.h"
#include "ompt_tool/followed.h"
#include "ompt_tool/regions/binary.h"
#include "ompt_tool/regions/source.h"

#define DEPTH 8                          /* callees of callees … that are recorded, too */
#define MISSED 64                        /* targets looked at in an execution */

/*
 * What is known of loaded files, until one comes or goes: clones are made by asking for each call's target, and the dynamic linker
 * looks at all symbols of a file that an address is in, to say which.
 */
#define FILES 16
struct file {
	uintptr_t low, high;             /* a loaded segment that was asked for */
	const void *base;                /* of the file; NULL: none has that address */
	const char *name;                /* the dynamic linker's, while it is loaded */
	bool is_system;
};
static struct {
	struct file items[FILES];
	size_t nr;
	struct modules_count count;
} files;

static int find_segment(struct dl_phdr_info *module, size_t size, void *ctx)
{
	struct file *file = ctx;
	uintptr_t address = file->low;

	(void)size;
	for (int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
		uintptr_t start = module->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || address - start >= segment->p_memsz)
			continue;
		file->low = start;
		file->high = start + segment->p_memsz;
		return 1;                /* ends the walk */
	}
	return 0;
}

static struct file look_up(uintptr_t address)
{
	struct file file = { .low = address, .high = address + 1 };
	Dl_info info;

	if (!dladdr((void *)address, &info) || !info.dli_fname)
		return file;
	file.base = info.dli_fbase;
	file.is_system = binary_is_system_library(info.dli_fname) || module_is_foreign(info.dli_fname);
	file.name = info.dli_fname;
	dl_iterate_phdr(find_segment, &file);
	return file;
}

static struct file file_of(uintptr_t address)
{
	struct modules_count count = modules_count();
	struct file *file;

	if (count.loaded != files.count.loaded || count.unloaded != files.count.unloaded)
		files.nr = 0;
	files.count = count;
	for (size_t i = 0; i < files.nr && i < FILES; i++)
		if (address - files.items[i].low < files.items[i].high - files.items[i].low)
			return files.items[i];
	file = &files.items[files.nr++ % FILES];
	*file = look_up(address);
	return *file;
}

/* In the same file, or another one of the program. */
static bool is_the_programs(void *own_code, uintptr_t function)
{
	struct file own = file_of((uintptr_t)own_code), file = file_of(function);

	return own.base && file.base && (file.base == own.base || !file.is_system);
}

/* What may be called from recorded code, and is recorded, too. */
static bool is_followed(void *own_code, uintptr_t function)
{
	struct file file = file_of(function);

	return is_the_programs(own_code, function) || (file.base && followed_has(file.name));
}

/* Bit n: there are clones with probes n, which call clones with the same. */
static uint32_t used;

const struct clone *recorded_code_clone(uintptr_t function, uint32_t probes, bool runtime_calls_it)
{
	const struct clone_options options = { .probes = probes, .depth = DEPTH, .runtime_calls_it = runtime_calls_it,
					       .follow = is_followed, .ctx = (void *)function };

	used |= 1u << probes;
	return clone_make(function, &options);
}

bool recorded_code_is_programs(uintptr_t address)
{
	return is_the_programs((void *)getauxval(AT_ENTRY), address);
}

static bool follow(uintptr_t target)
{
	uintptr_t function = clone_behind_linkage(target);
	struct code_bounds bounds;
	bool new = false;

	if (code_bounds_find(function, &bounds) != CODE_BOUNDS_FOUND || bounds.start != function)
		return false;
	if (!is_followed((void *)getauxval(AT_ENTRY), function)) {
		clone_miss(function);
		return false;
	}
	for (uint32_t rest = used; rest; rest &= rest - 1) {
		uint32_t probes = (uint32_t)__builtin_ctz(rest);

		new |= !clone_with(function, probes) && recorded_code_clone(function, probes, false);
		new |= clone_through_linkage(target, probes);
	}
	return new;
}

bool recorded_code_follow(void)
{
	uintptr_t targets[MISSED];
	size_t nr = clone_take_missed(targets, MISSED);
	bool new = false;

	for (size_t i = 0; i < nr; i++)
		new |= follow(targets[i]);
	return new;
}
