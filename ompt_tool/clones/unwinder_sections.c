/* SPDX-License-Identifier: Apache-2.0 */
/* Registration of sections with one unwinder, and joining of sections. */
#define _GNU_SOURCE
#include "ompt_tool/clones/unwinders.h"

#include <dlfcn.h>

#include "analysis/base/arena.h"
#include "ompt_tool/clones/cfi_copy.h"
#include "ompt_tool/clones/section.h"

/* bytes; libgcc's struct object has had 48 since GCC 3.0, as crtbegin.o holds it */
#define OBJECT 128

static const void *module_of(const void *function)
{
	Dl_info info;

	return function && dladdr(function, &info) ? info.dli_fbase : NULL;
}

static void *function_of(void *module, const void *base, const char *name)
{
	void *function = dlsym(module, name);

	return module_of(function) == base ? function : NULL;
}

bool unwinder_find(void *module, struct unwinder *out)
{
	void *add_one = dlsym(module, "__register_frame");
	const void *base = module_of(add_one);

	*out = (struct unwinder){ .module = base };
	if (!base)
		return false;
	if (function_of(module, base, "__unw_add_dynamic_fde")) {
		out->add_one = (unwinder_add_one *)add_one;
		return true;
	}
	out->add = (unwinder_add *)function_of(module, base, "__register_frame_info");
	out->remove = (unwinder_remove *)function_of(module, base, "__deregister_frame_info");
	out->search = (unwinder_search *)function_of(module, base, "_Unwind_Find_FDE");
	return out->add && out->remove && out->search;
}

typedef void register_root(const void *memory, size_t bytes);

/*
 * Libgcc allocates tables that only the object references: registers it as a root with
 * LeakSanitizer.
 */
static void *new_object(struct arena *arena)
{
	void *object = arena_alloc(arena, OBJECT);
	register_root *look_here = (register_root *)dlsym(RTLD_DEFAULT,
							  "__lsan_register_root_region");

	if (object && look_here)
		look_here(object, OBJECT);
	return object;
}

static bool add(struct unwinder *unwinder, struct arena *arena, const struct section *section)
{
	void *object = new_object(arena);

	if (!object || !ARENA_GROW(arena, unwinder->sections, unwinder->nr, unwinder->room))
		return false;
	unwinder->add(section->records, object);
	unwinder->sections[unwinder->nr++] = *section;
	return true;
}

static void add_functions(struct unwinder *unwinder, const struct section *section)
{
	for (const unsigned char *fde = section_fde(section->records); fde;
	     fde = section_fde(section_behind(fde)))
		unwinder->add_one(fde);
}

static bool is_within(const struct section *small, const struct section *large)
{
	return small->start >= large->start && small->end <= large->end;
}

/*
 * Whether another section has code between the two: short ones may lie in the gap that
 * section_is_next_to allows.
 */
static bool is_between(const struct unwinder *unwinder, const struct section *a,
		       const struct section *b)
{
	const struct section *low = a->start < b->start ? a : b, *high = low == a ? b : a;
	struct section gap = { .start = low->end, .end = high->start };

	return section_meets(&gap, unwinder->sections, unwinder->nr);
}

/* An adjacent section that is not longer than this one; NULL: none. */
static const struct section *neighbour(const struct unwinder *unwinder,
				       const struct section *section)
{
	for (size_t i = 0; i < unwinder->nr; i++) {
		const struct section *other = &unwinder->sections[i];

		if (other->nr <= section->nr && section_is_next_to(other, section) &&
		    !is_between(unwinder, other, section))
			return other;
	}
	return NULL;
}

/* The section with the lowest addresses within a joined one; `nr`: none. */
static size_t lowest_within(const struct unwinder *unwinder, size_t nr,
			    const struct section *joined)
{
	size_t lowest = nr;

	for (size_t i = 0; i < nr; i++)
		if (is_within(&unwinder->sections[i], joined) &&
		    (lowest == nr ||
		     unwinder->sections[i].start < unwinder->sections[lowest].start))
			lowest = i;
	return lowest;
}

/* Deregisters the sections whose functions are in the last section, which was just registered. */
static void remove_replaced(struct unwinder *unwinder)
{
	struct section joined = unwinder->sections[unwinder->nr - 1];
	size_t lowest;

	while ((lowest = lowest_within(unwinder, unwinder->nr - 1, &joined)) < unwinder->nr - 1) {
		unwinder->remove(unwinder->sections[lowest].records);
		unwinder->nr--;
		for (size_t i = lowest; i < unwinder->nr; i++)
			unwinder->sections[i] = unwinder->sections[i + 1];
	}
}

bool unwinder_register(struct unwinder *unwinder, struct arena *arena,
		       const struct section *section)
{
	struct section joined = *section;
	const struct section *other;

	if (unwinder->add_one) {
		add_functions(unwinder, section);
		return true;
	}
	while (unwinder->joins && (other = neighbour(unwinder, &joined)))
		if (!section_join(arena, &joined, other, &joined))
			return false;
	if (!add(unwinder, arena, &joined))
		return false;
	if (unwinder->joins)
		remove_replaced(unwinder);
	return true;
}

/* -- whether they may be joined */

static struct section made_up(struct arena *arena, const char *function, size_t bytes)
{
	static const struct cfi plain = { .data_alignment = -8 };
	struct packing out = { .room = 256 };
	struct section section = { .nr = 0 };

	out.bytes = arena_alloc(arena, out.room);
	if (!out.bytes)
		return section;
	cfi_write_cie(&plain, 0, &out);
	pack_fixed(&out, 28, 4); /* an FDE: CIE, start, size, no augmentation, nop */
	pack_fixed(&out, out.nr, 4);
	pack_fixed(&out, (uintptr_t)function, 8);
	pack_fixed(&out, bytes, 8);
	pack_fixed(&out, 0, 8);
	section_end(&out, false);
	section_read(out.bytes, &section);
	return section;
}

void unwinder_try(struct unwinder *unwinder, struct arena *arena)
{
	static char nowhere[32]; /* no code, so nothing returns there */
	struct section one = made_up(arena, nowhere, 16), both = made_up(arena, nowhere, 32);
	void *bases[3];

	if (unwinder->add_one || !one.nr || !both.nr || !add(unwinder, arena, &one) ||
	    !add(unwinder, arena, &both))
		return;
	unwinder->remove(one.records);
	unwinder->joins = unwinder->search(nowhere, bases) && unwinder->search(nowhere + 20, bases);
	unwinder->nr = 0;
}
