/* SPDX-License-Identifier: Apache-2.0 */
/* The unwinders of the process, and what they have been told. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>

#include "analysis/base/arena.h"
#include "ompt_tool/clones/section.h"
#include "ompt_tool/clones/unwind.h"

typedef void register_frame(const void *records);

struct unwinder {
	register_frame *tell;
	const void *module;              /* where it is loaded */
	bool one_by_one;                 /* LLVM's: takes a single FDE (libgcc's: a section) */
	size_t told;                     /* sections */
};

/* Never freed: the unwinders keep pointers into sections. */
static struct {
	struct arena *arena;
	struct unwinder *unwinders;
	size_t nr_unwinders, unwinders_room;
	struct section *sections;
	size_t nr_sections, sections_room;
} state;

/* -- finding them */

struct names { struct arena *arena; char **items; size_t nr, room; };

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

static const void *module_of(const void *function)
{
	Dl_info info;

	return function && dladdr(function, &info) ? info.dli_fbase : NULL;
}

static bool knows(const void *module)
{
	for (size_t i = 0; i < state.nr_unwinders; i++)
		if (state.unwinders[i].module == module)
			return true;
	return false;
}

/* What a module would call, found in it or in what it needs; of LLVM's unwinder it has another function, too. */
static bool add_unwinder(void *module)
{
	register_frame *tell = (register_frame *)dlsym(module, "__register_frame");
	const void *base = module_of((const void *)tell);

	if (!base || knows(base) || !ARENA_GROW(state.arena, state.unwinders, state.nr_unwinders, state.unwinders_room))
		return false;
	state.unwinders[state.nr_unwinders++] = (struct unwinder){
		.tell = tell, .module = base, .one_by_one = module_of(dlsym(module, "__unw_add_dynamic_fde")) == base,
	};
	return true;
}

/* A module that led to an unwinder stays open. */
static void open_module(const char *name, int flags)
{
	void *module = dlopen(name, RTLD_LAZY | flags);

	if (module && !add_unwinder(module))
		dlclose(module);
}

/* Not from within dl_iterate_phdr, whose lock dlopen takes in another order. */
static void find_unwinders(struct arena *arena)
{
	struct names names = { .arena = arena };

	dl_iterate_phdr(add_name, &names);
	for (size_t i = 0; i < names.nr; i++)
		open_module(*names.items[i] ? names.items[i] : NULL, RTLD_NOLOAD);
	/* A C program gets it at its first pthread_exit or backtrace; it is the same one then. */
	if (!state.nr_unwinders)
		open_module("libgcc_s.so.1", 0);
}

/*
 * Whether what C++ code of the executable throws with is among them; another library may stand in for libgcc_s. By a
 * function that only unwinders have: sanitizers define those that throw, and pass them on.
 */
static bool knows_the_programs(void)
{
	const void *module = module_of(dlsym(RTLD_DEFAULT, "_Unwind_GetRegionStart"));

	return state.nr_unwinders && (!module || knows(module));
}

/* -- telling them */

static bool lies_among_others(const struct section *section)
{
	for (size_t i = 0; i < state.nr_sections; i++)
		if (section->start < state.sections[i].end && state.sections[i].start < section->end)
			return true;
	return false;
}

static bool add_sections(const unsigned char *at)
{
	while (at) {
		struct section section;

		at = section_read(at, &section);
		if (section.start >= section.end)
			continue;
		if (lies_among_others(&section) || !ARENA_GROW(state.arena, state.sections, state.nr_sections, state.sections_room))
			return false;
		state.sections[state.nr_sections++] = section;
	}
	return true;
}

static void tell(struct unwinder *unwinder, const unsigned char *records)
{
	const unsigned char *fde = section_fde(records);

	if (!unwinder->one_by_one)
		unwinder->tell(records);
	else
		for (; fde; fde = section_fde(section_behind(fde)))
			unwinder->tell(fde);
}

static void tell_all(void)
{
	for (size_t i = 0; i < state.nr_unwinders; i++)
		for (struct unwinder *unwinder = &state.unwinders[i]; unwinder->told < state.nr_sections; unwinder->told++)
			tell(unwinder, state.sections[unwinder->told].records);
}

bool unwind_register(const unsigned char *section)
{
	struct arena *names = arena_new();
	size_t before = state.nr_sections;

	if (!state.arena)
		state.arena = arena_new();
	if (!state.arena || !names) {
		arena_free(names);
		return false;
	}
	find_unwinders(names);
	arena_free(names);
	if (!knows_the_programs())
		return false;
	if (!add_sections(section)) {
		state.nr_sections = before;
		return false;
	}
	tell_all();
	return true;
}
