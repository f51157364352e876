/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates clones in batches: a function and its callees, breadth first, published when all are
 * complete.
 */
#define _GNU_SOURCE
#include "ompt_tool/clones/clone.h"

#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/code/decode.h"
#include "ompt_tool/clones/buffer.h"
#include "ompt_tool/clones/call_frames.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/clones/clone_calls.h"
#include "ompt_tool/clones/clone_private.h"
#include "ompt_tool/clones/entry_table.h"
#include "ompt_tool/clones/guard.h"
#include "ompt_tool/clones/outside.h"
#include "ompt_tool/clones/writable_code.h"
#include "ompt_tool/code/slots.h"

/* enough for a batch with functions of some 20 KB; larger ones map more */
#define SCRATCH_KEPT ((size_t)1 << 20)

static struct arena *of_batch, *of_function; /* cleared, not freed */
static struct entries *_Atomic newest;       /* function → its newest struct clone_data */
/*
 * return point of a call → the same in the newest clone; of clones without CLONE_TIMES, and of those
 * with
 */
static struct entries *_Atomic after_calls[2];
static uint32_t times; /* atomic; CLONE_TIMES: clones with times are used, see clone_use_times */

static struct entries *_Atomic *after_calls_of(uint32_t probes)
{
	return &after_calls[(probes & CLONE_TIMES) != 0];
}

void clone_use_times(bool on)
{
	__atomic_store_n(&times, on ? CLONE_TIMES : 0, __ATOMIC_RELEASE);
}

static uint32_t used_times(void)
{
	return __atomic_load_n(&times, __ATOMIC_ACQUIRE);
}

struct clone_data *clone_data_newest(uintptr_t function)
{
	return (struct clone_data *)entries_get(&newest, function);
}

struct clone_data *clone_data_find(uintptr_t function, uint32_t probes, uint32_t left,
				   bool runtime_calls_it)
{
	struct clone_data *data = clone_data_newest(function);

	while (data && (data->clone.probes != probes || data->left < left ||
			(data->runtime_calls_it && !runtime_calls_it)))
		data = data->older;
	return data;
}

static struct clone_data *_Atomic published; /* the last one */

/*
 * An entry of a linkage table that is called through pointers, or a function that has no clone;
 * both modules by callee_identity.
 */
struct through {
	uintptr_t entry, function;
	uint64_t module, of_function;
	uint32_t probes;
	struct through *older;
};
static struct through *throughs; /* the last one */

static bool add_through(uintptr_t entry, uintptr_t function, uintptr_t to, uint32_t probes)
{
	struct through *new = permanent_arena() ? arena_alloc(permanent_arena(), sizeof(*new))
						: NULL;

	if (!new || !entries_set(&entries_by_probes[probes], entry, to))
		return false;
	*new = (struct through){
		entry, function, callee_identity(entry), callee_identity(function), probes, throughs
	};
	throughs = new;
	return true;
}

static void forget_unloaded_entries(void)
{
	for (const struct through *at = throughs; at; at = at->older)
		if (callee_identity(at->entry) != at->module ||
		    callee_identity(at->function) != at->of_function)
			entries_set(&entries_by_probes[at->probes], at->entry, 0);
}

void clone_pause(void)
{
	__atomic_store_n(&entries_paused, 1, __ATOMIC_RELEASE);
}

/* Ends a pause. True: there was one. */
static bool go_on(void)
{
	return __atomic_exchange_n(&entries_paused, 0, __ATOMIC_ACQ_REL);
}

bool clone_is_paused(void)
{
	return __atomic_load_n(&entries_paused, __ATOMIC_ACQUIRE);
}

/* Drops a clone: threads inside stay in its code; no other thread enters it. */
static void forget(const struct clone_data *data)
{
	for (const struct clone_data *each = clone_data_newest(data->clone.start); each;
	     each = each->older) {
		entries_set(&entries_by_probes[each->clone.probes], data->clone.start, 0);
		for (size_t i = 0; i < each->copy.nr_after_calls; i++)
			entries_set(after_calls_of(each->clone.probes),
				    each->copy.after_calls[i].original, 0);
	}
	entries_set(&newest, data->clone.start, 0);
}

/* Clones call each other directly: when one is dropped, all are. */
static void forget_all(void)
{
	for (const struct clone_data *data = published; data; data = data->published)
		if (clone_data_newest(data->clone.start) == data)
			forget(data);
}

/*
 * Another module may be at the addresses of an unloaded one. The code and rows of its clones stay,
 * unused.
 */
static void forget_unloaded(void)
{
	static unsigned long long unloaded;
	bool gone = false;

	if (unloaded == callee_unloaded())
		return;
	unloaded = callee_unloaded();
	forget_unloaded_entries();
	for (const struct clone_data *data = published; data && !gone; data = data->published) {
		const struct clone_data *now = clone_data_newest(data->clone.start);

		gone = now && now->module == data->module &&
		       callee_identity(data->clone.start) != data->module;
	}
	if (gone)
		forget_all();
}

/* Unloaded functions are removed by other code: their module is another, or none. */
static bool has_changed(const struct clone_data *data)
{
	if (clone_data_newest(data->clone.start) != data || !data->module ||
	    callee_identity(data->clone.start) != data->module)
		return false;
	return writable_code_meets(data->clone.start, data->clone.end) ||
	       memcmp((const void *)data->clone.start, data->code,
		      data->clone.end - data->clone.start);
}

/*
 * Under the dynamic linker's lock, so that modules stay loaded. Any module may have been unloaded
 * since callee_look.
 */
static int look_for_changes(struct dl_phdr_info *module, size_t bytes, void *ctx)
{
	bool changed = module->dlpi_subs != callee_unloaded();

	(void)bytes;
	for (const struct clone_data *data = published; data && !changed; data = data->published)
		changed = has_changed(data);
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

/* A pause ends only after a check for changes during it (outside.c: mprotect). */
static void end_pause(void)
{
	if (!go_on())
		return;
	writable_code_update();
	forget_changed();
}

/* Whether modules were loaded since the last call, possibly with writable code. */
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
		writable_code_update();
	forget_changed();
}

static void drop(struct clone_data *data, const char *why)
{
	data->dropped = why;
	refusals_add(data->clone.start, data->clone.start, why);
}

/*
 * The batch's functions to register (unwind.h); `rows` maps back to clones. The others are never
 * unwound.
 */
static size_t list_functions(const struct batch *batch, struct unwind_function *functions,
			     struct clone_data **rows)
{
	size_t nr = 0;

	for (struct clone_data *data = batch->first; data; data = data->next) {
		if (data->dropped || !data->bounds.fde || data->bounds.debug_end)
			continue;
		functions[nr] = (struct unwind_function){ &data->bounds, data->copy.code,
							  data->copy.code_end, data->copy.places,
							  data->copy.nr_places };
		rows[nr++] = data;
	}
	return nr;
}

static bool write_section(const struct unwind_function *functions, size_t nr, size_t *bad_out,
			  const char **why_out)
{
	unsigned char *place;
	size_t bytes;

	*bad_out = nr;
	if (!unwind_write(functions, nr, NULL, 0, &bytes, bad_out, why_out))
		return false;
	place = arena_alloc(permanent_arena(), bytes);
	*why_out = "no memory";
	if (!place || !unwind_write(functions, nr, place, bytes, &bytes, bad_out, why_out))
		return false;
	*why_out = "the program's unwinder takes no call-frame information of clones";
	return unwind_register(place);
}

/* Drops unsupported functions until the rest is written; all on other errors. */
static void register_batch(struct batch *batch, size_t nr)
{
	struct unwind_function *functions = arena_alloc(batch->arena, nr * sizeof(*functions));
	struct clone_data **rows = arena_alloc(batch->arena, nr * sizeof(struct clone_data *));
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
	for (struct clone_data *data = batch->first; data; data = data->next)
		if (!data->dropped)
			drop(data, why);
}

static void publish_after_calls(const struct clone_data *data)
{
	for (size_t i = 0; i < data->copy.nr_after_calls; i++)
		if (data->copy.after_calls[i].original < data->clone.end)
			entries_set(after_calls_of(data->clone.probes),
				    data->copy.after_calls[i].original,
				    data->copy.after_calls[i].copy);
	call_frames_note(&data->bounds, data->copy.after_calls, data->copy.nr_after_calls);
}

static bool publish(struct clone_data *data)
{
	data->older = clone_data_newest(data->clone.start);
	if (!atlas_add(data) || !entries_set(&newest, data->clone.start, (uintptr_t)data))
		return false;
	publish_after_calls(data);
	data->published = published;
	published = data;
	return entries_set(&entries_by_probes[data->clone.probes], data->clone.start,
			   data->copy.code);
}

static void copy_all(struct batch *batch, size_t *nr_out)
{
	while (batch->wanted) {
		const struct wanted *wanted = batch->wanted;
		struct clone_data *data = prepare(batch, wanted);

		arena_reset(batch->reading, SCRATCH_KEPT);
		batch->wanted = wanted->next;
		if (!data)
			continue;
		if (batch->first)
			batch->last->next = data;
		else
			batch->first = data;
		batch->last = data;
		++*nr_out;
		if (!link_want(batch, data))
			drop(data, "no memory");
	}
}

/* Clears a copy's pointers into the batch's arena. */
static void forget_reading(struct copy *copy)
{
	copy->leaders = NULL;
	copy->exits = NULL;
	copy->nr_leaders = copy->nr_exits = 0;
}

/* Drops clones that cannot be linked, and links their callers again. */
static void link_all(struct batch *batch)
{
	bool again;

	do {
		again = false;
		for (struct clone_data *data = batch->first; data; data = data->next) {
			if (data->dropped || link_exits(batch, data))
				continue;
			drop(data,
			     "it calls functions that must not see clones, and there is no room to lead it there");
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
	for (struct clone_data *data = batch->first; data; data = data->next) {
		forget_reading(&data->copy);
		if (!data->dropped && !publish(data))
			drop(data, "no memory");
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
	struct wanted first = { .function = function,
				.left = options->depth,
				.runtime_calls_it = options->runtime_calls_it };
	struct batch batch = { .options = options, .wanted = &first, .wanted_last = &first };
	const struct clone_data *data;

	if (!unsupported && options->probes >= ENTRIES_PROBES)
		unsupported = "unknown probes";
	if (!unsupported && !callee_look())
		unsupported = "no memory";
	if (modules_came() || !published)
		writable_code_update();
	end_pause();
	if (!unsupported)
		forget_unloaded();
	data = clone_data_find(function, options->probes, options->depth,
			       options->runtime_calls_it);
	if (data)
		return &data->clone;
	if (!unsupported && refusals_find(function))
		return NULL;
	if (!unsupported && !have_arenas(&batch))
		unsupported = "no memory";
	if (unsupported) {
		refusals_add(function, function, unsupported);
		return NULL;
	}
	batch.module = callee_module(function);
	make(&batch);
	arena_reset(of_batch, SCRATCH_KEPT);
	data = clone_data_find(function, options->probes, options->depth,
			       options->runtime_calls_it);
	return data ? &data->clone : NULL;
}

const struct clone *clone_newest(void)
{
	return published ? &published->clone : NULL;
}

/* `clone` is the first member. */
const struct clone *clone_made_before(const struct clone *clone)
{
	const struct clone_data *older = ((const struct clone_data *)clone)->published;

	return older ? &older->clone : NULL;
}

uintptr_t clone_of(uintptr_t function)
{
	const struct clone_data *data = clone_data_newest(function);

	while (data && (data->clone.probes & CLONE_TIMES) != used_times())
		data = data->older;
	return data ? data->copy.code : 0;
}

size_t clone_take_missed(uintptr_t *out, size_t room)
{
	size_t nr = 0;

	for (size_t i = 0; i < ENTRIES_MISSED && nr < room; i++) {
		uintptr_t target = atomic_exchange_explicit(&entries_missed[i], 0,
							    memory_order_relaxed);

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

	return function != entry && clone && !clone_with(entry, probes) &&
	       add_through(entry, function, clone, probes);
}

/* The table also has functions called by the rules of outside.h, which are no clones. */
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

bool clone_exists(void)
{
	return published != NULL;
}

uintptr_t clone_after_call(uintptr_t address)
{
	return clone_is_paused() ? 0 : entries_get(after_calls_of(used_times()), address);
}

uintptr_t clone_original(uintptr_t address)
{
	const struct clone_data *data = atlas_find(address);

	return data ? atlas_original(data, address) : address;
}

const struct clone *clone_around(uintptr_t address_in_clone)
{
	const struct clone_data *data = atlas_find(address_in_clone);

	return data ? &data->clone : NULL;
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
