/* SPDX-License-Identifier: Apache-2.0 */
/* Makes clones in batches: a function and what it calls, entered breadth first, published when all of them are whole. */
#define _GNU_SOURCE
#include "ompt_tool/clones/clone.h"

#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "ompt_tool/clones/buffer.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/clones/changing.h"
#include "ompt_tool/clones/entries.h"
#include "ompt_tool/clones/guard.h"
#include "ompt_tool/clones/made.h"
#include "ompt_tool/clones/outside.h"
#include "ompt_tool/code/decode.h"
#include "ompt_tool/code/slots.h"

#define SCRATCH_KEPT ((size_t)1 << 20)   /* enough for a function of some 20 KB, and what is kept of a batch; larger ones map more */

static struct arena *of_batch, *of_function;     /* cleared, not freed */
static struct entries *_Atomic newest;           /* function → its newest struct made */
static struct entries *_Atomic after_calls;      /* point after a call → the same in the newest clone */

struct made *made_newest(uintptr_t function) { return (struct made *)entries_get(&newest, function); }

struct made *made_find(uintptr_t function, uint32_t probes, uint32_t left, bool runtime_calls_it)
{
	struct made *made = made_newest(function);

	while (made && (made->clone.probes != probes || made->left < left || (made->runtime_calls_it && !runtime_calls_it)))
		made = made->older;
	return made;
}

static struct made *_Atomic published;   /* the last one */

/* An entry of a linkage table that is called through pointers, or a function that has no clone; both modules by callee_identity. */
struct through { uintptr_t entry, function; uint64_t module, of_function; uint32_t probes; struct through *older; };
static struct through *throughs;         /* the last one */

static bool add_through(uintptr_t entry, uintptr_t function, uintptr_t to, uint32_t probes)
{
	struct through *new = notes_arena() ? arena_alloc(notes_arena(), sizeof(*new)) : NULL;

	if (!new || !entries_set(&entries_by_probes[probes], entry, to))
		return false;
	*new = (struct through){ entry, function, callee_identity(entry), callee_identity(function), probes, throughs };
	throughs = new;
	return true;
}

static void forget_unloaded_entries(void)
{
	for (const struct through *at = throughs; at; at = at->older)
		if (callee_identity(at->entry) != at->module || callee_identity(at->function) != at->of_function)
			entries_set(&entries_by_probes[at->probes], at->entry, 0);
}

void clone_pause(void)
{
	__atomic_store_n(&entries_paused, 1, __ATOMIC_RELEASE);
}

/* True: there was a pause. */
static bool go_on(void)
{
	return __atomic_exchange_n(&entries_paused, 0, __ATOMIC_ACQ_REL);
}

bool clone_is_paused(void) { return __atomic_load_n(&entries_paused, __ATOMIC_ACQUIRE); }

/* Its code stays, and threads that are in it; no other thread enters it. */
static void forget(const struct made *made)
{
	for (const struct made *each = made_newest(made->clone.start); each; each = each->older)
		entries_set(&entries_by_probes[each->clone.probes], made->clone.start, 0);
	entries_set(&newest, made->clone.start, 0);
	for (size_t i = 0; i < made->copy.nr_after_calls; i++)
		entries_set(&after_calls, made->copy.after_calls[i].original, 0);
}

/* Clones call each other directly: when one is not to be called any more, none is. */
static void forget_all(void)
{
	for (const struct made *made = published; made; made = made->published)
		if (made_newest(made->clone.start) == made)
			forget(made);
}

/*
 * The code of an unloaded module is gone, and another may lie there now. Its clones' code and
 * rows are kept, unused.
 */
static void forget_unloaded(void)
{
	static unsigned long long unloaded;
	bool gone = false;

	if (unloaded == callee_unloaded())
		return;
	unloaded = callee_unloaded();
	forget_unloaded_entries();
	for (const struct made *made = published; made && !gone; made = made->published) {
		const struct made *now = made_newest(made->clone.start);

		gone = now && now->module == made->module && callee_identity(made->clone.start) != made->module;
	}
	if (gone)
		forget_all();
}

/* Unloaded functions are removed by other code: their module is another, or none. */
static bool has_changed(const struct made *made)
{
	if (made_newest(made->clone.start) != made || !made->module || callee_identity(made->clone.start) != made->module)
		return false;
	return changing_may(made->clone.start, made->clone.end) || memcmp((const void *)made->clone.start, made->code, made->clone.end - made->clone.start);
}

/* Under the dynamic linker's lock, so that the modules stay. One that went away since callee_look may be any. Once is enough. */
static int look_for_changes(struct dl_phdr_info *module, size_t bytes, void *ctx)
{
	bool changed = module->dlpi_subs != callee_unloaded();

	(void)bytes;
	for (const struct made *made = published; made && !changed; made = made->published)
		changed = has_changed(made);
	*(bool *)ctx = changed;
	return 1;
}

static bool any_changed(void)
{
	bool changed = false;

	dl_iterate_phdr(look_for_changes, &changed);
	return changed;
}

static void forget_changed(void)
{
	forget_unloaded();
	if (any_changed())
		forget_all();
}

bool clone_is_current(void)
{
	if (!published || (callee_look() && !any_changed()))
		return true;
	clone_pause();
	return false;
}

/* No pause ends without a look at what may have changed in it (outside.c: mprotect). */
static void end_pause(void)
{
	if (!go_on())
		return;
	changing_look();
	forget_changed();
}

/* Since it was asked last: with them code that may be written. */
static bool modules_came(void)
{
	static unsigned long long loaded;
	unsigned long long before = loaded;

	loaded = callee_loaded();
	return loaded != before;
}

void clone_check(void)
{
	bool came;

	if (!published || !callee_look())
		return;
	came = modules_came();
	if (go_on() || came)
		changing_look();
	forget_changed();
}

static void drop(struct made *made, const char *why)
{
	made->dropped = why;
	notes_refuse(made->clone.start, made->clone.start, why);
}

/* Those of the batch that are to be registered, as unwind.h wants them; `rows` leads back. Nothing unwinds through the others. */
static size_t list_functions(const struct batch *batch, struct unwind_function *functions, struct made **rows)
{
	size_t nr = 0;

	for (struct made *made = batch->first; made; made = made->next) {
		if (made->dropped || !made->bounds.fde)
			continue;
		functions[nr] = (struct unwind_function){ &made->bounds, made->copy.code, made->copy.code_end, made->copy.places,
							  made->copy.nr_places };
		rows[nr++] = made;
	}
	return nr;
}

static bool write_section(const struct unwind_function *functions, size_t nr, size_t *bad_out, const char **why_out)
{
	unsigned char *place;
	size_t bytes;

	*bad_out = nr;
	if (!unwind_write(functions, nr, NULL, 0, &bytes, bad_out, why_out))
		return false;
	place = arena_alloc(notes_arena(), bytes);
	*why_out = "no memory";
	if (!place || !unwind_write(functions, nr, place, bytes, &bytes, bad_out, why_out))
		return false;
	*why_out = "the program's unwinder takes no call-frame information of clones";
	return unwind_register(place);
}

/* Leaves out what is not understood, until the rest is; without blame, all. */
static void register_batch(struct batch *batch, size_t nr)
{
	struct unwind_function *functions = arena_alloc(batch->arena, nr * sizeof(*functions));
	struct made **rows = arena_alloc(batch->arena, nr * sizeof(struct made *));
	const char *why = "no memory";
	size_t bad;

	while (functions && rows) {
		nr = list_functions(batch, functions, rows);
		if (!nr || write_section(functions, nr, &bad, &why))
			return;
		if (bad >= nr)
			break;
		drop(rows[bad], why);
	}
	for (struct made *made = batch->first; made; made = made->next)
		if (!made->dropped)
			drop(made, why);
}

static void publish_after_calls(const struct made *made)
{
	for (size_t i = 0; i < made->copy.nr_after_calls; i++)
		if (made->copy.after_calls[i].original < made->clone.end)
			entries_set(&after_calls, made->copy.after_calls[i].original, made->copy.after_calls[i].copy);
}

static bool publish(struct made *made)
{
	made->older = made_newest(made->clone.start);
	if (!atlas_add(made) || !entries_set(&newest, made->clone.start, (uintptr_t)made))
		return false;
	publish_after_calls(made);
	made->published = published;
	published = made;
	return entries_set(&entries_by_probes[made->clone.probes], made->clone.start, made->copy.code);
}

static void copy_all(struct batch *batch, size_t *nr_out)
{
	while (batch->wanted) {
		const struct wanted *wanted = batch->wanted;
		struct made *made = prepare(batch, wanted);

		arena_reset(batch->reading, SCRATCH_KEPT);
		batch->wanted = wanted->next;
		if (!made)
			continue;
		if (batch->first)
			batch->last->next = made;
		else
			batch->first = made;
		batch->last = made;
		++*nr_out;
		if (!link_want(batch, made))
			drop(made, "no memory");
	}
}

/* What the batch's arena holds of a copy. */
static void forget_reading(struct copy *copy)
{
	copy->leaders = NULL;
	copy->exits = NULL;
	copy->nr_leaders = copy->nr_exits = 0;
}

/* What cannot be linked is dropped, and what leads to it is linked again. */
static void link_all(struct batch *batch)
{
	bool again;

	do {
		again = false;
		for (struct made *made = batch->first; made; made = made->next) {
			if (made->dropped || link_exits(batch, made))
				continue;
			drop(made, "it calls functions that must not see clones, and there is no room to lead it there");
			again = true;
		}
	} while (again);
}

static void make(struct batch *batch)
{
	size_t nr = 0;

	copy_all(batch, &nr);
	register_batch(batch, nr);
	link_all(batch);
	for (struct made *made = batch->first; made; made = made->next) {
		forget_reading(&made->copy);
		if (!made->dropped && !publish(made))
			drop(made, "no memory");
	}
}

static bool have_arenas(struct batch *batch)
{
	of_batch = of_batch ? of_batch : arena_new();
	of_function = of_function ? of_function : arena_new();
	batch->arena = of_batch;
	batch->reading = of_function;
	return batch->arena && batch->reading;
}

const struct clone *clone_make(uintptr_t function, const struct clone_options *options)
{
	const char *unsupported = clone_unsupported();
	struct wanted first = { .function = function, .left = options->depth, .runtime_calls_it = options->runtime_calls_it };
	struct batch batch = { .options = options, .wanted = &first, .wanted_last = &first };
	const struct made *made;

	if (!unsupported && options->probes >= ENTRIES_PROBES)
		unsupported = "unknown probes";
	if (!unsupported && !callee_look())
		unsupported = "no memory";
	if (modules_came() || !published)
		changing_look();
	end_pause();
	if (!unsupported)
		forget_unloaded();
	made = made_find(function, options->probes, options->depth, options->runtime_calls_it);
	if (made)
		return &made->clone;
	if (!unsupported && notes_refused(function))
		return NULL;
	if (!unsupported && !have_arenas(&batch))
		unsupported = "no memory";
	if (unsupported) {
		notes_refuse(function, function, unsupported);
		return NULL;
	}
	batch.module = callee_module(function);
	make(&batch);
	arena_reset(of_batch, SCRATCH_KEPT);
	made = made_find(function, options->probes, options->depth, options->runtime_calls_it);
	return made ? &made->clone : NULL;
}

uintptr_t clone_of(uintptr_t function)
{
	const struct made *made = made_newest(function);

	return made ? made->copy.code : 0;
}

size_t clone_take_missed(uintptr_t *out, size_t room)
{
	size_t nr = 0;

	for (size_t i = 0; i < ENTRIES_MISSED && nr < room; i++) {
		uintptr_t target = atomic_exchange_explicit(&entries_missed[i], 0, memory_order_relaxed);

		if (target)
			out[nr++] = target;
	}
	return nr;
}

uintptr_t clone_behind_linkage(uintptr_t target)
{
	uintptr_t function = callee_look() ? callee_of(target).function : 0;

	return function ? function : target;
}

bool clone_through_linkage(uintptr_t entry, uint32_t probes)
{
	uintptr_t function = clone_behind_linkage(entry), clone = clone_with(function, probes);

	return function != entry && clone && !clone_with(entry, probes) && add_through(entry, function, clone, probes);
}

/* Also what is called as outside.h says is in the table, but is no clone. */
uintptr_t clone_with(uintptr_t function, uint32_t probes)
{
	uintptr_t entry = entries_get(&entries_by_probes[probes], function);

	return entry && !clone_is_paused() && atlas_find(entry) ? entry : 0;
}

bool clone_lets_call(uintptr_t function, uint32_t probes)
{
	struct callee callee = callee_look() ? callee_of(function) : (struct callee){ 0 };
	const struct runtime_entry *rule;
	uintptr_t entry = function;

	end_pause();
	if (!callee_module(function) || entries_get(&entries_by_probes[probes], function))
		return false;
	rule = outside_entry(&callee);
	if (rule)
		entry = guard_for(rule, function, probes);
	return entry && add_through(function, function, entry, probes);
}

bool clone_exists(void) { return published != NULL; }

uintptr_t clone_after_call(uintptr_t address) { return clone_is_paused() ? 0 : entries_get(&after_calls, address); }

uintptr_t clone_original(uintptr_t address)
{
	const struct made *made = atlas_find(address);

	return made ? atlas_original(made, address) : address;
}

const struct clone *clone_around(uintptr_t address_in_clone)
{
	const struct made *made = atlas_find(address_in_clone);

	return made ? &made->clone : NULL;
}

const char *clone_unsupported(void)
{
	const char *why = decode_unsupported();

	if (!why)
		why = copy_unsupported();
	if (!why && !buffer_prepare())
		why = "no memory for a buffer";
	return why;
}
