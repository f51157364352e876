/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Large blocks, and a sample of small ones, allocated before the core is loaded: a hash table by
 * address, under one lock.
 */
#define _GNU_SOURCE
#include "ompt_tool/loader/earlier.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unwind.h>

#include "analysis/base/hash.h"
#include "analysis/base/own_imports.h"
#include "analysis/base/own_stack.h"
#include "analysis/base/spin.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/gomp/file_name.h"

#define FIRST_ROOM 1024 /* entries, twice as many as blocks; a power of two */
#define LAST_ROOM (1u << 20)

struct entry {
	struct heap_gone block; /* start 0: free */
	bool mapped;
};

/* In memory that is zeroed in a fork's child: the holder of the lock does not exist there. */
struct table {
	int locked;
	/* nr_small: of less than HEAP_SMALL, so far; nr_sampled: below the threshold */
	size_t nr, nr_mapped, nr_small, nr_sampled, room;
	struct entry *entries;
};

static earlier_mapper *map_memory;
static struct table *table;
static const struct heap_hooks *const *successor; /* set once, under the lock */

/* libgcc's, in programs with an OpenMP runtime; NULL: none. This library itself needs libc only. */
static _Unwind_Reason_Code (*backtrace)(_Unwind_Trace_Fn visit, void *context);
static _Unwind_Ptr (*frame_address)(struct _Unwind_Context *context);
static _Unwind_Word (*frame_stack)(struct _Unwind_Context *context);

static void *wiped(size_t bytes)
{
	void *memory = map_memory(bytes);

	if (memory)
		/* on kernels without it the child keeps the parent's blocks, which it has, too */
		madvise(memory, bytes, MADV_WIPEONFORK);
	return memory;
}

static bool lock(void)
{
	return table && spin_lock_within(&table->locked, SPIN_TRIES);
}

static void unlock(void)
{
	spin_unlock(&table->locked);
}

/* The core's hooks, once they are set. */
static const struct heap_hooks *next(void)
{
	const struct heap_hooks *const *slot = __atomic_load_n(&successor, __ATOMIC_ACQUIRE);

	return slot ? __atomic_load_n(slot, __ATOMIC_ACQUIRE) : NULL;
}

/* Whether this table is still in use: then it is locked. */
static bool mine(void)
{
	if (__atomic_load_n(&successor, __ATOMIC_ACQUIRE) || !lock())
		return false;
	if (!successor)
		return true;
	unlock();
	return false;
}

/*
 * -- the hash table: linear probing; entries are moved up when one goes, so that there are no holes
 */

static size_t home(uintptr_t start)
{
	return (size_t)(hash_word(start) >> 20) & (table->room - 1);
}

static struct entry *find(uintptr_t start)
{
	size_t at = home(start);

	while (table->entries[at].block.start && table->entries[at].block.start != start)
		at = (at + 1) & (table->room - 1);
	return &table->entries[at];
}

static void release(struct entry *entries, size_t room)
{
	if (room)
		munmap(entries, room * sizeof(*entries));
}

static bool grow(void)
{
	const struct table old = *table;
	size_t room = old.room ? 2 * old.room : FIRST_ROOM;
	struct entry *entries = room <= LAST_ROOM ? wiped(room * sizeof(*entries)) : NULL;

	if (!entries)
		return false;
	table->entries = entries;
	table->room = room;
	for (size_t i = 0; i < old.room; i++)
		if (old.entries[i].block.start)
			*find(old.entries[i].block.start) = old.entries[i];
	release(old.entries, old.room);
	return true;
}

/* The count of such blocks, where these are limited. */
static size_t *limited(const struct heap_gone *block)
{
	return block->bytes < HEAP_THRESHOLD ? &table->nr_sampled
	       : block->bytes < HEAP_SMALL   ? &table->nr_small
					     : NULL;
}

static bool put(const struct heap_gone *block, bool mapped)
{
	size_t *count = limited(block);
	struct entry *entry;

	if (count && *count >= HEAP_SMALL_MOST)
		return false;
	if (2 * (table->nr + 1) > table->room && !grow())
		return false;
	entry = find(block->start);
	table->nr += !entry->block.start;
	if (count)
		++*count;
	table->nr_mapped += mapped - (entry->block.start && entry->mapped);
	*entry = (struct entry){ *block, mapped };
	return true;
}

static void take_out(struct entry *entry)
{
	size_t mask = table->room - 1, hole = (size_t)(entry - table->entries);

	table->nr--;
	table->nr_mapped -= entry->mapped;
	for (size_t at = (hole + 1) & mask; table->entries[at].block.start; at = (at + 1) & mask) {
		size_t wanted = home(table->entries[at].block.start);

		if (((at - wanted) & mask) >= ((at - hole) & mask)) {
			table->entries[hole] = table->entries[at];
			hole = at;
		}
	}
	table->entries[hole].block.start = 0;
}

/* -- the call path */

/*
 * Files from which no call path is followed: the unwinder takes locks that these may hold, and it
 * calls malloc itself.
 */
static struct {
	uintptr_t low, high;
} closed[2];

static bool is_in(const struct dl_phdr_info *info, uintptr_t address, uintptr_t *low,
		  uintptr_t *high)
{
	*low = UINTPTR_MAX;
	*high = 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
			  end = start + info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		*low = start < *low ? start : *low;
		*high = end > *high ? end : *high;
	}
	return address && address >= *low && address < *high;
}

static int note_closed(struct dl_phdr_info *info, size_t bytes, void *context)
{
	const uintptr_t inside[] = { (uintptr_t)backtrace, getauxval(AT_BASE) };
	uintptr_t low, high;

	(void)bytes, (void)context;
	for (size_t i = 0; i < sizeof(closed) / sizeof(*closed); i++) {
		if (!is_in(info, inside[i], &low, &high))
			continue;
		closed[i].low = low;
		closed[i].high = high;
	}
	return 0;
}

static int is_runtime(struct dl_phdr_info *info, size_t bytes, void *context)
{
	const char *slash = strrchr(info->dlpi_name, '/'),
		   *name = slash ? slash + 1 : info->dlpi_name;

	(void)bytes, (void)context;
	return !strncmp(name, "libomp.", 7) || gomp_is_file_name(name) ||
	       !strncmp(name, "libiomp5.", 9);
}

bool earlier_has_runtime(void)
{
	return dl_iterate_phdr(is_runtime, NULL);
}

void earlier_find_unwinder(void)
{
	void *library = own_imports_open("libgcc_s.so.1");

	if (!library)
		return;
	frame_address = (_Unwind_Ptr(*)(struct _Unwind_Context *))dlsym(library, "_Unwind_GetIP");
	backtrace = (_Unwind_Reason_Code(*)(_Unwind_Trace_Fn, void *))dlsym(library,
									    "_Unwind_Backtrace");
	frame_stack = (_Unwind_Word(*)(struct _Unwind_Context *))dlsym(library, "_Unwind_GetCFA");
	if (!frame_address || !frame_stack)
		backtrace = NULL;
	dl_iterate_phdr(note_closed, NULL);
}

static bool is_closed(void *caller)
{
	for (size_t i = 0; i < sizeof(closed) / sizeof(*closed); i++)
		if ((uintptr_t)caller >= closed[i].low && (uintptr_t)caller < closed[i].high)
			return true;
	return false;
}

/*
 * Cache of unwound paths, because a loop allocates many blocks on one path: at the same stack
 * pointer each return address is compared with the cached one (like call_paths.h, on processors that
 * push it; DISTANCE_MAX likewise). A thread that finds the lock taken unwinds.
 */
#define PATHS 64
#define DISTANCE_MAX 2048
struct path {
	const void *stack; /* NULL: none */
	void *frames[HEAP_FRAMES];
	uintptr_t stacks[HEAP_FRAMES]; /* stack pointers before the calls that return there */
	uint32_t nr;
};
static struct {
	int locked;
	struct path paths[PATHS];
} known;

static struct path *path_at(void *caller, const void *stack)
{
	return &known.paths[hash_word((uintptr_t)caller ^ hash_word((uintptr_t)stack)) % PATHS];
}

static bool is_as_before(const struct path *path, void *caller, const void *stack)
{
	if (path->stack != stack || path->frames[0] != caller)
		return false;
	for (uint32_t i = 1; i < path->nr; i++)
		if (((void *const *)path->stacks[i])[-1] != path->frames[i])
			return false;
	return true;
}

static bool find_path(struct heap_gone *block, void *caller, const void *stack)
{
	const struct path *path = path_at(caller, stack);
	bool found = false;

	if (!stack || !spin_lock_within(&known.locked, 1))
		return false;
	if (is_as_before(path, caller, stack)) {
		memcpy(block->frames, path->frames, sizeof(block->frames));
		block->nr_frames = path->nr;
		found = true;
	}
	spin_unlock(&known.locked);
	return found;
}

static bool can_be_followed(const struct path *path)
{
	if (!path->nr || path->stacks[0] != (uintptr_t)path->stack)
		return false;
	for (uint32_t i = 1; i < path->nr; i++)
		if (path->stacks[i] - path->stacks[i - 1] > DISTANCE_MAX ||
		    path->stacks[i] % sizeof(void *) ||
		    ((void *const *)path->stacks[i])[-1] != path->frames[i])
			return false;
	return true;
}

static void keep_path(const struct path *path, void *caller)
{
	if (!can_be_followed(path) || !spin_lock_within(&known.locked, 1))
		return;
	*path_at(caller, path->stack) = *path;
	spin_unlock(&known.locked);
}

struct walk {
	struct path path;
	void *caller;
	bool found;
};

static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *context, void *argument)
{
	struct walk *walk = argument;
	struct path *path = &walk->path;
	void *ip = (void *)frame_address(context);

	if (!ip) /* beyond the outermost frame */
		return _URC_END_OF_STACK;
	walk->found |= ip == walk->caller;
	if (walk->found) {
		path->stacks[path->nr] = frame_stack(context);
		path->frames[path->nr++] = ip;
	}
	return path->nr < HEAP_FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static void unwind(void *walk)
{
	backtrace(visit_frame, walk);
}

static void note_frames(struct heap_gone *block, void *caller, const void *stack)
{
	struct walk walk = { .path.stack = stack, .caller = caller };

	if (find_path(block, caller, stack))
		return;
	if (backtrace && !is_closed(caller))
		own_stack_call(unwind, &walk);
	if (stack)
		keep_path(&walk.path, caller);
	memcpy(block->frames, walk.path.frames, sizeof(block->frames));
	block->nr_frames = walk.path.nr;
	if (!block->nr_frames) {
		block->frames[0] = caller;
		block->nr_frames = 1;
	}
}

/* -- the hooks */

/* Tested before the call path is determined: a list may have many blocks. */
static bool has_all_small(size_t bytes)
{
	const size_t *count = table ? limited(&(struct heap_gone){ .bytes = bytes }) : NULL;

	return count && !__atomic_load_n(&successor, __ATOMIC_ACQUIRE) &&
	       __atomic_load_n(count, __ATOMIC_RELAXED) >= HEAP_SMALL_MOST;
}

static void allocated(void *block, size_t bytes, void *caller, const void *stack)
{
	struct heap_gone new = { .start = (uintptr_t)block, .bytes = bytes, .array = ARRAY_NONE };

	if (has_all_small(bytes))
		return;
	note_frames(&new, caller, stack);
	if (mine()) {
		put(&new, false);
		unlock();
	} else if (next()) {
		next()->allocated(block, bytes, caller, stack);
	}
}

static bool sampled(void *block, size_t bytes, void *caller, const void *stack, uint32_t weight)
{
	struct heap_gone new = {
		.start = (uintptr_t)block, .bytes = bytes, .array = ARRAY_NONE, .weight = weight
	};
	bool noted = false;

	if (has_all_small(bytes))
		return false;
	note_frames(&new, caller, stack);
	if (mine()) {
		noted = put(&new, false);
		unlock();
	} else if (next()) {
		noted = next()->sampled(block, bytes, caller, stack, weight);
	}
	return noted;
}

/* False: the table does not have it. */
static bool remove_block(void *block, struct heap_gone *gone)
{
	struct entry *entry = table->room ? find((uintptr_t)block) : NULL;

	if (!entry || !entry->block.start || entry->mapped)
		return false;
	*gone = entry->block;
	take_out(entry);
	return true;
}

static void freed(void *block, struct heap_gone *gone)
{
	*gone = (struct heap_gone){ .array = ARRAY_NONE };
	if (mine()) {
		remove_block(block, gone);
		unlock();
	} else if (next()) {
		next()->freed(block, gone);
	}
}

static bool forgotten(void *block)
{
	struct heap_gone gone;
	bool noted = false;

	if (mine()) {
		noted = remove_block(block, &gone);
		unlock();
	} else if (next()) {
		noted = next()->forgotten(block);
	}
	return noted;
}

static void put_back(const struct heap_gone *gone, bool mapped)
{
	if (gone->bytes)
		put(gone, mapped);
}

static void moved(const struct heap_gone *gone, void *block, size_t bytes, void *caller,
		  const void *stack)
{
	struct heap_gone new = *gone;

	new.start = (uintptr_t)block;
	if (!gone->bytes)
		note_frames(&new, caller, stack);
	new.bytes = bytes;
	if (mine()) {
		put(&new, false);
		unlock();
	} else if (next()) {
		next()->moved(gone, block, bytes, caller, stack);
	}
}

static void kept(const struct heap_gone *gone)
{
	if (mine()) {
		put_back(gone, false);
		unlock();
	} else if (next()) {
		next()->kept(gone);
	}
}

static void mapped(void *start, size_t bytes, void *caller, const void *stack)
{
	struct heap_gone new = { .start = (uintptr_t)start, .bytes = bytes, .array = ARRAY_NONE };

	note_frames(&new, caller, stack);
	if (mine()) {
		put(&new, true);
		unlock();
	} else if (next()) {
		next()->mapped(start, bytes, caller, stack);
	}
}

/* The rest of a mapping after a range of it was unmapped. */
static void put_rest(const struct heap_gone *whole, uintptr_t low, uintptr_t high)
{
	struct heap_gone rest = *whole;

	if (whole->start < low) {
		rest.bytes = low - whole->start;
		put(&rest, true);
	}
	if (whole->start + whole->bytes > high) {
		rest.start = high;
		rest.bytes = whole->start + whole->bytes - high;
		put(&rest, true);
	}
}

/* Any mapping that overlaps the range; NULL: none. */
static struct entry *overlapping(uintptr_t low, uintptr_t high)
{
	for (size_t i = 0; i < table->room && table->nr_mapped; i++) {
		const struct heap_gone *block = &table->entries[i].block;

		if (block->start && table->entries[i].mapped && block->start < high &&
		    block->start + block->bytes > low)
			return &table->entries[i];
	}
	return NULL;
}

static void tear(uintptr_t low, uintptr_t high, struct heap_torn *torn)
{
	struct entry *entry;

	while ((entry = overlapping(low, high))) {
		const struct heap_gone whole = entry->block;

		take_out(entry);
		if (torn->nr < HEAP_PIECES)
			torn->pieces[torn->nr++] = whole;
		put_rest(&whole, low, high);
	}
}

static void unmapping(void *start, size_t bytes, struct heap_torn *torn)
{
	torn->nr = 0;
	if (mine()) {
		tear((uintptr_t)start, (uintptr_t)start + bytes, torn);
		unlock();
	} else if (next()) {
		next()->unmapping(start, bytes, torn);
	}
}

/* The same mapping at another address, or larger, or smaller. */
static void remapped(const struct heap_torn *torn, void *old, void *start, size_t bytes,
		     void *caller)
{
	struct heap_gone new = { .start = (uintptr_t)start, .bytes = bytes, .array = ARRAY_NONE };

	if (torn->nr) {
		new = torn->pieces[0];
		new.start = (uintptr_t)start;
		new.bytes = bytes;
	} else {
		note_frames(&new, caller, NULL);
	}
	if (mine()) {
		put(&new, true);
		unlock();
	} else if (next()) {
		next()->remapped(torn, old, start, bytes, caller);
	}
}

/*
 * A restored piece is larger than the rest that was left of it, and begins at the same address or
 * before.
 */
static void unmap_failed(const struct heap_torn *torn)
{
	if (mine()) {
		for (uint32_t i = 0; i < torn->nr; i++) {
			const struct heap_gone *piece = &torn->pieces[i];
			struct heap_torn rests = { .nr = 0 };

			tear(piece->start, piece->start + piece->bytes, &rests);
			put_back(piece, true);
		}
		unlock();
	} else if (next()) {
		next()->unmap_failed(torn);
	}
}

const struct heap_hooks earlier_hooks = {
	.allocated = allocated,
	.sampled = sampled,
	.forgotten = forgotten,
	.freed = freed,
	.moved = moved,
	.kept = kept,
	.mapped = mapped,
	.unmapping = unmapping,
	.remapped = remapped,
	.unmap_failed = unmap_failed,
};

void earlier_prepare(earlier_mapper *map)
{
	map_memory = map;
	table = wiped(sizeof(*table));
}

void earlier_hand_over(const struct heap_hooks *const *slot,
		       void (*take)(const struct heap_gone *block, bool mapped))
{
	bool locked = lock();

	for (size_t i = 0; locked && i < table->room; i++)
		if (table->entries[i].block.start)
			take(&table->entries[i].block, table->entries[i].mapped);
	__atomic_store_n(&successor, slot, __ATOMIC_RELEASE);
	if (locked) {
		release(table->entries, table->room); /* marks the table as empty */
		table->room = 0;
		unlock();
	}
}
