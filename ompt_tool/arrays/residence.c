/* SPDX-License-Identifier: Apache-2.0 */
/* Pages in memory, by the process's own page table. */
#include "ompt_tool/arrays/residence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"

#define PAGEMAP_PRESENT (1ull << 63)     /* Documentation/admin-guide/mm/pagemap.rst */
#define PAGEMAP_SWAPPED (1ull << 62)
#define PAGEMAP_FILE (1ull << 61)        /* of a file, or shared */
#define ENTRIES 1024                     /* read at a time */
#define BYTES_MAX (64ull << 30)
#define MAPS_BYTES 65536                 /* read at a time; a line has at most 4200 */

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static enum ms_status status_of_errno(void)
{
	return errno == EACCES || errno == EPERM ? MS_ERR_PERMISSION : MS_ERR_IO;
}

static bool is_written(uint64_t entry)
{
	return entry & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED) && !(entry & PAGEMAP_FILE);
}

static enum ms_status range_add(struct arena *arena, struct memory_ranges *ranges, uintptr_t low, uintptr_t high)
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

static enum ms_status read_range(struct arena *arena, int fd, uintptr_t low, uintptr_t high, struct memory_ranges *out)
{
	uint64_t entries[ENTRIES], page = page_bytes();
	enum ms_status status = MS_OK;

	low &= ~(page - 1);
	while (low < high && status == MS_OK) {
		size_t wanted = (high - low + page - 1) / page < ENTRIES ? (high - low + page - 1) / page : ENTRIES;
		ssize_t got = pread(fd, entries, wanted * 8, (off_t)(low / page * 8));

		if (got < 8)
			return status_of_errno();
		for (ssize_t i = 0; i < got / 8 && status == MS_OK; i++, low += page)
			if (is_written(entries[i]))
				status = range_add(arena, out, low, low + page);
	}
	return status;
}

enum ms_status residence_of(struct arena *arena, uintptr_t low, uintptr_t high, struct memory_ranges *out)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	enum ms_status status;

	if (fd < 0)
		return status_of_errno();
	status = read_range(arena, fd, low, high, out);
	close(fd);
	return status;
}

/* A line of /proc/self/maps: "low-high rw-p …". False: not writable and private. */
static bool parse_mapping(const char *line, struct memory_range *out)
{
	char *end;

	out->low = strtoul(line, &end, 16);
	if (*end != '-')
		return false;
	out->high = strtoul(end + 1, &end, 16);
	return !strncmp(end, " rw-p", 5) || !strncmp(end, " rwxp", 5);
}

/* Calls `visit` for every writable private mapping until it says false. */
static enum ms_status each_mapping(bool (*visit)(void *ctx, struct memory_range range), void *ctx)
{
	char text[MAPS_BYTES];
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t kept = 0;
	ssize_t got;
	bool more = true;

	if (fd < 0)
		return status_of_errno();
	while (more && (got = read(fd, text + kept, sizeof(text) - 1 - kept)) > 0) {
		char *line = text, *end;

		text[kept += (size_t)got] = '\0';
		for (; more && (end = strchr(line, '\n')); line = end + 1) {
			struct memory_range range;

			if (parse_mapping(line, &range))
				more = visit(ctx, range);
		}
		kept -= (size_t)(line - text);
		memmove(text, line, kept);
	}
	close(fd);
	return MS_OK;
}

struct scan {
	struct arena *arena;
	struct memory_ranges *out;
	int pagemap;
	uint64_t left;                   /* bytes of address space */
	bool skipped;                    /* a mapping larger than that */
	enum ms_status status;
};

static bool scan_mapping(void *ctx, struct memory_range range)
{
	struct scan *scan = ctx;

	if (range.high - range.low > scan->left) {
		scan->skipped = true;
		return true;
	}
	scan->left -= range.high - range.low;
	scan->status = read_range(scan->arena, scan->pagemap, range.low, range.high, scan->out);
	return scan->status == MS_OK;
}

enum ms_status residence_all(struct arena *arena, struct memory_ranges *out)
{
	struct scan scan = { .arena = arena, .out = out, .left = BYTES_MAX, .pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) };
	enum ms_status status;

	if (scan.pagemap < 0)
		return status_of_errno();
	status = each_mapping(scan_mapping, &scan);
	close(scan.pagemap);
	status = status == MS_OK ? scan.status : status;
	return status == MS_OK && scan.skipped ? MS_ERR_FULL : status;
}

struct search { uintptr_t address; struct memory_range found; };

static bool look_at_mapping(void *ctx, struct memory_range range)
{
	struct search *search = ctx;

	if (search->address - range.low < range.high - range.low)
		search->found = range;
	return search->found.high == 0;
}

struct memory_range residence_mapping(uintptr_t address)
{
	struct search search = { .address = address };

	each_mapping(look_at_mapping, &search);
	return search.found;
}
