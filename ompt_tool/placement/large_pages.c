/* SPDX-License-Identifier: Apache-2.0 */
/* Huge pages and files behind arrays, by /proc/self/smaps. */
#include "ompt_tool/placement/large_pages.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/system_text.h"

#define SMAPS "/proc/self/smaps"
#define HUGE_FILE "/anon_hugepage"
#define PIECE 65536 /* read at a time */

struct mapping {
	uint64_t low, high, inode;
	uint64_t kernel_page, huge, resident; /* bytes */
};

struct reading {
	uint64_t page_bytes;
	struct run_placement *items;
	size_t nr;
	struct mapping now; /* high 0: none yet */
};

static uint64_t overlap(const struct run_stretch *stretch, const struct mapping *mapping,
			uint64_t page_bytes)
{
	uint64_t low = stretch->address, high = low + stretch->pages * page_bytes;

	low = low > mapping->low ? low : mapping->low;
	high = high < mapping->high ? high : mapping->high;
	return high > low ? high - low : 0;
}

/* The part of [0, 1] of a mapping's memory that is in larger pages. */
static double huge_part(const struct mapping *mapping, uint64_t page_bytes)
{
	if (mapping->kernel_page > page_bytes)
		return 1;
	return mapping->resident ? (double)mapping->huge / (double)mapping->resident : 0;
}

static void end_mapping(struct reading *reading)
{
	const struct mapping *mapping = &reading->now;
	double part = huge_part(mapping, reading->page_bytes);

	for (size_t i = 0; mapping->high && i < reading->nr; i++) {
		struct run_placement *to = &reading->items[i];

		for (size_t k = 0; k < to->nr_stretches; k++) {
			uint64_t bytes = overlap(&to->stretches[k], mapping, reading->page_bytes);

			if (to->stretches[k].node < RUN_NODES_MOST)
				to->huge_bytes += (uint64_t)(part * (double)bytes);
			to->file |= !k && bytes && mapping->inode;
		}
	}
}

/* "Rss:    4 kB"; false: another line. */
static bool value_of(const char *line, const char *key, uint64_t *out)
{
	size_t length = strlen(key);

	if (strncmp(line, key, length) != 0)
		return false;
	*out = strtoull(line + length, NULL, 10) * 1024;
	return true;
}

static void read_line(struct reading *reading, const char *line)
{
	struct mapping *now = &reading->now;
	unsigned long long low, high, inode;

	if (value_of(line, "KernelPageSize:", &now->kernel_page) ||
	    value_of(line, "Rss:", &now->resident) || value_of(line, "AnonHugePages:", &now->huge))
		return;
	if (sscanf(line, "%llx-%llx %*s %*s %*s %llu", &low, &high, &inode) != 3)
		return;
	end_mapping(reading);
	/* private memory with MAP_HUGETLB has a file of the kernel's own */
	if (strstr(line, " " HUGE_FILE))
		inode = 0;
	*now = (struct mapping){ .low = low, .high = high, .inode = inode };
}

/* Whole lines of `text`; returns the bytes of the last, cut one. */
static size_t read_lines(struct reading *reading, char *text)
{
	char *end;

	for (; (end = strchr(text, '\n')); text = end + 1) {
		*end = '\0';
		read_line(reading, text);
	}
	return strlen(text);
}

static void set_all(struct run_placement *items, size_t nr, uint64_t bytes)
{
	for (size_t i = 0; i < nr; i++)
		items[i].huge_bytes = bytes;
}

void large_pages_read(struct arena *scratch, const char *path, uint64_t page_bytes,
		      struct run_placement *items, size_t nr)
{
	struct reading reading = { .page_bytes = page_bytes, .items = items, .nr = nr };
	char *text = arena_alloc(scratch, PIECE + 1);
	int fd = text ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	size_t rest = 0;
	ssize_t got;

	set_all(items, nr, fd < 0 ? RUN_HUGE_UNKNOWN : 0);
	if (fd < 0)
		return;
	while ((got = read(fd, text + rest, PIECE - rest)) > 0) {
		size_t length = rest + (size_t)got;

		text[length] = '\0';
		rest = read_lines(&reading, text);
		if (rest == PIECE)
			rest = 0; /* no line of smaps */
		memmove(text, text + length - rest, rest);
	}
	end_mapping(&reading);
	close(fd);
}

/* proc(5), statm: its second number is the pages in memory. */
static uint64_t resident_bytes(uint64_t page_bytes)
{
	char text[128];
	const char *second;

	system_text_read("/proc/self/statm", text, sizeof(text));
	second = strchr(text, ' ');
	return second ? strtoull(second, NULL, 10) * page_bytes : 0;
}

void large_pages_fill(struct arena *scratch, uint64_t page_bytes, struct run_placement *items,
		      size_t nr)
{
	if (nr && resident_bytes(page_bytes) <= LARGE_PAGES_RESIDENT)
		large_pages_read(scratch, SMAPS, page_bytes, items, nr);
}
