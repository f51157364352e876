/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of pages, in batches of move_pages(2). */
#define _GNU_SOURCE /* mincore */
#include "ompt_tool/placement/page_nodes.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "analysis/base/arena.h"
#include "analysis/base/hash.h"
#include "analysis/base/system_text.h"

/* pages a call; from 16 on the kernel's time per page no longer falls */
#define BATCH 1024

bool page_nodes_balancing(void)
{
	char text[16];

	return system_text_read("/proc/sys/kernel/numa_balancing", text, sizeof(text)) &&
	       *text != '0';
}

const char *page_nodes_refused(struct arena *arena, int error)
{
	if (error == EPERM || error == EACCES)
		return "move_pages: not permitted: the cpuset excludes a node, or a container refuses it (docker run --cap-add SYS_NICE)";
	if (error == ENOSYS)
		return "move_pages: not in this kernel, or refused by a seccomp filter";
	if (error == ENODEV)
		return "move_pages: a node is not online, or has no memory (/sys/devices/system/node/has_memory)";
	return arena_printf(arena, "move_pages: %s (errno %d)", strerror(error), error);
}

static bool is_mapped(const struct page_nodes *nodes, uint64_t address)
{
	unsigned char in_memory;

	return !mincore((void *)(uintptr_t)address, nodes->page_bytes, &in_memory) ||
	       errno != ENOMEM;
}

static uint32_t node_of(const struct page_nodes *nodes, uint64_t address, int status)
{
	if (status >= 0)
		return (uint32_t)status;
	if (status == -ENOENT)
		return nodes->balancing ? RUN_NODE_UNKNOWN : RUN_NODE_UNTOUCHED;
	if (status == -EFAULT)
		return is_mapped(nodes, address) ? RUN_NODE_UNTOUCHED : RUN_NODE_UNMAPPED;
	return RUN_NODE_UNKNOWN;
}

/* Continues the last stretch where that has the same node and ends there. */
static bool add(const struct page_nodes *nodes, struct arena *arena, struct page_stretches *out,
		uint64_t address, uint64_t pages, uint32_t node)
{
	struct run_stretch *last = out->nr ? &out->items[out->nr - 1] : NULL;

	if (last && last->node == node &&
	    last->address + last->pages * nodes->page_bytes == address) {
		last->pages += pages;
		return true;
	}
	if (!ARENA_GROW(arena, out->items, out->nr, out->room))
		return false;
	out->items[out->nr++] = (struct run_stretch){ address, pages, node };
	return true;
}

/* Number of pages in group `group` of [0, pages). */
static uint64_t pages_of(uint64_t group, uint64_t every, uint64_t pages)
{
	uint64_t left = pages - group * every;

	return left < every ? left : every;
}

/* The sampled page of a group. */
static uint64_t chosen(uint64_t first, uint64_t group, uint64_t every, uint64_t pages)
{
	uint64_t within = pages_of(group, every, pages);

	return first + group * every + (hash_word(first + group) >> 32) % within;
}

/* Queries the sampled pages of groups [group, group + nr) of the pages from `first` on. */
static bool ask(struct page_nodes *nodes, uint64_t first, uint64_t pages, uint64_t every,
		uint64_t group, size_t nr, int *status)
{
	void *addresses[BATCH];

	for (size_t i = 0; i < nr; i++) {
		status[i] = -EIO; /* stays if the kernel does not set it */
		addresses[i] = (void *)(uintptr_t)(chosen(first, group + i, every, pages) *
						   nodes->page_bytes);
	}
	nodes->asked += nr;
	if (nodes->move_pages(0, nr, addresses, NULL, status, 0) >= 0)
		return true;
	nodes->error = errno ? errno : EIO;
	return false;
}

bool page_nodes_ask(struct page_nodes *nodes, struct arena *arena, uint64_t low, uint64_t high,
		    uint64_t every, struct page_stretches *out)
{
	uint64_t first = low / nodes->page_bytes;
	uint64_t pages = (high + nodes->page_bytes - 1) / nodes->page_bytes - first;
	uint64_t groups = (pages + every - 1) / every;
	int status[BATCH];

	for (uint64_t group = 0; group < groups; group += BATCH) {
		size_t nr = groups - group < BATCH ? (size_t)(groups - group) : BATCH;

		if (nodes->error || !ask(nodes, first, pages, every, group, nr, status))
			return false;
		for (size_t i = 0; i < nr; i++)
			if (!add(nodes, arena, out,
				 (first + (group + i) * every) * nodes->page_bytes,
				 pages_of(group + i, every, pages),
				 node_of(nodes,
					 chosen(first, group + i, every, pages) * nodes->page_bytes,
					 status[i])))
				return false;
	}
	return true;
}
