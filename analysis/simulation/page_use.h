/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_PAGE_USE_H
#define MEMSEARCH_SIMULATION_PAGE_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Pages of the modelled machine: their node, and the lines that threads of each node fetch from
 * their memory, by accesses and prefetches.
 */
struct arena;
struct machine_model;
struct simulation;
struct trace_reader;

struct page_use {
	uint64_t address; /* of the program: the page's first byte in a block */
	uint64_t offset;  /* of that byte in the block, or in its range of the array (--range) */
	/* number of the run's array, or RUN_ARRAY_NONE; node of the page */
	uint32_t array, home;
	uint64_t *lines; /* by node */
};

/* initially zero */
struct page_uses {
	uint32_t nodes;
	uint64_t page_bytes;
	size_t nr, room;
	struct page_use *rows; /* by array, then by address, after page_uses_sort */
	/* gives the nodes; owned by the caller of simulate */
	const struct machine_model *model;
};

/*
 * Adds the pages simulated since the last clear; in the arena. A page that begins in one range of an
 * array and ends in another is the first one's. False: no memory.
 */
bool page_uses_add(struct page_uses *uses, struct arena *arena, struct simulation *simulation,
		   const struct trace_reader *reader, uint32_t nodes, uint64_t page_bytes);
/* Sorts by array and address, and merges rows of one page. */
void page_uses_sort(struct page_uses *uses);
/* The node whose threads fetch most lines; the lower one of two with equal numbers. */
uint32_t page_use_most(const struct page_uses *uses, const struct page_use *use);

#endif
