/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Enters trampolines into the tables of the program's modules. Three steps, because the linker's
 * lock must not be held while a symbol is looked up, and must be held while a module's memory is
 * written, so that it stays loaded: gather the slots (locked), find their targets (not locked),
 * replace unchanged slots (locked).
 */
#define _GNU_SOURCE
#include "ompt_tool/clones/redirect.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "ompt_tool/clones/guard.h"
#include "ompt_tool/clones/outside.h"
#include "ompt_tool/clones/returns.h"
#include "ompt_tool/clones/runtime_entries.h"
#include "ompt_tool/clones/trampoline.h"
#include "ompt_tool/code/slots.h"
#include "ompt_tool/code/writing.h"

struct replacement {
	uintptr_t *place;
	uintptr_t before, ours;
	bool of_runtime;
	/* set by iterating modules: its module is loaded, and the slot holds `ours` */
	bool there;
};

/* Until the tables are restored. */
static struct arena *kept;
static struct replacement *replacements;
static size_t nr_replacements, room_replacements;

struct candidate {
	const struct runtime_entry *entry;
	const char *name;
	uintptr_t *place;
	uintptr_t value;
	/* lazy binding: the linker looks the function up at the first call */
	bool unbound;
};

struct gathering {
	const struct redirect_rules *rules;
	struct arena *arena;
	struct candidate *candidates;
	size_t nr, room;
	/* function addresses that are linkage entries of a module, each with its own slot */
	uintptr_t *linkages;
	size_t nr_linkages, room_linkages;
	const char **names; /* of the modules' files, in load order */
	size_t nr_names, room_names;
	const struct dl_phdr_info *module;
	bool device_code; /* of the module */
	unsigned int refused;
};

/* ------------------------------------------------------------- gather */

static void notice(void *ctx, const struct slot *slot)
{
	struct gathering *all = ctx;

	if (runtime_entry_registers_device_code(slot->name))
		all->device_code = true;
	if (slot->linkage && all->rules->entry(slot->name) &&
	    ARENA_GROW(all->arena, all->linkages, all->nr_linkages, all->room_linkages))
		all->linkages[all->nr_linkages++] = slot->linkage;
}

/* Another thread is loading the module and will relocate the slot. */
static bool is_unrelocated(const struct dl_phdr_info *module, uintptr_t value)
{
	return module->dlpi_addr && slots_module_has(module, module->dlpi_addr + value);
}

static void gather_slot(void *ctx, const struct slot *slot)
{
	struct gathering *all = ctx;
	const struct runtime_entry *entry = slot->defined ? NULL : all->rules->entry(slot->name);
	uintptr_t value = entry ? __atomic_load_n(slot->place, __ATOMIC_ACQUIRE) : 0;

	if (!value || is_unrelocated(all->module, value) || trampoline_is(value) ||
	    guard_is(value) || (entry->device && all->device_code))
		return;
	if (!ARENA_GROW(all->arena, all->candidates, all->nr, all->room)) {
		all->refused++;
		return;
	}
	all->candidates[all->nr++] = (struct candidate){
		.entry = entry,
		.name = slot->name,
		.place = slot->place,
		.value = value,
		.unbound = slot->kind == SLOT_CALL && slots_module_has(all->module, value),
	};
}

static void gather_name(struct gathering *all, const char *name)
{
	char *copy = name && strchr(name, '/') ? arena_strdup(all->arena, name) : NULL;

	if (copy && ARENA_GROW(all->arena, all->names, all->nr_names, all->room_names))
		all->names[all->nr_names++] = copy;
}

static int gather_module(struct dl_phdr_info *module, size_t bytes, void *ctx)
{
	struct gathering *all = ctx;

	(void)bytes;
	all->module = module;
	all->device_code = false;
	slots_of_module(module, notice, all);
	gather_name(all, module->dlpi_name);
	if (!all->rules->leave(module))
		slots_of_module(module, gather_slot, all);
	return 0;
}

/* ------------------------------------------------------------- find where they lead */

static bool is_linkage(const struct gathering *all, uintptr_t address)
{
	for (size_t i = 0; i < all->nr_linkages; i++)
		if (all->linkages[i] == address)
			return true;
	return false;
}

/* Looks a symbol up in the scope of one module. */
static uintptr_t find_behind(const char *module, const char *name)
{
	void *handle = dlopen(module, RTLD_LAZY | RTLD_NOLOAD), *found = NULL;

	if (handle) {
		found = dlsym(handle, name);
		dlclose(handle);
	}
	return (uintptr_t)found;
}

/*
 * The program's scope does not have it if only modules opened RTLD_LOCAL depend on the runtime, and
 * leads to a linkage entry if the program is at fixed addresses and takes the function's: from
 * there, back to the slot.
 */
static uintptr_t find(const struct gathering *all, const char *name)
{
	uintptr_t found = (uintptr_t)dlsym(RTLD_DEFAULT, name);

	for (size_t i = 0; i < all->nr_names && (!found || is_linkage(all, found)); i++)
		found = find_behind(all->names[i], name);
	return is_linkage(all, found) ? 0 : found;
}

/* ------------------------------------------------------------- replace */

struct replacing {
	struct gathering *all;
	uintptr_t *ours; /* [candidates]; 0: stays */
	uintptr_t *places;
	int *protections;
};

static bool replace(const struct candidate *candidate, uintptr_t ours, int protection)
{
	if (!ARENA_GROW(kept, replacements, nr_replacements, room_replacements) ||
	    !writing_known_word(candidate->place, ours, protection))
		return false;
	replacements[nr_replacements++] = (struct replacement){
		.place = candidate->place,
		.before = candidate->value,
		.ours = ours,
		.of_runtime = !candidate->entry->leaves,
		.there = true,
	};
	return true;
}

static int replace_in_module(struct dl_phdr_info *module, size_t bytes, void *ctx)
{
	struct replacing *replacing = ctx;
	struct gathering *all = replacing->all;

	(void)bytes;
	for (size_t i = 0; i < all->nr; i++) {
		struct candidate *candidate = &all->candidates[i];

		if (replacing->ours[i] && slots_module_has(module, (uintptr_t)candidate->place) &&
		    *candidate->place == candidate->value &&
		    !replace(candidate, replacing->ours[i], replacing->protections[i]))
			all->refused++;
	}
	return 0;
}

/* The new value of the candidate's slot; 0: unchanged. */
static uintptr_t ours_for(const struct candidate *candidate, uintptr_t target)
{
	if (!target)
		return 0;
	return candidate->entry->leaves ? guard_for(candidate->entry, target, 0)
					: trampoline_for(candidate->entry, target);
}

static void replace_all(struct gathering *all)
{
	struct replacing replacing = {
		.all = all,
		.ours = arena_alloc(all->arena, (all->nr + 1) * sizeof(*replacing.ours)),
		.places = arena_alloc(all->arena, (all->nr + 1) * sizeof(*replacing.places)),
		.protections = arena_alloc(all->arena,
					   (all->nr + 1) * sizeof(*replacing.protections)),
	};

	if (!replacing.ours || !replacing.places || !replacing.protections) {
		all->refused += (unsigned int)all->nr;
		return;
	}
	for (size_t i = 0; i < all->nr; i++) {
		const struct candidate *candidate = &all->candidates[i];
		uintptr_t target = candidate->unbound ? find(all, candidate->name)
						      : candidate->value;

		if (is_linkage(all, target))
			continue;
		replacing.ours[i] = ours_for(candidate, target);
		all->refused += !replacing.ours[i];
		replacing.places[i] = (uintptr_t)candidate->place;
	}
	writing_protections(replacing.places, all->nr, replacing.protections);
	dl_iterate_phdr(replace_in_module, &replacing);
}

/* ------------------------------------------------------------- what is replaced, and back */

static bool is_there(const struct dl_phdr_info *module, const struct replacement *row)
{
	return slots_module_has(module, (uintptr_t)row->place) && *row->place == row->ours;
}

static int look_in_module(struct dl_phdr_info *module, size_t bytes, void *ctx)
{
	(void)bytes;
	(void)ctx;
	for (size_t i = 0; i < nr_replacements; i++)
		replacements[i].there |= is_there(module, &replacements[i]);
	return 0;
}

static int hand_back_in_module(struct dl_phdr_info *module, size_t bytes, void *ctx)
{
	(void)bytes;
	(void)ctx;
	for (size_t i = 0; i < nr_replacements; i++)
		if (is_there(module, &replacements[i]))
			replacements[i].there = !writing_word(replacements[i].place,
							      replacements[i].before);
	return 0;
}

/*
 * Drops replacements that the iteration did not confirm: unloaded, rebound by the linker, restored.
 */
static void walk(int (*step)(struct dl_phdr_info *module, size_t bytes, void *ctx))
{
	size_t nr = 0;

	for (size_t i = 0; i < nr_replacements; i++)
		replacements[i].there = false;
	dl_iterate_phdr(step, NULL);
	for (size_t i = 0; i < nr_replacements; i++)
		if (replacements[i].there)
			replacements[nr++] = replacements[i];
	nr_replacements = nr;
}

/*
 * ------------------------------------------------------------- the program's modules, the
 * runtime's entries
 */

static bool is_runtime(const struct dl_phdr_info *module)
{
	return module->dlpi_name && runtime_entry_is_in(base_name(module->dlpi_name));
}

/* libc and the linker do not call OpenMP and so have no such slots. */
static bool not_the_programs(const struct dl_phdr_info *module)
{
	return is_runtime(module) || slots_module_has(module, (uintptr_t)switching_redirect);
}

static const char *why_nothing(unsigned int refused)
{
	if (!trampoline_code.nr)
		return "functions handed to the OpenMP runtime can be exchanged on x86-64 only";
	if (refused)
		return "the tables through which the program calls the OpenMP runtime cannot be written";
	return "no module calls the OpenMP runtime through a table of addresses: it is linked statically, or nothing is parallel";
}

static unsigned int count_of_runtime(void)
{
	unsigned int nr = 0;

	for (size_t i = 0; i < nr_replacements; i++)
		nr += replacements[i].of_runtime;
	return nr;
}

bool redirect(const struct redirect_rules *rules, switching_translate *translate,
	      struct switching_status *out)
{
	struct gathering all = { .rules = rules, .arena = arena_new() };
	int saved = errno;

	*out = (struct switching_status){ .shadow_stack = return_shadow_stack() };
	kept = kept ? kept : arena_new();
	if (!all.arena || !kept) {
		out->why = "no memory";
	} else {
		trampoline_translate(translate);
		walk(look_in_module);
		dl_iterate_phdr(gather_module, &all);
		replace_all(&all);
		out->slots = count_of_runtime();
		out->refused = all.refused;
		out->why = out->slots ? NULL : why_nothing(all.refused);
	}
	arena_free(all.arena);
	errno = saved;
	return !out->why;
}

static const struct runtime_entry *entry_of(const char *name)
{
	const struct runtime_entry *entry = runtime_entry(name);

	return entry ? entry : outside_everywhere(name);
}

bool switching_redirect(switching_translate *translate, struct switching_status *out)
{
	static const struct redirect_rules rules = { entry_of, not_the_programs };

	return redirect(&rules, translate, out);
}

/* A slot that cannot be restored keeps its trampoline, which then passes arguments unchanged. */
void switching_restore(void)
{
	walk(hand_back_in_module);
	trampoline_translate(NULL);
}
