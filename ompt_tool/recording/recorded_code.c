/* SPDX-License-Identifier: Apache-2.0 */
/* Which functions are the program's, and their clones. */
#define _GNU_SOURCE
#include "ompt_tool/recording/recorded_code.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include "analysis/debuginfo/modules.h"
#include "analysis/elf/binary.h"
#include "analysis/options/followed.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/clone_calls.h"
#include "ompt_tool/clones/pointers.h"
#include "ompt_tool/code/bounds.h"

#define DEPTH 8   /* callees of callees … that are recorded, too */
#define MISSED 64 /* targets examined per execution */

/*
 * Cache of loaded files, until one is unloaded: cloning queries the file of each call's target, and
 * dladdr compares all symbols of the file that contains an address.
 */
#define FILES 16
struct file {
	uintptr_t module; /* of callee_module */
	const void *base; /* NULL: no file has that address */
	const char *name; /* the dynamic linker's, while it is loaded */
	bool is_system;
};
static struct {
	struct file items[FILES];
	size_t nr;
	unsigned long long unloaded;
} files;

static struct file look_up(uintptr_t address)
{
	Dl_info info;

	if (!dladdr((void *)address, &info) || !info.dli_fname)
		return (struct file){ 0 };
	return (struct file){ .base = info.dli_fbase,
			      .name = info.dli_fname,
			      .is_system = binary_is_system_library(info.dli_fname) ||
					   module_is_foreign(info.dli_fname) };
}

static struct file file_of(uintptr_t address)
{
	uintptr_t module = callee_look() ? callee_module(address) : 0;
	struct file *file;

	if (callee_unloaded() != files.unloaded)
		files.nr = 0;
	files.unloaded = callee_unloaded();
	if (!module)
		return look_up(address);
	for (size_t i = 0; i < files.nr && i < FILES; i++)
		if (files.items[i].module == module)
			return files.items[i];
	file = &files.items[files.nr++ % FILES];
	*file = look_up(address);
	file->module = module;
	return *file;
}

/* Whether the function is in the same file, or in another one of the program. */
static bool is_the_programs(void *own_code, uintptr_t function)
{
	struct file own = file_of((uintptr_t)own_code), file = file_of(function);

	return own.base && file.base && (file.base == own.base || !file.is_system);
}

/* Whether a function called by recorded code is recorded, too. */
static bool is_followed(void *own_code, uintptr_t function)
{
	struct file file = file_of(function);

	return is_the_programs(own_code, function) || (file.base && followed_has(file.name));
}

/* Bit n: clones with probes n exist, which call clones with the same probes. */
static uint32_t used;

const struct clone *recorded_code_clone(uintptr_t function, uint32_t probes, bool runtime_calls_it)
{
	const struct clone_options options = { .probes = probes,
					       .depth = DEPTH,
					       .runtime_calls_it = runtime_calls_it,
					       .follow = is_followed,
					       .ctx = (void *)function };

	used |= 1u << probes;
	return clone_make(function, &options);
}

bool recorded_code_is_executables(uintptr_t address)
{
	const ElfW(Phdr) *headers = (const ElfW(Phdr) *)getauxval(AT_PHDR);
	unsigned long nr = getauxval(AT_PHNUM);
	uintptr_t bias = 0;

	for (unsigned long i = 0; headers && i < nr; i++)
		if (headers[i].p_type == PT_PHDR)
			bias = (uintptr_t)headers - headers[i].p_vaddr;
	for (unsigned long i = 0; headers && i < nr; i++)
		if (headers[i].p_type == PT_LOAD &&
		    address - (bias + headers[i].p_vaddr) < headers[i].p_memsz)
			return true;
	return false;
}

bool recorded_code_is_programs(uintptr_t address)
{
	return is_the_programs((void *)getauxval(AT_ENTRY), address);
}

static bool may_follow(uintptr_t function)
{
	struct code_bounds bounds;

	if (code_bounds_find(function, &bounds) != CODE_BOUNDS_FOUND || bounds.start != function)
		return false;
	if (is_followed((void *)getauxval(AT_ENTRY), function))
		return true;
	clone_miss(function);
	return false;
}

static bool follow(uintptr_t target)
{
	uintptr_t function = clone_behind_linkage(target);
	bool followed = may_follow(function), new = false;

	for (uint32_t rest = followed ? used : 0; rest; rest &= rest - 1)
		pointers_learn(function, (uint32_t)__builtin_ctz(rest));
	for (uint32_t rest = used; rest; rest &= rest - 1) {
		uint32_t probes = (uint32_t)__builtin_ctz(rest);

		if (followed) {
			new |= !clone_with(function, probes) &&
			       recorded_code_clone(function, probes, false);
			new |= clone_through_linkage(target, probes);
		}
		if (!clone_with(target, probes))
			new |= clone_lets_call(target, probes);
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
