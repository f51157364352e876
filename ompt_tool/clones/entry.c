/* SPDX-License-Identifier: Apache-2.0 */
/* Jumps at the begin of functions. */
#include "ompt_tool/clones/switching.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/bisect.h"
#include "ompt_tool/clones/entry_bytes.h"
#include "ompt_tool/clones/other_threads.h"
#include "ompt_tool/code/writing.h"

#define JUMP 0xe9                        /* jmp rel32 */
#define UNREADABLE "the function's code cannot be read"
#define TOO_FAR "the clone is too far away for a jump"

/* A function that was looked at and found fit; its code is one of the two. */
struct entry {
	uintptr_t function;
	unsigned char original[ENTRY_BYTES], jump[ENTRY_BYTES];
};

static struct arena *kept;
static struct entry *entries;            /* sorted by function */
static size_t nr_entries, room_entries;

/* Where it is, or belongs. */
static size_t place_of(uintptr_t function)
{
	return BISECT(i, nr_entries, entries[i].function < function);
}

static struct entry *find(uintptr_t function)
{
	size_t place = place_of(function);

	return place < nr_entries && entries[place].function == function ? &entries[place] : NULL;
}

static struct entry *insert(uintptr_t function)
{
	size_t place = place_of(function);

	kept = kept ? kept : arena_new();
	if (!kept || !ARENA_GROW(kept, entries, nr_entries, room_entries))
		return NULL;
	memmove(&entries[place + 1], &entries[place], (nr_entries - place) * sizeof(*entries));
	nr_entries++;
	entries[place] = (struct entry){ .function = function };
	return &entries[place];
}

static bool is_now(const unsigned char *code, const unsigned char *bytes)
{
	return !memcmp(code, bytes, ENTRY_BYTES);
}

/* Known and as it was, or new: a module may have been unloaded, and another have come to its place. */
static struct entry *look_up(uintptr_t function, const unsigned char *now, const char **why_out)
{
	struct entry *entry = find(function);

	if (entry && (is_now(entry->original, now) || is_now(entry->jump, now)))
		return entry;
	*why_out = entry_bytes_refusal(function);
	if (*why_out)
		return NULL;
	entry = entry ? entry : insert(function);
	if (!entry)
		*why_out = "no memory";
	else
		memcpy(entry->original, now, ENTRY_BYTES);
	return entry;
}

static bool make_jump(uintptr_t from, uintptr_t to, unsigned char *jump_out)
{
	int64_t distance = (int64_t)(to - from - ENTRY_BYTES);
	int32_t written = (int32_t)distance;

	jump_out[0] = JUMP;
	memcpy(jump_out + 1, &written, sizeof(written));
	return written == distance;
}

struct caller { switching_waits *waits; void *ctx; };

static const char *put(uintptr_t function, const unsigned char *bytes, const struct caller *caller)
{
	const char *why = NULL;

	if (!other_threads_outside(function, function + ENTRY_BYTES, caller->waits, caller->ctx, &why))
		return why;
	if (!writing_text(function, bytes, ENTRY_BYTES))
		return "the program's text cannot be written";
	other_threads_synchronize();
	return NULL;
}

static const char *switch_on(uintptr_t function, uintptr_t clone, const unsigned char *now, const struct caller *caller)
{
	unsigned char jump[ENTRY_BYTES];
	const char *why = NULL;
	struct entry *entry;

	if (!make_jump(function, clone, jump))
		return TOO_FAR;
	entry = look_up(function, now, &why);
	if (!entry || is_now(jump, now))
		return why;
	why = put(function, jump, caller);
	if (!why)
		memcpy(entry->jump, jump, ENTRY_BYTES);
	return why;
}

static const char *switch_off(uintptr_t function, const unsigned char *now, const struct caller *caller)
{
	const struct entry *entry = find(function);

	if (!entry || is_now(entry->original, now))
		return NULL;
	if (!is_now(entry->jump, now))
		return "somebody else has changed the function's begin";
	return put(function, entry->original, caller);
}

bool switching_entry(uintptr_t function, uintptr_t clone, bool on, switching_waits *waits, void *ctx, const char **why_out)
{
	const struct caller caller = { waits, ctx };
	unsigned char now[ENTRY_BYTES];

	if (!writing_read(function, now, ENTRY_BYTES))
		*why_out = UNREADABLE;
	else
		*why_out = on ? switch_on(function, clone, now, &caller) : switch_off(function, now, &caller);
	return !*why_out;
}

bool switching_entry_fits(uintptr_t function, uintptr_t clone, const char **why_out)
{
	unsigned char now[ENTRY_BYTES], jump[ENTRY_BYTES];

	*why_out = NULL;
	if (!writing_read(function, now, ENTRY_BYTES))
		*why_out = UNREADABLE;
	else if (!make_jump(function, clone, jump))
		*why_out = TOO_FAR;
	else
		look_up(function, now, why_out);
	return !*why_out;
}

bool switching_entry_is_on(uintptr_t function)
{
	const struct entry *entry = find(function);
	unsigned char now[ENTRY_BYTES];

	return entry && writing_read(function, now, ENTRY_BYTES) && is_now(entry->jump, now);
}
