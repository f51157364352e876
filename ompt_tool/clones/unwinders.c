/* SPDX-License-Identifier: Apache-2.0 */
/* The unwinders of the process, and their registered sections. */
#define _GNU_SOURCE
#include "ompt_tool/clones/unwinders.h"

#include <dlfcn.h>
#include <link.h>

#include "analysis/base/arena.h"
#include "ompt_tool/clones/section.h"
#include "ompt_tool/clones/unwind.h"

/* Never freed: the unwinders keep pointers into sections. */
static struct {
	struct arena *arena;
	struct unwinder *unwinders;
	size_t nr_unwinders, unwinders_room;
	struct section *sections;
	size_t nr_sections, sections_room;
	unsigned long long loaded, unloaded; /* modules at the last search for unwinders */
	bool has_program_unwinder;           /* … and its result */
} state;

/* -- finding them */

struct names {
	struct arena *arena;
	char **items;
	size_t nr, room;
};

static int add_name(struct dl_phdr_info *module, size_t size, void *ctx)
{
	struct names *names = ctx;
	char *name;

	(void)size;
	name = arena_strdup(names->arena, module->dlpi_name ? module->dlpi_name : "");
	if (!name || !ARENA_GROW(names->arena, names->items, names->nr, names->room))
		return 1;
	names->items[names->nr++] = name;
	return 0;
}

static bool knows(const void *module)
{
	for (size_t i = 0; i < state.nr_unwinders; i++)
		if (state.unwinders[i].module == module)
			return true;
	return false;
}

/* The function that a module would call, from it or its dependencies. */
static bool add_unwinder(void *module)
{
	struct unwinder unwinder;

	if (!unwinder_find(module, &unwinder) || knows(unwinder.module) ||
	    !ARENA_GROW(state.arena, state.unwinders, state.nr_unwinders, state.unwinders_room))
		return false;
	unwinder_try(&unwinder, state.arena);
	state.unwinders[state.nr_unwinders++] = unwinder;
	return true;
}

/* A module with an unwinder stays open. */
static void open_module(const char *name, int flags)
{
	void *module = dlopen(name, RTLD_LAZY | flags);

	if (module && !add_unwinder(module))
		dlclose(module);
}

/* Not within dl_iterate_phdr: dlopen takes its lock in another order. */
static void find_unwinders(struct arena *arena)
{
	struct names names = { .arena = arena };

	dl_iterate_phdr(add_name, &names);
	for (size_t i = 0; i < names.nr; i++)
		open_module(*names.items[i] ? names.items[i] : NULL, RTLD_NOLOAD);
	/* A C program loads the same library at its first pthread_exit or backtrace. */
	if (!state.nr_unwinders)
		open_module("libgcc_s.so.1", 0);
}

/*
 * Whether the unwinder of the executable's C++ code is among them; it may be another library than
 * libgcc_s. Identified by a function that only unwinders define: sanitizers wrap those that throw.
 */
static bool has_program_unwinder(void)
{
	Dl_info info;
	void *function = dlsym(RTLD_DEFAULT, "_Unwind_GetRegionStart");

	return state.nr_unwinders &&
	       (!function || (dladdr(function, &info) && knows(info.dli_fbase)));
}

/* -- telling them */

/* Also for joined sections: a section in a gap would hide the functions after it. */
static bool lies_among_others(const struct section *section)
{
	if (section_meets(section, state.sections, state.nr_sections))
		return true;
	for (size_t i = 0; i < state.nr_unwinders; i++)
		if (section_meets(section, state.unwinders[i].sections, state.unwinders[i].nr))
			return true;
	return false;
}

static bool add_sections(const unsigned char *at)
{
	while (at) {
		struct section section;

		at = section_read(at, &section);
		if (!section.nr)
			continue;
		if (lies_among_others(&section) ||
		    !ARENA_GROW(state.arena, state.sections, state.nr_sections,
				state.sections_room))
			return false;
		state.sections[state.nr_sections++] = section;
	}
	return true;
}

static bool register_all(void)
{
	bool good = true;

	for (size_t i = 0; i < state.nr_unwinders; i++)
		for (struct unwinder *unwinder = &state.unwinders[i];
		     unwinder->registered < state.nr_sections; unwinder->registered++)
			good &= unwinder_register(unwinder, state.arena,
						  &state.sections[unwinder->registered]);
	return good;
}

/* Modules, counted before the search for unwinders, which may load some. */
static int is_changed(struct dl_phdr_info *module, size_t size, void *ctx)
{
	(void)size;
	*(bool *)ctx = state.loaded != module->dlpi_adds || state.unloaded != module->dlpi_subs;
	state.loaded = module->dlpi_adds;
	state.unloaded = module->dlpi_subs;
	return 1;
}

static bool look_around(void)
{
	struct arena *names;
	bool changed = true;

	dl_iterate_phdr(is_changed, &changed);
	if (!changed)
		return state.has_program_unwinder;
	names = arena_new();
	if (!state.arena)
		state.arena = arena_new();
	if (state.arena && names)
		find_unwinders(names);
	arena_free(names);
	return state.has_program_unwinder = has_program_unwinder();
}

bool unwind_register(const unsigned char *section)
{
	size_t before = state.nr_sections;

	if (!look_around())
		return false;
	if (!add_sections(section)) {
		state.nr_sections = before;
		return false;
	}
	return register_all();
}
