/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of calls to parallel regions in serial code. */
#include "ompt_tool/events/call_path.h"

#include <string.h>
#include <sys/resource.h>
#include <unwind.h>

#include "analysis/base/hash.h"
#include "analysis/base/own_stack.h"
#include "analysis/base/reserve.h"
#include "ompt_tool/arrays/automatic_arrays.h"
#include "ompt_tool/code/stack_walk.h"
#include "ompt_tool/events/event.h"
#include "ompt_tool/events/event_code.h"

/* Return addresses in the program, innermost first: the first one is the construct's. */
struct path {
	uint32_t nr;
	uint64_t addresses[REGION_PATH_MAX];
};

/* Where they were on the stack: bytes from the callback's frame, and what was there. */
struct way {
	struct call_path path;
	uint32_t nr;
	uint32_t offsets[REGION_PATH_MAX];
	uint64_t words[REGION_PATH_MAX];
};

struct known {
	uint32_t nr, recent; /* ways; the one that was compared successfully last */
	uint32_t first;      /* CALL_REGION of the first path; 0: it is the only one */
	uint32_t paths;      /* numbers in use, beside the first one's */
	struct way ways[CALL_PATH_WAYS];
};

struct walk {
	struct path path;
	/* number of addresses after the last frame in libc; 0 before the first one */
	uint32_t after_libc;
	bool met_libc;
	bool initial;                 /* of the initial thread */
	struct automatic_frame frame; /* the last one of the program; code 0: none */
	uintptr_t from;               /* frame of the callback; 0: words are not wanted */
	struct way way;
	bool unknown; /* a word was not where it is expected */
};

/* By region. Initial thread only. NULL: no memory, or not asked yet. */
static struct known *known;

/* ------------------------------------------------------------------ from the unwinder */

/* The frame ends where the one around it begins. */
static void note_frame(struct walk *walk, struct _Unwind_Context *context, uint64_t address)
{
	uintptr_t stack = _Unwind_GetCFA(context);

	walk->frame.cfa = stack;
	if (walk->frame.code && walk->initial)
		automatic_arrays_note(&walk->frame);
	walk->frame = (struct automatic_frame){ .code = address, .stack = stack };
#if AUTOMATIC_FRAME_POINTER >= 0
	if (address)
		walk->frame.frame_pointer = _Unwind_GetGR(context, AUTOMATIC_FRAME_POINTER);
#endif
}

/*
 * On x86-64 a return address is the word in front of the frame that it returns to. Other processors keep it
 * in a register or at another address, and the path is unknown.
 */
static void note_word(struct walk *walk, uintptr_t stack, uintptr_t address)
{
	struct way *way = &walk->way;
	uintptr_t slot = stack - sizeof(slot), distance = slot - walk->from;

	walk->unknown |= slot < walk->from || distance > UINT32_MAX ||
			 *(const uintptr_t *)slot != address;
	way->offsets[way->nr] = (uint32_t)distance;
	way->words[way->nr++] = address;
}

/*
 * Keeps return addresses in the program; those in the runtime, in memsearch and in libc do not
 * identify a call path.
 */
static _Unwind_Reason_Code keep_address(struct _Unwind_Context *context, void *ctx)
{
	struct walk *walk = ctx;
	uintptr_t word = _Unwind_GetIP(context);
	uint64_t address = event_code((const void *)word);

	note_frame(walk, context, event_code_in_libc(address) ? 0 : address);
	if (event_code_in_libc(address)) {
		walk->met_libc = true;
		walk->after_libc = 0;
	} else if (address) {
		if (walk->from && !walk->unknown)
			note_word(walk, _Unwind_GetCFA(context), word);
		walk->path.addresses[walk->path.nr++] = address;
		walk->after_libc += walk->met_libc;
	}
	return walk->path.nr < REGION_PATH_MAX ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* The outermost address, beyond libc's start-up code, is _start and not of interest. */
static void unwind(void *argument)
{
	struct walk *walk = argument;

	stack_walk(keep_address, walk, NULL);
	if (walk->initial)
		automatic_arrays_noted();
	if (walk->after_libc == 1 && walk->path.nr < REGION_PATH_MAX) {
		walk->path.nr--;
		walk->way.nr -= walk->way.nr > walk->path.nr;
	}
}

static void store_path(struct region *region, const struct path *path)
{
	memcpy(region->path, path->addresses, path->nr * sizeof(*path->addresses));
	__atomic_store_n(&region->nr_path, path->nr, __ATOMIC_RELEASE);
}

void call_path_first(struct region *region, bool initial)
{
	struct walk walk = { .initial = initial };

	own_stack_call(unwind, &walk);
	store_path(region, &walk.path);
}

/* ------------------------------------------------------------------ calls as regions */

static bool is_path_of(const struct region *region, const struct path *path)
{
	return region->nr_path == path->nr &&
	       !memcmp(region->path, path->addresses, path->nr * sizeof(*path->addresses));
}

/* The innermost call in which they differ; the outermost, if that is all of the other's end. */
static uint64_t different_call(const struct path *path, const struct region *other)
{
	uint32_t i = 0;

	while (i + 1 < path->nr && i < other->nr_path && path->addresses[i] == other->path[i])
		i++;
	return path->nr ? path->addresses[i] : 0;
}

/* Its number is that of the path, its address that of the call. */
static uint32_t call_region(const struct region *region, const struct path *path,
			    const struct region *other)
{
	uint64_t hash = hash_bytes(HASH_START, path->addresses,
				   path->nr * sizeof(*path->addresses));
	bool new;
	uint32_t id = region_table_get(events.regions, MS_CALL_REGION, hash, region->id, &new);
	struct region *call = region_table_at(events.regions, id);

	if (!call)
		return 0;
	if (new) {
		call->construct = different_call(path, other);
		store_path(call, path);
	}
	return id;
}

static uint32_t call_of(struct region *region, struct known *of, const struct path *path)
{
	struct path first = { region->nr_path, { 0 } };
	struct region *call;
	uint32_t id;

	if (!region->nr_path || is_path_of(region, path))
		return of->first;
	id = call_region(region, path, region);
	call = region_table_at(events.regions, id);
	if (!id || !call || of->first)
		return id;
	memcpy(first.addresses, region->path, first.nr * sizeof(*first.addresses));
	of->first = call_region(region, &first, call);
	for (uint32_t i = 0; i < of->nr; i++)
		of->ways[i].path.region = of->first;
	return id;
}

static uint32_t number_of(struct known *of, uint32_t call)
{
	if (!call || call == of->first)
		return 0;
	for (uint32_t i = 0; i < of->nr; i++)
		if (of->ways[i].path.region == call)
			return of->ways[i].path.number;
	return of->nr < CALL_PATH_WAYS ? ++of->paths : 0;
}

/* ------------------------------------------------------------------ known stacks */

/* Set by the dynamic loader (glibc, elf/dl-support.c). */
extern void *__libc_stack_end;

/* What lies above may be read: the initial thread's stack, no coroutine's or signal handler's. */
static uintptr_t stack_above(uintptr_t frame)
{
	static uintptr_t most;
	uintptr_t above = (uintptr_t)__libc_stack_end - frame;
	struct rlimit limit;

	if (!most && !getrlimit(RLIMIT_STACK, &limit))
		most = limit.rlim_cur < UINT32_MAX ? limit.rlim_cur : UINT32_MAX;
	return above < most ? above : 0;
}

static bool is_way(const struct way *way, uintptr_t frame, uintptr_t above)
{
	for (uint32_t i = 0; i < way->nr; i++)
		if (way->offsets[i] + sizeof(uint64_t) > above ||
		    *(const uint64_t *)(frame + way->offsets[i]) != way->words[i])
			return false;
	return way->nr > 0;
}

static const struct way *find_way(struct known *of, uintptr_t frame, uintptr_t above)
{
	if (of->nr && is_way(&of->ways[of->recent], frame, above))
		return &of->ways[of->recent];
	for (uint32_t i = 0; i < of->nr; i++)
		if (is_way(&of->ways[i], frame, above)) {
			of->recent = i;
			return &of->ways[i];
		}
	return NULL;
}

/* A way that cannot be compared takes its place all the same: the unwinder is not asked for ever. */
static struct call_path learn(struct region *region, struct known *of, uintptr_t frame)
{
	struct walk walk = { .initial = true, .from = frame };

	own_stack_call(unwind, &walk);
	walk.way.path.region = call_of(region, of, &walk.path);
	walk.way.path.number = number_of(of, walk.way.path.region);
	walk.way.nr = walk.unknown ? 0 : walk.way.nr;
	if (of->nr < CALL_PATH_WAYS)
		of->ways[of->recent = of->nr++] = walk.way;
	return walk.way.path;
}

static struct known *known_of(const struct region *region)
{
	static bool refused;

	if (!known && !refused) {
		known = reserve(MS_REGION_MAX * sizeof(*known));
		refused = !known;
	}
	return known ? &known[region->id] : NULL;
}

struct call_path call_path_region(struct region *region, uintptr_t frame, bool recorded)
{
	uintptr_t above = stack_above(frame);
	struct known *of = above ? known_of(region) : NULL;
	const struct way *way = of ? find_way(of, frame, above) : NULL;

	if (way)
		return way->path;
	return of && (of->nr < CALL_PATH_WAYS || recorded) ? learn(region, of, frame)
							   : (struct call_path){ 0, 0 };
}
