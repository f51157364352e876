/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_NUMA_SITES_H
#define MEMSEARCH_NUMA_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Source lines whose first touches put pages of an array on other nodes than their users. */
struct arena;
struct arrays_view;
struct page_uses;
struct touch_group;
struct touched_pages;

struct numa_site {
	const struct touch_group *group; /* NULL: not known */
	/* from memory: all, and those of other nodes; `misplaced`: these, of mostly remote pages, … */
	uint64_t lines, remote, misplaced;
	/* … which lie here in the block: from the first one to the end of the last */
	uint64_t low, high;
};

struct numa_sites {
	const struct arrays_view *view;
	uint32_t array;
	uint64_t remote; /* of all */
	size_t nr;
	struct numa_site *items; /* most remote lines first */
};

/* Of the array that has rows [first, first + nr) of `uses`; in the arena. False: no memory. */
bool numa_sites(struct arena *arena, const struct arrays_view *view,
		const struct touched_pages *touched, const struct page_uses *uses, size_t first,
		size_t nr, struct numa_sites *out);
/* It has a notable part of the array's remote lines. */
bool numa_site_is_misplaced(const struct numa_sites *of, const struct numa_site *site);
/*
 * "init.c:12", or "init.c:12 (a[0:511])" where a part of its pages is misplaced: the sites that are.
 * NULL: none has a known line.
 */
const char *numa_sites_misplaced(struct arena *arena, const struct numa_sites *of);
/* System calls such as read put most of the misplaced pages where they are. */
bool numa_sites_by_kernel(const struct numa_sites *of);

#endif
