/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes of an array's pages by placement_map, and by bare batched move_pages of the same pages: ns a
 * page, least of ten; and the map of 64 GiB, of which nothing is in memory.
 */
#define _GNU_SOURCE
#include <numaif.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/placement/placement_map.h"

#define PAGES 4096
#define BATCH 1024
#define ROUNDS 10

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static char *memory_of(size_t bytes)
{
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	static uint64_t site;
	const struct array row = {
		.kind = ARRAY_HEAP, .name = "", .type = "", .file = "", .module = "", .site = ++site
	};

	if (memory == MAP_FAILED || !array_block_add(array_new(&row), (uintptr_t)memory, bytes))
		exit(1);
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	return memory;
}

static double bare(char *memory, size_t page)
{
	double begin = now_ns();
	void *pages[BATCH];
	int status[BATCH];

	for (size_t i = 0; i < PAGES; i += BATCH) {
		for (size_t k = 0; k < BATCH; k++)
			pages[k] = memory + (i + k) * page;
		if (syscall(SYS_move_pages, 0, BATCH, pages, NULL, status, 0))
			exit(2);
	}
	return now_ns() - begin;
}

static double mapped(struct page_nodes *nodes)
{
	struct arena *arena = arena_new();
	struct placement_map map = { 0 };
	double begin = now_ns(), ns;

	if (!placement_map(nodes, arena, 1 << 20, &map))
		exit(3);
	ns = now_ns() - begin;
	arena_free(arena);
	return ns;
}

int main(void)
{
	const char *why;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct page_nodes nodes = { .move_pages = numa_library_move_pages(&why),
				    .page_bytes = page };
	double bare_ns = 1e18, mapped_ns = 1e18;
	char *memory = memory_of(PAGES * page);

	if (!nodes.move_pages) {
		puts(why);
		return 1;
	}
	memset(memory, 1, PAGES * page);
	for (int round = 0; round < ROUNDS; round++) {
		double of_bare = bare(memory, page), of_map = mapped(&nodes);

		bare_ns = of_bare < bare_ns ? of_bare : bare_ns;
		mapped_ns = of_map < mapped_ns ? of_map : mapped_ns;
	}
	printf("bare move_pages   %6.0f ns a page\nplacement_map     %6.0f ns a page, %.2f times (bound: 1.5)\n",
	       bare_ns / PAGES, mapped_ns / PAGES, mapped_ns / bare_ns);
	memory_of(64ull << 30);
	nodes.asked = 0;
	mapped_ns = mapped(&nodes);
	printf("and of 64 GiB     %6.2f ms for %llu pages (bound: 50)\n", mapped_ns / 1e6,
	       (unsigned long long)nodes.asked);
	return 0;
}
