/* SPDX-License-Identifier: Apache-2.0 */
/* Pages in memory, by the process's own page table. */
#include "ompt_tool/arrays/residence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/memory_map.h"
#include "analysis/base/pagemap_scan.h"

#define ENTRY_PRESENT (1ull << 63) /* Documentation/admin-guide/mm/pagemap.rst */
#define ENTRY_SWAPPED (1ull << 62)
#define ENTRY_FILE (1ull << 61) /* of a file, or shared */
#define ENTRIES 1024            /* read at a time */
#define STRETCHES 64            /* scanned at a time */
#define BYTES_MAX (64ull << 30)

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static enum ms_status status_of(int error)
{
	return error == EACCES || error == EPERM ? MS_ERR_PERMISSION : MS_ERR_IO;
}

static bool is_written(uint64_t entry)
{
	return entry & (ENTRY_PRESENT | ENTRY_SWAPPED) && !(entry & ENTRY_FILE);
}

static enum ms_status range_add(struct arena *arena, struct memory_ranges *ranges, uintptr_t low,
				uintptr_t high)
{
	if (ranges->nr && ranges->items[ranges->nr - 1].high == low) {
		ranges->items[ranges->nr - 1].high = high;
		return MS_OK;
	}
	if (!ARENA_GROW(arena, ranges->items, ranges->nr, ranges->room))
		return MS_ERR_MEMORY;
	ranges->items[ranges->nr++] = (struct memory_range){ low, high };
	return MS_OK;
}

/* [low, high) in whole pages, as in scan_entries. */
static enum ms_status read_entries(struct arena *arena, int fd, uintptr_t low, uintptr_t high,
				   struct memory_ranges *out)
{
	uint64_t entries[ENTRIES], page = page_bytes();
	enum ms_status status = MS_OK;

	while (low < high && status == MS_OK) {
		size_t wanted = (high - low) / page < ENTRIES ? (high - low) / page : ENTRIES;
		ssize_t got = pread(fd, entries, wanted * 8, (off_t)(low / page * 8));

		if (got < 8)
			return status_of(errno);
		for (ssize_t i = 0; i < got / 8 && status == MS_OK; i++, low += page)
			if (is_written(entries[i]))
				status = range_add(arena, out, low, low + page);
	}
	return status;
}

/*
 * Reads as much as PAGEMAP_SCAN supports and advances *low. Not used for memory in which no page
 * can belong to a file.
 */
static enum ms_status scan_entries(struct arena *arena, int fd, bool is_anonymous, uintptr_t *low,
				   uintptr_t high, struct memory_ranges *out)
{
	struct pagemap_stretch stretches[STRETCHES];
	enum ms_status status = MS_OK;

	while (*low < high && status == MS_OK) {
		int nr = pagemap_scan(fd, low, high, PAGEMAP_PRESENT | PAGEMAP_SWAPPED,
				      !is_anonymous, stretches, STRETCHES);

		if (nr < 0)
			return MS_OK;
		for (int i = 0; i < nr && status == MS_OK; i++)
			status = range_add(arena, out, stretches[i].low, stretches[i].high);
	}
	return status;
}

/* Whole pages. */
static enum ms_status read_range(struct arena *arena, int fd, bool is_anonymous, uintptr_t low,
				 uintptr_t high, struct memory_ranges *out)
{
	enum ms_status status = scan_entries(arena, fd, is_anonymous, &low, high, out);

	return status == MS_OK ? read_entries(arena, fd, low, high, out) : status;
}

/* Memory between anonymous ranges is treated as a file's. */
static enum ms_status read_mixed(struct arena *arena, int fd, const struct memory_ranges *anonymous,
				 uintptr_t low, uintptr_t high, struct memory_ranges *out)
{
	enum ms_status status = MS_OK;

	for (size_t i = 0; i < anonymous->nr && low < high && status == MS_OK; i++) {
		uintptr_t from = anonymous->items[i].low > low ? anonymous->items[i].low : low;
		uintptr_t to = anonymous->items[i].high < high ? anonymous->items[i].high : high;

		if (from >= to)
			continue;
		status = read_range(arena, fd, false, low, from, out);
		if (status == MS_OK)
			status = read_range(arena, fd, true, from, to, out);
		low = to;
	}
	return status == MS_OK ? read_range(arena, fd, false, low, high, out) : status;
}

enum ms_status residence_of(struct arena *arena, const struct memory_ranges *anonymous,
			    uintptr_t low, uintptr_t high, struct memory_ranges *out)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uintptr_t page = page_bytes();
	enum ms_status status;

	if (fd < 0)
		return status_of(errno);
	status = read_mixed(arena, fd, anonymous, low & ~(page - 1),
			    (high + page - 1) & ~(page - 1), out);
	close(fd);
	return status;
}

static bool is_anonymous(const struct memory_mapping *mapping)
{
	return mapping->is_private && !mapping->inode;
}

static bool is_writable(const struct memory_mapping *mapping)
{
	return mapping->is_private && (mapping->protection & PROT_READ) &&
	       (mapping->protection & PROT_WRITE);
}

struct scan {
	struct arena *arena;
	struct memory_ranges *out;
	int pagemap;
	uint64_t left; /* bytes of address space */
	bool skipped;  /* a mapping larger than that */
	enum ms_status status;
};

static bool scan_mapping(void *ctx, const struct memory_mapping *mapping)
{
	struct scan *scan = ctx;

	if (!is_writable(mapping))
		return true;
	if (mapping->high - mapping->low > scan->left) {
		scan->skipped = true;
		return true;
	}
	scan->left -= mapping->high - mapping->low;
	scan->status = read_range(scan->arena, scan->pagemap, is_anonymous(mapping), mapping->low,
				  mapping->high, scan->out);
	return scan->status == MS_OK;
}

enum ms_status residence_all(struct arena *arena, struct memory_ranges *out)
{
	struct scan scan = { .arena = arena,
			     .out = out,
			     .left = BYTES_MAX,
			     .pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) };
	int error;

	if (scan.pagemap < 0)
		return status_of(errno);
	error = memory_map_visit(scan_mapping, &scan);
	close(scan.pagemap);
	if (error)
		return status_of(error);
	return scan.status == MS_OK && scan.skipped ? MS_ERR_FULL : scan.status;
}

struct listing {
	struct arena *arena;
	struct memory_ranges *out;
};

static bool list_mapping(void *ctx, const struct memory_mapping *mapping)
{
	struct listing *listing = ctx;
	struct memory_ranges *out = listing->out;

	if (!is_writable(mapping))
		return true;
	if (!ARENA_GROW(listing->arena, out->items, out->nr, out->room))
		return false;
	out->items[out->nr++] = (struct memory_range){ mapping->low, mapping->high };
	return true;
}

void residence_mappings(struct arena *arena, struct memory_ranges *out)
{
	struct listing listing = { arena, out };

	memory_map_visit(list_mapping, &listing);
}

static bool list_anonymous(void *ctx, const struct memory_mapping *mapping)
{
	const struct listing *listing = ctx;

	return !is_anonymous(mapping) ||
	       range_add(listing->arena, listing->out, mapping->low, mapping->high) == MS_OK;
}

void residence_anonymous(struct arena *arena, struct memory_ranges *out)
{
	struct listing listing = { arena, out };

	memory_map_visit(list_anonymous, &listing);
}

struct memory_range residence_around(const struct memory_ranges *ranges, uintptr_t address)
{
	for (size_t i = 0; i < ranges->nr; i++)
		if (address - ranges->items[i].low < ranges->items[i].high - ranges->items[i].low)
			return ranges->items[i];
	return (struct memory_range){ 0, 0 };
}
