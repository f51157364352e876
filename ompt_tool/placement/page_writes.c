/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses pages, watches them, and attributes their first writes. */
#include "ompt_tool/placement/page_writes.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/hash.h"
#include "analysis/base/pagemap_scan.h"
#include "analysis/base/sort.h"
#include "analysis/base/thread_clock.h"
#include "analysis/record/run.h"
#include "ompt_tool/placement/page_nodes.h"
#include "ompt_tool/placement/placement_map.h"
#include "ompt_tool/placement/write_watch.h"

#define STRETCHES 256 /* scanned at a time */
#define NO_MEMORY "no memory to watch pages"
#define NO_PAGEMAP "not permitted: /proc/self/pagemap cannot be read"

#define SMALL_WITHOUT (PAGEMAP_FILE | PAGEMAP_ZEROS | PAGEMAP_HUGE)

static const struct pagemap_pages
	pages_small = { .with = PAGEMAP_PRESENT, .without = SMALL_WITHOUT },
	pages_huge = { .with = PAGEMAP_PRESENT | PAGEMAP_HUGE },
	pages_written = { .with = PAGEMAP_WATCHED | PAGEMAP_PRESENT | PAGEMAP_WRITTEN },
	pages_unwritten = { .with = PAGEMAP_WATCHED | PAGEMAP_PRESENT, .without = PAGEMAP_WRITTEN },
	pages_protect = { .with = PAGEMAP_PRESENT, .without = SMALL_WITHOUT, .protect = true };

/* Consecutive pages of an array that can be watched. */
struct stretch {
	uint32_t array;
	uint64_t low, high;
};

struct watched_page {
	uint64_t address;
	uint32_t array, thread, node;
	const char *state;
};

/* An array with pages that can be watched, or huge ones. */
struct watched_array {
	uint32_t array;
	uint64_t every, pages, small, huge;
};

struct page_writes {
	struct arena *arena;
	struct run *run;
	uint64_t page_bytes, begin_ns, end_ns;
	bool watching;
	struct write_watch watch;
	struct memory_ranges mappings; /* registered */
	struct watched_array *arrays;
	size_t nr_arrays, room_arrays;
	struct stretch *stretches;
	size_t nr_stretches, room_stretches;
	struct watched_page *pages; /* by address */
	size_t nr_pages, room_pages;
};

static int open_pagemap(void)
{
	return open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
}

struct page_writes *page_writes_new(struct arena *arena, struct run *run)
{
	struct page_writes *writes = arena_alloc(arena, sizeof(*writes));

	if (!writes)
		return NULL;
	*writes = (struct page_writes){ .arena = arena, .run = run, .watch.fd = -1 };
	writes->page_bytes = run->writing.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	run->writing.why = "the program had no repeating phase for long enough";
	return writes;
}

bool page_writes_are_watched(const struct page_writes *writes)
{
	return writes && writes->watching;
}

/* ------------------------------------------------------------------ scanning */

typedef bool visit_stretch(struct page_writes *writes, void *ctx, uint64_t low, uint64_t high);

/* False: the kernel refused, or a visit did. */
static bool each_stretch(struct page_writes *writes, int pagemap, uint64_t low, uint64_t high,
			 const struct pagemap_pages *which, visit_stretch *visit, void *ctx)
{
	struct pagemap_stretch found[STRETCHES];
	uintptr_t at = low;

	while (at < high) {
		int nr = pagemap_scan_pages(pagemap, &at, high, which, found, STRETCHES);

		if (nr < 0)
			return false;
		for (int i = 0; i < nr; i++)
			if (!visit(writes, ctx, found[i].low, found[i].high))
				return false;
	}
	return true;
}

static bool add_small(struct page_writes *writes, void *ctx, uint64_t low, uint64_t high)
{
	struct watched_array *array = ctx;

	if (!ARENA_GROW(writes->arena, writes->stretches, writes->nr_stretches,
			writes->room_stretches))
		return false;
	writes->stretches[writes->nr_stretches++] = (struct stretch){ array->array, low, high };
	array->small += (high - low) / writes->page_bytes;
	return true;
}

static bool add_huge(struct page_writes *writes, void *ctx, uint64_t low, uint64_t high)
{
	struct watched_array *array = ctx;

	array->huge += (high - low) / writes->page_bytes;
	return true;
}

/* NULL: no memory. */
static struct watched_array *array_of(struct page_writes *writes, uint32_t id)
{
	if (writes->nr_arrays && writes->arrays[writes->nr_arrays - 1].array == id)
		return &writes->arrays[writes->nr_arrays - 1];
	if (!ARENA_GROW(writes->arena, writes->arrays, writes->nr_arrays, writes->room_arrays))
		return NULL;
	writes->arrays[writes->nr_arrays] = (struct watched_array){ .array = id };
	return &writes->arrays[writes->nr_arrays++];
}

/* Pages at the ends of a block may be another array's, too. */
static bool examine(struct page_writes *writes, int pagemap, const struct placed_block *block,
		    uint64_t *left)
{
	uint64_t mask = ~(writes->page_bytes - 1),
		 low = (block->start + writes->page_bytes - 1) & mask,
		 high = (block->start + block->bytes) & mask;
	struct watched_array *array;

	if (high <= low)
		return true;
	array = array_of(writes, block->array);
	if (!array)
		return false;
	array->pages += (high - low) / writes->page_bytes;
	if (high - low > *left)
		return true;
	*left -= high - low;
	return each_stretch(writes, pagemap, low, high, &pages_small, add_small, array) &&
	       each_stretch(writes, pagemap, low, high, &pages_huge, add_huge, array);
}

/* ------------------------------------------------------------------ choosing */

static bool add_page(struct page_writes *writes, uint32_t array, uint64_t address)
{
	if (!ARENA_GROW(writes->arena, writes->pages, writes->nr_pages, writes->room_pages))
		return false;
	writes->pages[writes->nr_pages++] = (struct watched_page){
		address, array, RUN_THREAD_UNKNOWN, RUN_PLACE_UNKNOWN, RUN_PAGES_OTHER
	};
	return true;
}

/* The page of a group of `every` that stands for it; UINT64_MAX: behind the last group. */
static uint64_t chosen(const struct watched_array *array, uint64_t group)
{
	uint64_t first = group * array->every,
		 left = first < array->small ? array->small - first : 0;

	return left ? first + (hash_word(group + 1) >> 32) %
				       (left < array->every ? left : array->every)
		    : UINT64_MAX;
}

/* Pages of an array are numbered through its stretches, of which the first is `first`. */
static bool choose(struct page_writes *writes, const struct watched_array *array, size_t first)
{
	uint64_t number = 0, group = 0, next = chosen(array, group);

	for (size_t i = first; i < writes->nr_stretches; i++) {
		const struct stretch *stretch = &writes->stretches[i];
		uint64_t end = number + (stretch->high - stretch->low) / writes->page_bytes;

		if (stretch->array != array->array)
			break;
		for (; next < end; next = chosen(array, ++group))
			if (!add_page(writes, array->array,
				      stretch->low + (next - number) * writes->page_bytes))
				return false;
		number = end;
	}
	return true;
}

/* Each array gets the same number of pages at most. */
static bool choose_all(struct page_writes *writes)
{
	uint64_t each = PAGE_WRITES_MOST / (writes->nr_arrays ? writes->nr_arrays : 1) + 1;
	size_t first = 0;

	for (size_t i = 0; i < writes->nr_arrays; i++) {
		struct watched_array *array = &writes->arrays[i];

		array->every = (array->small + each - 1) / each;
		if (array->small && !choose(writes, array, first))
			return false;
		while (first < writes->nr_stretches &&
		       writes->stretches[first].array == array->array)
			first++;
	}
	return true;
}

static int by_address(const void *left, const void *right)
{
	const struct watched_page *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

static const char *choose_pages(struct page_writes *writes, int pagemap)
{
	struct arena *scratch = arena_new();
	struct placed_blocks blocks = { 0 };
	uint64_t left = PAGE_WRITES_BYTES;
	bool ok = scratch && placement_blocks(scratch, &blocks);

	for (size_t i = 0; ok && i < blocks.nr; i++)
		ok = examine(writes, pagemap, &blocks.items[i], &left);
	arena_free(scratch);
	if (!ok)
		return "unsupported: PAGEMAP_SCAN (Linux 6.7), or no memory to list pages";
	if (!choose_all(writes))
		return NO_MEMORY;
	sort(writes->pages, writes->nr_pages, sizeof(*writes->pages), by_address);
	return writes->nr_pages
		       ? NULL
		       : "no page of an array can be watched: they are huge, shared, of files, or not in memory";
}

/* ------------------------------------------------------------------ watching */

/* The first page at the address or behind it. */
static size_t page_from(const struct page_writes *writes, uint64_t address)
{
	size_t low = 0, high = writes->nr_pages;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (writes->pages[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool has_pages(const struct page_writes *writes, const struct memory_range *range)
{
	size_t at = page_from(writes, range->low);

	return at < writes->nr_pages && writes->pages[at].address < range->high;
}

static bool register_mappings(struct page_writes *writes)
{
	struct memory_ranges *to = &writes->mappings;
	struct memory_ranges all = { 0 };
	struct arena *scratch = arena_new();
	bool ok = scratch != NULL;

	if (scratch)
		residence_mappings(scratch, &all);
	for (size_t i = 0; ok && i < all.nr; i++) {
		if (!has_pages(writes, &all.items[i]))
			continue;
		ok = ARENA_GROW(writes->arena, to->items, to->nr, to->room);
		if (ok && write_watch_register(&writes->watch, &all.items[i]))
			to->items[to->nr++] = all.items[i];
	}
	arena_free(scratch);
	return ok;
}

static bool set_state(struct page_writes *writes, void *ctx, uint64_t low, uint64_t high)
{
	for (size_t i = page_from(writes, low);
	     i < writes->nr_pages && writes->pages[i].address < high; i++)
		writes->pages[i].state = ctx;
	return true;
}

/* Consecutive pages together. Returns their number; of mappings that were refused there are none. */
static uint64_t protect_pages(struct page_writes *writes, int pagemap)
{
	uint64_t nr = 0;

	for (size_t i = 0, end; i < writes->nr_pages; i = end) {
		uint64_t low = writes->pages[i].address, high = low + writes->page_bytes;

		for (end = i + 1; end < writes->nr_pages && writes->pages[end].address == high;
		     end++)
			high += writes->page_bytes;
		each_stretch(writes, pagemap, low, high, &pages_protect, set_state,
			     (void *)RUN_PAGES_GONE);
	}
	for (size_t i = 0; i < writes->nr_pages; i++)
		nr += !strcmp(writes->pages[i].state, RUN_PAGES_GONE);
	return nr;
}

static const char *watch(struct page_writes *writes, int pagemap)
{
	const char *why = NULL;
	uint64_t nr;

	if (!write_watch_open(&writes->watch, &why))
		return why;
	if (!register_mappings(writes))
		return NO_MEMORY;
	writes->begin_ns = thread_clock_ns();
	nr = protect_pages(writes, pagemap);
	writes->run->writing.watched = nr;
	return nr ? NULL
		  : "unsupported: the kernel protects none of the pages (PAGEMAP_SCAN, Linux 6.7)";
}

bool page_writes_begin(struct page_writes *writes)
{
	struct run_writing *writing = &writes->run->writing;
	uint64_t begin_ns = thread_clock_ns();
	int pagemap = open_pagemap();

	writing->why = pagemap < 0 ? NO_PAGEMAP : choose_pages(writes, pagemap);
	if (!writing->why)
		writing->why = watch(writes, pagemap);
	if (pagemap >= 0)
		close(pagemap);
	if (writing->why)
		write_watch_close(&writes->watch, &writes->mappings);
	writes->watching = !writing->why;
	if (page_nodes_balancing())
		writing->threads =
			"automatic NUMA balancing is on: its page faults look like first writes";
	writing->ns += (double)(thread_clock_ns() - begin_ns);
	return writes->watching;
}

/* ------------------------------------------------------------------ the end */

static void read_states(struct page_writes *writes, int pagemap)
{
	for (size_t i = 0; i < writes->mappings.nr; i++) {
		const struct memory_range *mapping = &writes->mappings.items[i];

		each_stretch(writes, pagemap, mapping->low, mapping->high, &pages_written,
			     set_state, (void *)RUN_PAGES_WRITTEN);
		each_stretch(writes, pagemap, mapping->low, mapping->high, &pages_unwritten,
			     set_state, (void *)RUN_PAGES_UNWRITTEN);
	}
}

static void unwatch(struct page_writes *writes, uint64_t now_ns)
{
	writes->end_ns = now_ns;
	write_watch_close(&writes->watch, &writes->mappings);
	writes->watching = false;
}

void page_writes_end(struct page_writes *writes, uint64_t executions)
{
	uint64_t begin_ns = thread_clock_ns();
	int pagemap = open_pagemap();

	if (pagemap < 0) {
		page_writes_stop(writes, NO_PAGEMAP);
		return;
	}
	read_states(writes, pagemap);
	close(pagemap);
	unwatch(writes, begin_ns);
	writes->run->writing.executions += executions;
	writes->run->writing.ns += (double)(thread_clock_ns() - begin_ns);
}

void page_writes_stop(struct page_writes *writes, const char *why)
{
	if (!page_writes_are_watched(writes))
		return;
	unwatch(writes, thread_clock_ns());
	writes->run->writing.why = why;
}

bool page_writes_fault(struct page_writes *writes, uint64_t address, uint64_t when_ns,
		       uint32_t thread, uint32_t node)
{
	uint64_t low = writes ? address & ~(writes->page_bytes - 1) : 0;
	struct watched_page *page;
	size_t at;

	if (!writes || !writes->nr_pages || when_ns < writes->begin_ns ||
	    (!writes->watching && when_ns > writes->end_ns))
		return false;
	at = page_from(writes, low);
	page = &writes->pages[at];
	if (at == writes->nr_pages || page->address != low)
		return false;
	if (page->thread == RUN_THREAD_UNKNOWN) {
		page->thread = thread;
		page->node = node;
	}
	return true;
}

/* ------------------------------------------------------------------ rows */

static int by_row(const void *left, const void *right)
{
	const struct watched_page *a = left, *b = right;
	int state = strcmp(a->state, b->state);

	if (a->array != b->array)
		return a->array < b->array ? -1 : 1;
	if (state)
		return state;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return by_address(left, right);
}

static bool is_of(const struct watched_page *page, const struct run_write *row)
{
	return page->array == row->array && !strcmp(page->state, row->state) &&
	       page->thread == row->thread && page->node == row->node;
}

/* By array, state, thread and address. A page that was not written has no writer. NULL: no memory. */
static struct watched_page *sorted_pages(const struct page_writes *writes, struct arena *scratch)
{
	struct watched_page *pages = arena_alloc(scratch, writes->nr_pages * sizeof(*pages));

	for (size_t i = 0; pages && i < writes->nr_pages; i++) {
		pages[i] = writes->pages[i];
		if (writes->run->writing.threads ||
		    strcmp(pages[i].state, RUN_PAGES_WRITTEN) != 0) {
			pages[i].thread = RUN_THREAD_UNKNOWN;
			pages[i].node = RUN_PLACE_UNKNOWN;
		}
	}
	if (pages)
		sort(pages, writes->nr_pages, sizeof(*pages), by_row);
	return pages;
}

static uint64_t every_of(const struct page_writes *writes, uint32_t array)
{
	for (size_t i = 0; i < writes->nr_arrays; i++)
		if (writes->arrays[i].array == array)
			return writes->arrays[i].every;
	return 1;
}

/* NULL: no memory. */
static struct run_write *new_row(const struct page_writes *writes, const struct watched_page *page)
{
	struct run *run = writes->run;

	if (!ARENA_GROW(writes->arena, run->writes, run->nr_writes, run->room_writes))
		return NULL;
	run->writes[run->nr_writes] = (struct run_write){ .array = page->array,
							  .state = page->state,
							  .thread = page->thread,
							  .node = page->node };
	return &run->writes[run->nr_writes++];
}

static void add_to(const struct page_writes *writes, struct run_write *row, uint64_t address)
{
	struct run_pages *last = row->nr_ranges ? &row->ranges[row->nr_ranges - 1] : NULL;

	row->pages += row->every;
	if (last && last->address + last->pages * writes->page_bytes == address)
		last->pages++;
	else
		row->ranges[row->nr_ranges++] = (struct run_pages){ address, 1 };
}

static bool add_rows(const struct page_writes *writes, const struct watched_page *pages)
{
	struct run_pages *ranges = arena_alloc(writes->arena,
					       (writes->nr_pages + 1) * sizeof(*ranges));
	struct run_write *row = NULL;

	for (size_t i = 0; ranges && i < writes->nr_pages; i++) {
		if (pages[i].array >= writes->run->nr_arrays)
			continue;
		if (!row || !is_of(&pages[i], row)) {
			row = new_row(writes, &pages[i]);
			if (!row)
				return false;
			row->every = every_of(writes, row->array);
			row->ranges = &ranges[i];
		}
		add_to(writes, row, pages[i].address);
	}
	return ranges != NULL;
}

static bool add_unwatched(const struct page_writes *writes, uint32_t array, const char *state,
			  uint64_t pages)
{
	const struct watched_page page = { .array = array,
					   .thread = RUN_THREAD_UNKNOWN,
					   .node = RUN_PLACE_UNKNOWN,
					   .state = state };
	struct run_write *row = pages ? new_row(writes, &page) : NULL;

	if (row)
		row->pages = pages;
	return row || !pages;
}

bool page_writes_harvest(const struct page_writes *writes)
{
	struct run *run = writes->run;
	struct arena *scratch;
	const struct watched_page *pages;
	bool ok;

	run->nr_writes = 0;
	if (run->writing.why || writes->watching)
		return true;
	scratch = arena_new();
	pages = scratch ? sorted_pages(writes, scratch) : NULL;
	ok = pages && add_rows(writes, pages);
	arena_free(scratch);
	for (size_t i = 0; ok && i < writes->nr_arrays; i++) {
		const struct watched_array *of = &writes->arrays[i];

		ok = of->array >= run->nr_arrays ||
		     (add_unwatched(writes, of->array, RUN_PAGES_HUGE, of->huge) &&
		      add_unwatched(writes, of->array, RUN_PAGES_OTHER,
				    of->pages - of->small - of->huge));
	}
	return ok;
}
