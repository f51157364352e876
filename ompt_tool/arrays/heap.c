/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks behind malloc and mmap: add and remove heap blocks, and report the state of the
 * observation.
 */
#define _GNU_SOURCE /* mincore */
#include "ompt_tool/arrays/heap.h"

#include <errno.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/base/hash.h"
#include "analysis/base/own_memory.h"
#include "analysis/base/reserve.h"
#include "analysis/base/thread_clock.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/arrays/glibc_blocks.h"
#include "ompt_tool/arrays/heap_cost.h"
#include "ompt_tool/arrays/heap_tables.h"
#include "ompt_tool/arrays/mappings.h"
#include "ompt_tool/arrays/origins.h"
#include "ompt_tool/arrays/owners.h"
#include "ompt_tool/arrays/siblings.h"
#include "ompt_tool/arrays/small_sites.h"

/*
 * glibc's malloc.c: the word before a block is its chunk's size with three flags; mapped chunks are
 * counted apart.
 */
#define CHUNK_FLAGS 7u
#define CHUNK_IS_MAPPED 2u

#define WHY_NO_LIBRARY "libmemsearch.so did not offer it"
#define WHY_NO_MEMORY "there is no address space for the tables"
#define WHY_OWN_MALLOC "the program has an allocator of its own: only its mappings are seen"
#define WHY_LATE \
	"without `memsearch run`, blocks from before the OpenMP runtime's begin are known only by glibc's chunk headers"
#define WHY_NO_TABLES "the calls cannot be replaced in the program's tables of addresses"
#define WHY_NOT_ALL_TABLES \
	"some of the calls cannot be replaced in the program's tables of addresses"

static struct heap_status status = { .why = WHY_NO_LIBRARY };
static const struct heap_hooks **slot; /* zeroed in a fork's child: nothing is called there */
static const struct heap_interposer *interposer;
static bool sizes_known;
static void (*leave)(void); /* NULL: not requested */

/*
 * Bytes of recorded blocks' chunks, without mapped ones. Divided by the block's address, because
 * threads count concurrently.
 */
#define PARTS 64
static struct {
	uint64_t bytes, freed; /* freed: recorded blocks, so far */
} __attribute__((aligned(64))) large[PARTS];

extern void *__libc_malloc(size_t bytes) __attribute__((weak));
extern struct mallinfo2 mallinfo2(void) __attribute__((weak));

static uint64_t chunk_bytes(uintptr_t block)
{
	size_t word = sizes_known ? ((const size_t *)block)[-1] : CHUNK_IS_MAPPED;

	return word & CHUNK_IS_MAPPED ? 0 : word & ~(size_t)CHUNK_FLAGS;
}

static void count_bytes(uintptr_t start, uint64_t bytes)
{
	__atomic_fetch_add(&large[hash_place(start, 6)].bytes, bytes, __ATOMIC_RELAXED);
}

/* Judged by the chunk size, because free knows no other. */
#define SMALL_CHUNK (HEAP_SMALL + 16)
/*
 * small blocks recorded so far; allocations of small blocks until HEAP_SMALL_SEEN; atomic, like the
 * others
 */
static uint32_t small_kept, small_seen;
/* blocks that were not recorded, rounded up to HEAP_SAMPLED in each thread; those of this thread */
static uint64_t small_lost;
static __thread uint32_t lost_here __attribute__((tls_model("initial-exec")));

/*
 * Programs that keep allocating and freeing blocks of new sizes and places: recording one takes 1
 * to 3 us, beside 30 ns of the program's own. Where a thread records CHURN_ADDS of them, CHURN_FREED
 * are freed meanwhile, and its hooks exceed their share of the time (heap_cost.h), blocks of up to
 * twice the size are no longer recorded, up to CHURN_LARGEST; half the size for each CHURN_REST_NS
 * after that.
 */
#define CHURN_ADDS 1024
#define CHURN_REST_NS 250000000u
#define CHURN_LARGEST (64 << 10)
#define CHURN_FREED (CHURN_ADDS / 4 * 3)
static uint32_t least_chunk = SMALL_CHUNK; /* smaller ones are not recorded, if above it */
static uint64_t changed_ns;
/* of this thread: blocks recorded; at its last check: frees of all threads, time, time in hooks */
static __thread struct {
	uint64_t added, freed, now_ns, spent_ns;
} churn __attribute__((tls_model("initial-exec")));

/* recorded blocks of up to that size by hash of the address; 0: none */
#define FILTER_BITS 16
static uint16_t live_blocks[1 << FILTER_BITS];

static uint32_t least(void)
{
	return __atomic_load_n(&least_chunk, __ATOMIC_RELAXED);
}

/* Unless another thread has changed it meanwhile. */
static void change_least(uint32_t from, uint32_t to, uint64_t now_ns)
{
	if (to != from && __atomic_compare_exchange_n(&least_chunk, &from, to, false,
						      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		__atomic_store_n(&changed_ns, now_ns, __ATOMIC_RELAXED);
}

static uint64_t count_freed(void)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < PARTS; i++)
		nr += __atomic_load_n(&large[i].freed, __ATOMIC_RELAXED);
	return nr;
}

static void count_free(uintptr_t start, uint64_t by)
{
	__atomic_fetch_add(&large[hash_place(start, 6)].freed, by, __ATOMIC_RELAXED);
}

/* A block was recorded at an address of its own. */
static void check_churn(void)
{
	uint32_t now = least();
	uint64_t freed, since_ns, spent_ns;

	if (++churn.added % CHURN_ADDS)
		return;
	freed = count_freed() - churn.freed;
	since_ns = thread_clock_ns() - churn.now_ns;
	spent_ns = heap_cost_ns() - churn.spent_ns;
	churn.freed += freed;
	churn.now_ns += since_ns;
	churn.spent_ns += spent_ns;
	if (heap_cost_exceeds(spent_ns, since_ns) && (int64_t)freed >= CHURN_FREED &&
	    now < CHURN_LARGEST)
		change_least(now, 2 * now, churn.now_ns);
}

static bool is_below(uintptr_t block, uint32_t bytes)
{
	uint64_t chunk = chunk_bytes(block);

	return chunk && chunk < bytes;
}

static bool is_small(uintptr_t block)
{
	return is_below(block, SMALL_CHUNK);
}

/* Before a block that would not be recorded because of its size; 0: at a phase boundary. */
static void rest_after_churn(uintptr_t block)
{
	uint32_t now = least(), to = now;
	uint64_t now_ns, before_ns, since_ns;

	if (now <= SMALL_CHUNK || (block && (is_small(block) || !is_below(block, now))))
		return;
	now_ns = thread_coarse_clock_ns();
	before_ns = __atomic_load_n(&changed_ns, __ATOMIC_RELAXED);
	since_ns = now_ns > before_ns ? now_ns - before_ns : 0;
	for (uint64_t rests = since_ns / CHURN_REST_NS; rests && to > SMALL_CHUNK; rests--)
		to /= 2;
	change_least(now, to > SMALL_CHUNK ? to : SMALL_CHUNK, now_ns);
}

/* Whether free asks live_blocks for it. */
static bool is_filtered(uintptr_t block)
{
	return is_below(block, 2 * CHURN_LARGEST);
}

/* Whether blocks of its size are not recorded any more, or for the time being. */
static bool is_beyond(uintptr_t block)
{
	if (least() > SMALL_CHUNK)
		return is_below(block, least());
	return is_small(block) &&
	       (__atomic_load_n(&small_kept, __ATOMIC_RELAXED) >= HEAP_SMALL_MOST ||
		__atomic_load_n(&small_seen, __ATOMIC_RELAXED) >= HEAP_SMALL_SEEN);
}

/* Whether a block beyond the limit is a sampled one. */
static bool lose(void)
{
	bool is_sampled = lost_here++ % HEAP_SAMPLED == 0;

	if (is_sampled)
		__atomic_fetch_add(&small_lost, HEAP_SAMPLED, __ATOMIC_RELAXED);
	return is_sampled;
}

/*
 * With an allocator whose block sizes cannot be read, small blocks are not recorded: free could not
 * recognise them.
 */
static bool can_keep(uint32_t array, uintptr_t start, uint64_t bytes)
{
	return is_small(start) ? array != ARRAY_NONE : bytes >= HEAP_SMALL || sizes_known;
}

static uint16_t *live_at(uintptr_t start)
{
	return &live_blocks[hash_place(start, FILTER_BITS)];
}

static void count_live(uintptr_t start, uint16_t by)
{
	if (is_filtered(start))
		__atomic_fetch_add(live_at(start), by, __ATOMIC_RELAXED);
}

static void add(uint32_t array, uintptr_t start, uint64_t bytes, uint32_t site)
{
	bool kept = array != ARRAY_NONE && array_block_add_of_site(array, start, bytes, site);

	if (kept || !is_filtered(start))
		count_bytes(start, chunk_bytes(start));
	if (!kept)
		return;
	count_live(start, 1);
	if (is_small(start))
		__atomic_fetch_add(&small_kept, 1, __ATOMIC_RELAXED);
	check_churn();
}

static void add_new(uint32_t site, uintptr_t start, uint64_t bytes)
{
	uint32_t array;

	if (!can_keep(site, start, bytes))
		return;
	array = array_block_again(site, start, bytes);
	if (array != ARRAY_NONE) {
		count_free(start, (uint64_t)-1); /* nor was it added */
		count_live(start, 1);
		siblings_return(array, bytes);
		if (origins_new(array) == 1)
			origins_count_new(array);
		count_bytes(start, chunk_bytes(start));
		return;
	}
	array = siblings_take(site, bytes);
	origins_count_new(array);
	add(array, start, bytes, site);
}

static void map_new(uint32_t array, uintptr_t start, uint64_t bytes)
{
	origins_count_new(array);
	mappings_add(array, start, bytes);
}

/* Whether neither a site nor a variable of it is known. */
static bool is_nameless(uint32_t array)
{
	struct heap_origin origin;

	return !heap_origin(array, &origin) && !*array_get(array)->name;
}

/* The row that a block had before; if unknown, the row of the call. */
static uint32_t row_of(const struct heap_gone *gone, void *caller, const void *stack)
{
	if (gone->array == ARRAY_NONE && gone->nr_frames)
		return origins_array_of_frames(gone->frames, gone->nr_frames);
	if (gone->array == ARRAY_NONE || is_nameless(gone->array))
		return origins_array(caller, stack);
	return gone->array;
}

/* Of the thread so far (heap.h). */
static __thread uint64_t allocations __attribute__((tls_model("initial-exec")));

static bool note_small(void *block, size_t bytes, void *caller, const void *stack, uint32_t weight)
{
	uint32_t array = origins_array(caller, stack);

	return array != ARRAY_NONE && small_sites_note((uintptr_t)block, bytes, array, weight);
}

static bool sampled(void *block, size_t bytes, void *caller, const void *stack, uint32_t weight)
{
	if (origins_are_runtimes(caller))
		return false;
	allocations += weight;
	return note_small(block, bytes, caller, stack, weight);
}

static bool remove_block(struct heap_gone *gone)
{
	struct array_place place;

	gone->array = array_block_end(gone->start, &gone->bytes);
	if (gone->array != ARRAY_NONE)
		return true;
	if (!array_at(gone->start, array_time(), UINT64_MAX, &place) || place.offset ||
	    array_get(place.array)->kind != ARRAY_HEAP ||
	    !array_block_remove(gone->start, &gone->bytes))
		return false;
	gone->array = place.array;
	return true;
}

static void freed(void *block, struct heap_gone *gone)
{
	bool filtered = is_filtered((uintptr_t)block);

	*gone = (struct heap_gone){ .start = (uintptr_t)block, .array = ARRAY_NONE };
	if (filtered && !__atomic_load_n(live_at(gone->start), __ATOMIC_RELAXED))
		return;
	if (!remove_block(gone)) {
		if (!filtered)
			count_bytes(gone->start, -chunk_bytes(gone->start));
		return;
	}
	count_bytes(gone->start, -chunk_bytes(gone->start));
	count_free(gone->start, 1);
	count_live(gone->start, UINT16_MAX);
	siblings_leave(gone->array, gone->bytes);
}

static void allocated(void *block, size_t bytes, void *caller, const void *stack)
{
	bool is_runtimes = origins_are_runtimes(caller);

	allocations += !is_runtimes;
	rest_after_churn((uintptr_t)block);
	if (is_beyond((uintptr_t)block)) {
		/* the end of an earlier block was missed there */
		if (__atomic_load_n(live_at((uintptr_t)block), __ATOMIC_RELAXED))
			freed(block, &(struct heap_gone){ 0 });
		if (lose())
			note_small(block, bytes, caller, stack, HEAP_SAMPLED);
		return;
	}
	if (is_small((uintptr_t)block))
		__atomic_fetch_add(&small_seen, 1, __ATOMIC_RELAXED);
	if (!is_runtimes)
		add_new(origins_array(caller, stack), (uintptr_t)block, bytes);
	else if (can_keep(ARRAY_NONE, (uintptr_t)block, bytes))
		add(ARRAY_NONE, (uintptr_t)block, bytes, ARRAY_NONE);
}

static bool forgotten(void *block)
{
	struct heap_gone gone;

	if (!small_sites_forget((uintptr_t)block))
		return false;
	freed(block, &gone);
	return true;
}

static void moved(const struct heap_gone *gone, void *block, size_t bytes, void *caller,
		  const void *stack)
{
	uint32_t array;

	allocations += !origins_are_runtimes(caller);
	if (is_beyond((uintptr_t)block)) {
		lose();
		return;
	}
	array = row_of(gone, caller, stack);
	if (array != gone->array) {
		add_new(array, (uintptr_t)block, bytes);
		return;
	}
	if (!can_keep(array, (uintptr_t)block, bytes))
		return;
	siblings_return(array, bytes);
	add(array, (uintptr_t)block, bytes, siblings_site(array));
}

static void kept(const struct heap_gone *gone)
{
	siblings_return(gone->array, gone->bytes);
	add(gone->array, gone->start, gone->bytes, ARRAY_NONE);
}

static void mapped(void *start, size_t bytes, void *caller, const void *stack)
{
	map_new(origins_array(caller, stack), (uintptr_t)start, bytes);
}

static void unmapping(void *start, size_t bytes, struct heap_torn *torn)
{
	mappings_tear((uintptr_t)start, bytes, torn);
}

static void remapped(const struct heap_torn *torn, void *old, void *start, size_t bytes,
		     void *caller)
{
	static const struct heap_gone unknown = { .array = ARRAY_NONE };

	(void)old;
	mappings_add(row_of(torn->nr ? &torn->pieces[0] : &unknown, caller, NULL), (uintptr_t)start,
		     bytes);
}

static void confining(void)
{
	if (leave)
		leave();
}

/* Hooks with their cost. */
#define TIMED(name, parameters, arguments) \
	static void timed_##name parameters \
	{ \
		uint64_t begin_ns = heap_cost_begin(); \
\
		name arguments; \
		heap_cost_end(begin_ns); \
	}
#define TIMED_TEST(name, parameters, arguments) \
	static bool timed_##name parameters \
	{ \
		uint64_t begin_ns = heap_cost_begin(); \
		bool result = name arguments; \
\
		heap_cost_end(begin_ns); \
		return result; \
	}
TIMED(allocated, (void *block, size_t bytes, void *caller, const void *stack),
      (block, bytes, caller, stack))
TIMED_TEST(sampled, (void *block, size_t bytes, void *caller, const void *stack, uint32_t weight),
	   (block, bytes, caller, stack, weight))
TIMED_TEST(forgotten, (void *block), (block))
TIMED(freed, (void *block, struct heap_gone *gone), (block, gone))
TIMED(moved,
      (const struct heap_gone *gone, void *block, size_t bytes, void *caller, const void *stack),
      (gone, block, bytes, caller, stack))
TIMED(kept, (const struct heap_gone *gone), (gone))
TIMED(mapped, (void *start, size_t bytes, void *caller, const void *stack),
      (start, bytes, caller, stack))
TIMED(unmapping, (void *start, size_t bytes, struct heap_torn *torn), (start, bytes, torn))
TIMED(remapped, (const struct heap_torn *torn, void *old, void *start, size_t bytes, void *caller),
      (torn, old, start, bytes, caller))

static const struct heap_hooks hooks = {
	.allocated = timed_allocated,
	.sampled = timed_sampled,
	.forgotten = timed_forgotten,
	.freed = timed_freed,
	.moved = timed_moved,
	.kept = timed_kept,
	.mapped = timed_mapped,
	.unmapping = timed_unmapping,
	.remapped = timed_remapped,
	.unmap_failed = mappings_put_back,
	.lock_all = own_memory_lock_all,
	.added = own_memory_leave,
	.confining = confining,
};

/*
 * Whether the header of a block that may have ended unseen is in memory: freed by a free of the
 * program's own, or where the table of samples was in use.
 */
static bool has_header(uintptr_t block)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	int error = errno;
	unsigned char there = 0;

	if (mincore((void *)((block - sizeof(size_t)) & -page), page, &there))
		there = 0;
	errno = error;
	return there & 1;
}

static void earlier(const struct heap_gone *block, bool is_mapping)
{
	uint32_t array = origins_array_of_frames(block->frames, block->nr_frames);

	if (!is_mapping && sizes_known && !has_header(block->start))
		return;
	if (is_mapping)
		map_new(array, block->start, block->bytes);
	else if (block->weight)
		small_sites_note(block->start, block->bytes, array, block->weight);
	else if (!is_beyond(block->start))
		add_new(array, block->start, block->bytes);
	else if (lose())
		small_sites_note(block->start, block->bytes, array, HEAP_SAMPLED);
}

/* Records a block that existed before the tool and was not reported. */
static void found(uintptr_t start, uint64_t bytes)
{
	add_new(array_of_site(0), start, bytes);
	status.found++;
}

/*
 * Each call tries all entries. If neither the program nor its libraries have a call that allocates,
 * nothing is missed.
 */
static const char *change_tables(void)
{
	struct slots_changed changed = heap_tables_change(interposer);

	status.slots += changed.nr;
	status.refused = changed.refused;
	status.patched = status.slots || !status.refused;
	if (interposer->foreign_malloc)
		return WHY_OWN_MALLOC;
	if (status.refused)
		return status.slots ? WHY_NOT_ALL_TABLES : WHY_NO_TABLES;
	return WHY_LATE;
}

static const char *start_tables(void)
{
	const char *why = change_tables();

	if (status.patched && !interposer->foreign_malloc)
		glibc_blocks_tell(found);
	return why;
}

static bool start_parts(void)
{
	slot = reserve(sizeof(*slot));
	return slot && owners_start(interposer->allocator) && origins_start() && mappings_start() &&
	       small_sites_start();
}

void heap_offer(const struct heap_interposer *offer)
{
	interposer = offer;
	sizes_known = __libc_malloc && interposer->allocator == (const void *)__libc_malloc;
	if (sizes_known && !interposer->preloaded && !interposer->foreign_malloc)
		glibc_blocks_note();
}

void heap_on_confinement(void (*function)(void))
{
	leave = function;
}

bool heap_start(struct heap_status *out)
{
	if (interposer && start_parts()) {
		heap_cost_start();
		status.preloaded = interposer->preloaded;
		*slot = &hooks;
		interposer->start((const struct heap_hooks *const *)slot, earlier);
		status.why = status.preloaded ? "" : start_tables();
	} else if (interposer) {
		status.why = WHY_NO_MEMORY;
	}
	heap_status(out);
	return status.preloaded || status.patched;
}

void heap_stop(void)
{
	if (slot)
		__atomic_store_n(slot, NULL, __ATOMIC_RELEASE);
}

void heap_status(struct heap_status *out)
{
	uint64_t known = 0, all;

	status.lost = mappings_lost();
	status.small_lost = __atomic_load_n(&small_lost, __ATOMIC_RELAXED);
	status.small_known = sizes_known && mallinfo2;
	for (size_t i = 0; i < PARTS; i++)
		known += __atomic_load_n(&large[i].bytes, __ATOMIC_RELAXED);
	if (status.small_known) {
		all = mallinfo2().uordblks;
		status.small_bytes = all > known && (int64_t)known >= 0 ? all - known : 0;
	}
	*out = status;
}

uint64_t heap_allocations(void)
{
	return allocations;
}

bool heap_counts_allocations(void)
{
	return !interposer || status.preloaded ||
	       (status.patched && !status.refused && !interposer->foreign_malloc);
}

static void add_sampled(uint32_t array, uintptr_t block, uint64_t bytes)
{
	if (has_header(block))
		add_new(array, block, bytes);
}

void heap_update(void)
{
	if (!slot || !*slot)
		return;
	rest_after_churn(0);
	if (owners_update() && !status.preloaded)
		status.why = change_tables();
	if (sizes_known)
		small_sites_divide(add_sampled);
}
